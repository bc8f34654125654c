import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface GitOptions {
  readonly cwd: string;
  readonly signal?: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
}

export class GitError extends Error {
  override readonly name = 'GitError';
  /** The last lines that git printed. */
  readonly said: readonly string[];

  constructor(args: readonly string[], said: readonly string[], cause: unknown) {
    super(`git ${args.find((arg) => !arg.startsWith('-'))} failed`, { cause });
    this.said = said;
  }
}

const MAX_LINES = 8;
const MAX_OUTPUT_BYTES = 16 * 1024 ** 2;
/** Nobody can answer prompts, and messages are parsed. */
const QUIET = { GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };

/** @throws GitError if git fails; the reason of an aborted `signal` */
export async function git(args: readonly string[], { cwd, signal, env }: GitOptions): Promise<string> {
  signal?.throwIfAborted();
  try {
    const { stdout } = await promisify(execFile)('git', [...args], {
      cwd,
      env: { ...process.env, ...QUIET, ...env },
      maxBuffer: MAX_OUTPUT_BYTES,
      windowsHide: true,
      ...(signal && { signal }),
    });
    return stdout.trim();
  } catch (error) {
    signal?.throwIfAborted();
    const { stderr = '', message } = error as Error & { stderr?: string };
    const lines = (stderr || message).split('\n').filter((line) => line.trim() !== '');
    throw new GitError(args, lines.slice(-MAX_LINES), error);
  }
}

/** The same, but undefined if git fails. */
export async function askGit(args: readonly string[], options: GitOptions): Promise<string | undefined> {
  try {
    return (await git(args, options)) || undefined;
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}
