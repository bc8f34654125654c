import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/agent-replay.js', import.meta.url));
/** What Node compiled of the command once need not be compiled hundreds of times. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves when stderr has matched; rejects when the command ends before. */
  printed(pattern: RegExp): Promise<void>;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the real command as a process, without a terminal and without the environment of CI. */
export function start(args: readonly string[], { cwd, env = {} }: CommandOptions): Running {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE: COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    for (const watch of watchers) watch();
  });
  const finished = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout, stderr }));
  return {
    child,
    finished,
    printed: async (pattern) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const watch = () => pattern.test(stderr) && resolve();
      watchers.add(watch);
      watch();
      void finished.then(() => reject(new Error(`${pattern} was not printed:\n${stderr}`)));
      await promise.finally(() => watchers.delete(watch));
    },
  };
}

/** Runs the real command to its end. */
export function command(args: readonly string[], options: CommandOptions): Promise<Finished> {
  return start(args, options).finished;
}
