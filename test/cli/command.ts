import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFailed } from 'vitest';

export const BIN = fileURLToPath(new URL('../../bin/agent-replay.js', import.meta.url));
/** A cache of compiled code, so that Node does not compile the command hundreds of times. */
export const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves with the match once the output matches; rejects when the command ends before. */
  printed(pattern: RegExp, stream?: 'stdout' | 'stderr'): Promise<RegExpExecArray>;
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
  const printed = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      printed[stream] += text;
      for (const watch of watchers) watch();
    });
  }
  const finished = once(child, 'close').then(([code, signal]) => ({ code, signal, ...printed }));
  printIfTestFails(() => [`agent-replay ${args.join(' ')}`, `exit code ${child.exitCode}`, ...Object.values(printed)]);
  return {
    child,
    finished,
    printed: async (pattern, stream = 'stderr') => {
      const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
      const watch = () => {
        const match = pattern.exec(printed[stream]);
        if (match !== null) resolve(match);
      };
      watchers.add(watch);
      watch();
      void finished.then(() => reject(new Error(`${pattern} was not printed:\n${printed[stream]}`)));
      return promise.finally(() => watchers.delete(watch));
    },
  };
}

/** A failed expectation shows one value; why the command ended so stands in what it printed. */
function printIfTestFails(lines: () => readonly string[]): void {
  try {
    onTestFailed(() => console.error(lines().join('\n').slice(0, 8000)));
  } catch {
    // Started by a hook, outside of any test.
  }
}

/** Runs the real command to its end. */
export function command(args: readonly string[], options: CommandOptions): Promise<Finished> {
  return start(args, options).finished;
}

/** The address that `ui` prints, once it does. */
export async function printedUrl({ printed }: Running): Promise<URL> {
  const [, url = ''] = await printed(/Reproducibility page: (\S+)\n/, 'stdout');
  return new URL(url);
}
