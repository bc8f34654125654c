import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { COMPILED } from '../cli/command.ts';
import { type Project, type ProjectOptions, pinOf, projectWith } from '../cli/project.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CONFIG = `
import { agentReplay } from 'agent-replay/vitest';
import { defineConfig } from 'vitest/config';
export default defineConfig({ plugins: [agentReplay()], test: { testTimeout: 600_000, hookTimeout: 600_000 } });
`;

interface VitestRun {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  /** Both streams, without colours. */
  readonly output: string;
}

/** Where each major is installed. */
const VITESTS = {
  4: path.join(ROOT, 'test/plugin/vitest-4/node_modules/vitest'),
  5: path.join(ROOT, 'node_modules/vitest'),
} as const;
export type Major = keyof typeof VITESTS;

/**
 * Set in `npm run test:soak`: runs Vitest once in each folder before the test, so that the test starts from Vitest's
 * cache of modules, too.
 */
const IS_SECOND_START = process.env.SECOND_START === '1';

/** Vitest in watch mode. Disposing of it kills it. */
interface Watching extends AsyncDisposable {
  /** Waits for text printed since the last match. @returns everything before the end of the match */
  until(pattern: RegExp): Promise<string>;
  kill(signal: NodeJS.Signals): Promise<VitestRun>;
}

export interface VitestProject extends Project {
  /** Runs the real Vitest in it to its end, as in CI. `on` is called with what was printed so far, each time more is. */
  vitest(
    args?: readonly string[],
    options?: {
      on?: (output: string, kill: (signal: NodeJS.Signals) => void) => void;
      env?: Readonly<Record<string, string>>;
    },
  ): Promise<VitestRun>;
  watch(args?: readonly string[]): Watching;
}

/** A project that has this package and Vitest installed, and the plugin in its vitest.config.ts. */
export async function vitestProject(
  { sessions = {}, files = {}, ...rest }: ProjectOptions,
  major: Major = 5,
): Promise<VitestProject> {
  const pins = Object.entries(sessions).map(([id, inputs]) => [
    `replays/${id}.session.json`,
    JSON.stringify(pinOf(id, [inputs].flat()), null, 2),
  ]);
  const project = await projectWith({
    ...rest,
    files: { 'package.json': '{"type":"module"}', 'vitest.config.ts': CONFIG, ...Object.fromEntries(pins), ...files },
  });
  const modules = path.join(project.path, 'node_modules');
  await mkdir(modules);
  await symlink(ROOT, path.join(modules, 'agent-replay'));
  await symlink(VITESTS[major], path.join(modules, 'vitest'));
  if (IS_SECOND_START) await new VitestProcess(project.path, major, ['run']).ended;
  return {
    ...project,
    vitest: (args = [], { on, env } = {}) => {
      const vitest = new VitestProcess(project.path, major, ['run', ...args], env);
      vitest.on = (output) => on?.(output, (signal) => vitest.kill(signal));
      return vitest.ended;
    },
    watch: (args = []) => new VitestProcess(project.path, major, ['--watch', ...args]),
  };
}

/** Vitest, once, in any folder that has it installed. */
export function runIn(folder: string): Promise<VitestRun> {
  return new VitestProcess(folder, 5, ['run', '--reporter=verbose']).ended;
}

/** Vitest in watch mode in any folder that has it installed. */
export function watchIn(folder: string): Watching {
  return new VitestProcess(folder, 5, ['--watch', '--reporter=verbose']);
}

class VitestProcess implements Watching {
  readonly #child;
  readonly ended: Promise<VitestRun>;
  on: ((output: string) => void) | undefined;
  #output = '';
  #seen = 0;

  constructor(cwd: string, major: Major, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, [path.join(VITESTS[major], 'vitest.mjs'), ...args], {
      cwd,
      env: { PATH, HOME, NODE_COMPILE_CACHE: COMPILED, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    let stdout = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        if (stream === child.stdout) stdout += stripVTControlCharacters(text);
        this.#output += stripVTControlCharacters(text);
        this.on?.(this.#output);
      });
    }
    this.ended = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout, output: this.#output }));
  }

  async until(pattern: RegExp): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const look = () => {
      const text = this.#output.slice(this.#seen);
      const match = pattern.exec(text);
      if (match === null) return;
      this.#seen += match.index + match[0].length;
      resolve(text.slice(0, match.index + match[0].length));
    };
    this.on = look;
    void this.ended.then(() => reject(new Error(`${pattern} never came: ${this.#output.slice(this.#seen)}`)));
    look();
    return promise.finally(() => {
      this.on = undefined;
    });
  }

  kill(signal: NodeJS.Signals): Promise<VitestRun> {
    this.#child.kill(signal);
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGKILL');
  }
}
