import { cp, mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { CANCELLED_GRACE_MS, type Environment, launchAgent, type OutputLog, REGISTRY_TOKENS } from '../agent/index.ts';
import { AgentReplayError } from '../errors.ts';
import { findCommit } from './find-commit.ts';
import { checkoutFolder } from './folder.ts';
import { askGit, GitError, git } from './git.ts';

/**
 * Checks a commit out beside the working tree. The folder has no `.git`, so that nothing installed or started there can
 * read a token from the repository's configuration or write to the repository.
 * @param options.folder of the repository
 * @throws AgentReplayError `BASE_NOT_FOUND`; the reason of an aborted `signal`
 */
export async function checkOut(
  ref: string,
  { folder, signal }: { readonly folder: string; readonly signal?: AbortSignal },
) {
  const cwd = await realpath(folder);
  const [top, gitDir] = await repositoryAt(cwd, signal);
  const commit = await findCommit(ref, { cwd, signal });
  const isSame = await isCheckedOut(commit, { cwd: top, signal });
  const own = await checkoutFolder();
  const tree = path.join(own.path, 'tree');
  try {
    await mkdir(tree);
    if (!isSame) await writeTree(commit, { gitDir, tree, index: path.join(own.path, 'index'), signal });
  } catch (error) {
    await own[Symbol.asyncDispose]();
    throw error;
  }
  /** The place of a repository's folder or file in the checkout. */
  const place = async (file: string): Promise<string> => {
    const inside = path.relative(top, await realOf(file));
    if (!/^\.\.(?:[\\/]|$)/.test(inside) && !path.isAbsolute(inside)) return path.join(tree, inside);
    throw new AgentReplayError('CONFIG_INVALID', 'The base needs files outside the repository.', {
      evidence: [`repository: ${top}`, `outside: ${file}`],
      hint: 'Keep the configuration, the agent and agent.baseFiles in the repository of the base.',
    });
  };
  return {
    commit,
    /** It is checked out in the working tree, without changes. */
    isSame,
    place,
    /** Copies files from the working tree, if they exist there. */
    copy: async (files: readonly string[]): Promise<void> => {
      for (const file of files) {
        const to = await place(file);
        signal?.throwIfAborted();
        await cp(file, to, { recursive: true, force: true, verbatimSymlinks: true }).catch((error) => {
          if (error.code !== 'ENOENT') throw error;
        });
      }
    },
    /**
     * Folders for working files, which no agent of the working tree has. Caches stay shared, since some hold what was
     * installed, and so does the home folder, with the keys of the user.
     */
    folders: async (): Promise<Record<string, string>> => {
      const [temporary, state] = [path.join(own.path, 'tmp'), path.join(own.path, 'state')];
      for (const each of [temporary, state]) await mkdir(each, { recursive: true, mode: 0o700 });
      return { TMPDIR: temporary, TMP: temporary, TEMP: temporary, XDG_STATE_HOME: state };
    },
    /**
     * Runs a shell command in a folder of the checkout.
     * @throws AgentReplayError `BASE_NOT_INSTALLED`; the reason of an aborted `signal`
     */
    install: async (
      command: string,
      { cwd, log }: { readonly cwd: string; readonly log?: OutputLog },
    ): Promise<void> => {
      signal?.throwIfAborted();
      await own.startsIn(cwd);
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
    },
    /** If this run is killed, the next one ends processes in this folder. */
    startsIn: own.startsIn,
    [Symbol.asyncDispose]: own[Symbol.asyncDispose],
  };
}

/** A commit beside the working tree. Disposing of it removes the folder. */
export type Checkout = Awaited<ReturnType<typeof checkOut>>;

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

const TAIL_LINES = 10;

/** Withheld from agents, but needed for installing. */
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
