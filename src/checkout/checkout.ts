import { cp, mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { CANCELLED_GRACE_MS, type Environment, launchAgent, type OutputLog } from '../agent/index.ts';
import { AgentReplayError } from '../errors.ts';
import { findCommit } from './find-commit.ts';
import { type CheckoutFolder, checkoutFolder } from './folder.ts';
import { askGit, GitError, git } from './git.ts';

/**
 * The checkout has no `.git`, so that nothing installed or started there can read a token from the repository's
 * configuration or write to the repository.
 * @param options.folder of the repository
 * @throws AgentReplayError `BASE_NOT_FOUND`; the reason of an aborted `signal`
 */
export async function checkOut(
  ref: string,
  { folder, signal }: { readonly folder: string; readonly signal?: AbortSignal | undefined },
): Promise<Checkout> {
  const cwd = await realpath(folder);
  const [top, gitDir] = await repositoryAt(cwd, signal);
  const commit = await findCommit(ref, { cwd, signal });
  const isSame = await isCheckedOut(commit, { cwd: top, signal });
  const own = await checkoutFolder();
  try {
    const tree = path.join(own.path, 'tree');
    await mkdir(tree);
    if (!isSame) await writeTree(commit, { gitDir, tree, index: path.join(own.path, 'index'), signal });
    return new Checkout({ commit, isSame, top, tree, own, signal });
  } catch (error) {
    await own[Symbol.asyncDispose]();
    throw error;
  }
}

async function repositoryAt(cwd: string, signal: AbortSignal | undefined): Promise<[top: string, gitDir: string]> {
  try {
    return [
      await git(['rev-parse', '--show-toplevel'], { cwd, signal }),
      await git(['rev-parse', '--absolute-git-dir'], { cwd, signal }),
    ];
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new AgentReplayError('BASE_NOT_FOUND', 'The base is a commit, and there is no git repository here.', {
      evidence: error.said.map((line) => `git: ${line}`),
      hint: 'Run it in a clone of the repository (actions/checkout in a workflow), with git installed.',
      cause: error,
    });
  }
}

async function isCheckedOut(commit: string, options: { cwd: string; signal: AbortSignal | undefined }) {
  if ((await askGit(['rev-parse', 'HEAD'], options)) !== commit) return false;
  return (await askGit(['status', '--porcelain', '--untracked-files=normal'], options)) === undefined;
}

interface Tree {
  readonly gitDir: string;
  readonly tree: string;
  readonly index: string;
  readonly signal: AbortSignal | undefined;
}

/** With a separate index, so that nothing is written to the repository. */
async function writeTree(commit: string, { gitDir, tree, index, signal }: Tree): Promise<void> {
  const alone = ['core.splitIndex=false', 'core.fsmonitor=false', 'core.untrackedCache=false'];
  await git([...alone.flatMap((each) => ['-c', each]), 'read-tree', '--reset', '-u', commit], {
    cwd: tree,
    signal,
    env: { GIT_DIR: gitDir, GIT_WORK_TREE: tree, GIT_INDEX_FILE: index },
  });
}

interface Written extends Pick<Checkout, 'commit' | 'isSame'> {
  readonly top: string;
  readonly tree: string;
  readonly own: CheckoutFolder;
  readonly signal: AbortSignal | undefined;
}

/** Disposing of it removes the folder. */
export class Checkout implements AsyncDisposable {
  readonly commit: string;
  /** It is checked out in the working tree, without changes. */
  readonly isSame: boolean;
  readonly #written: Written;

  constructor(written: Written) {
    this.commit = written.commit;
    this.isSame = written.isSame;
    this.#written = written;
  }

  /** Where a folder or file of the repository is in the checkout. */
  async place(file: string): Promise<string> {
    const { top, tree } = this.#written;
    const inside = path.relative(top, await realOf(file));
    if (!/^\.\.(?:[\\/]|$)/.test(inside) && !path.isAbsolute(inside)) return path.join(tree, inside);
    throw new AgentReplayError('CONFIG_INVALID', 'The base needs files outside the repository.', {
      evidence: [`repository: ${top}`, `outside: ${file}`],
      hint: 'Keep the configuration, the agent and agent.baseFiles in the repository of the base.',
    });
  }

  /** Copies files from the working tree, if they exist there. */
  async copy(files: readonly string[]): Promise<void> {
    for (const file of files) {
      const to = await this.place(file);
      this.#written.signal?.throwIfAborted();
      await cp(file, to, { recursive: true, force: true, verbatimSymlinks: true }).catch((error) => {
        if (error.code !== 'ENOENT') throw error;
      });
    }
  }

  /**
   * Folders for working files, which no agent of the working tree has. Caches stay shared, since some hold what was
   * installed, and so does the home folder, with the keys of the user.
   */
  async folders(): Promise<Record<string, string>> {
    const [temporary, state] = [path.join(this.#written.own.path, 'tmp'), path.join(this.#written.own.path, 'state')];
    for (const folder of [temporary, state]) await mkdir(folder, { recursive: true, mode: 0o700 });
    return { TMPDIR: temporary, TMP: temporary, TEMP: temporary, XDG_STATE_HOME: state };
  }

  /** @throws AgentReplayError `BASE_NOT_INSTALLED`; the reason of an aborted `signal` */
  async install(command: string, { cwd, log }: { readonly cwd: string; readonly log?: OutputLog }): Promise<void> {
    const { signal } = this.#written;
    signal?.throwIfAborted();
    await this.startsIn(cwd);
    const options = { command, cwd, stdout: 'pipe', stderr: 'pipe' } as const;
    await using running = await launchAgent(options, { env: registryTokens(process.env), ...(log && { log }) });
    const cancel = () => void running.stop({ graceMs: CANCELLED_GRACE_MS });
    signal?.addEventListener('abort', cancel, { once: true });
    const exit = await running.exited;
    signal?.removeEventListener('abort', cancel);
    await running.stop();
    signal?.throwIfAborted();
    if (exit.code === 0) return;
    throw new AgentReplayError('BASE_NOT_INSTALLED', `agent.install failed at the base: ${endOf(exit)}.`, {
      evidence: [`command: ${command}`, ...running.output.tail(TAIL_LINES)],
      hint: 'Try it in a fresh checkout of that commit, where it runs. If it needs files that git does not track, list them in agent.baseFiles.',
    });
  }

  /** If this run is killed, the next one ends processes in this folder. */
  startsIn(folder: string): Promise<void> {
    return this.#written.own.startsIn(folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#written.own[Symbol.asyncDispose]();
  }
}
const TAIL_LINES = 10;

/** Withheld from agents, but needed for installing. */
const REGISTRY_TOKENS = /^(NPM_TOKEN|NODE_AUTH_TOKEN|NPM_CONFIG_.*_AUTH(TOKEN)?)$/i;

function registryTokens(env: NodeJS.ProcessEnv): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => REGISTRY_TOKENS.test(name)));
}

function endOf({ code, signal }: { code: number | null; signal: string | null }): string {
  return code === null ? `it was ended by ${signal}` : `exit code ${code}`;
}

/** The real path, even of a missing file. */
async function realOf(file: string): Promise<string> {
  return realpath(file).catch(async (error) => {
    const above = path.dirname(file);
    if (error.code !== 'ENOENT' || above === file) throw error;
    return path.join(await realOf(above), path.basename(file));
  });
}
