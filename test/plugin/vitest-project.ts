import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { type Project, type ProjectOptions, pinOf, projectWith } from '../cli/project.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CONFIG = `
import { agentReplay } from 'agent-replay/vitest';
import { defineConfig } from 'vitest/config';
export default defineConfig({ plugins: [agentReplay()] });
`;

interface VitestRun {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Both streams, without colours. */
  readonly output: string;
}

/** Where each major is installed. */
export const VITESTS = {
  4: path.join(ROOT, 'test/plugin/vitest-4/node_modules/vitest'),
  5: path.join(ROOT, 'node_modules/vitest'),
} as const;
export type Major = keyof typeof VITESTS;

export interface VitestProject extends Project {
  /** Runs the real Vitest in it to its end, as in CI. `on` is called with what was printed so far, each time more is. */
  vitest(
    args?: readonly string[],
    on?: (output: string, kill: (signal: NodeJS.Signals) => void) => void,
  ): Promise<VitestRun>;
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
  return { ...project, vitest: (args = [], on) => run(project.path, VITESTS[major], args, on) };
}

async function run(
  cwd: string,
  vitest: string,
  args: readonly string[],
  on: Parameters<VitestProject['vitest']>[1],
): Promise<VitestRun> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [path.join(vitest, 'vitest.mjs'), 'run', ...args], {
    cwd,
    env: { PATH, HOME },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += stripVTControlCharacters(text);
      on?.(output, (signal) => child.kill(signal));
    });
  }
  const [code, signal] = await once(child, 'close');
  return { code, signal, output };
}
