import { execFile } from 'node:child_process';
import { mkdir, symlink, unlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { test } from 'vitest';
import { outcomes } from '../outcomes.ts';
import { vitestProject } from './vitest-project.ts';

const TYPED = `
import { type RawReplay, session, withReplay } from 'agent-replay/vitest';
import { test as base, expect, inject } from 'vitest';

const test = base.extend(withReplay);

test('typed', async ({ replay }) => {
  const raw: RawReplay = await replay('one', { turn: 1, runs: 3 });
  const verdict: ${Object.values(outcomes)
    .map((each) => `'${each}'`)
    .join(' | ')} = raw.result.verdict;
  // @ts-expect-error: no such option
  await replay('one', { run: 3 });
  await expect(session('one', { turn: 1 })).toReproduce({ runs: 5, strictness: 'behaviour' });
  await expect(session('one')).not.toAgree();
  const [trace] = await session('one').replay();
  expect(trace).toHaveCalledTool('lookup', expect.objectContaining({ text: 'a' }));
  expect(trace).toMatchTrajectory(['lookup', { name: 'refund', args: expect.anything() }], { mode: 'superset' });
  const url: string | undefined = inject('agentReplay').agents[0]?.url;
  // @ts-expect-error: no such strictness
  await expect(session('one')).toReproduce({ strictness: 'loose' });
  // @ts-expect-error: no such mode
  expect(trace).toMatchTrajectory([], { mode: 'any' });
  // @ts-expect-error: no such address
  inject('agentReplay').other;
  return void [url, verdict];
});
`;
const TSCONFIG = JSON.stringify({
  compilerOptions: {
    module: 'nodenext',
    target: 'es2024',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    preserveSymlinks: true,
  },
  include: ['*.ts'],
});
const OPTIONS = `
import { agentReplay } from 'agent-replay/vitest';
agentReplay({ config: 'a.ts', outputDir: false, runs: 2, compare: { strictness: 'exact' } });
// @ts-expect-error: no such setting
agentReplay({ rnus: 2 });
`;
const ROOT = path.join(import.meta.dirname, '../..');

test.for([4, 5] as const)(
  'matchers, sessions, fixtures, options and addresses are typed with Vitest %i',
  async (major, { expect }) => {
    const files = { 'own.test.ts': TYPED, 'options.ts': OPTIONS, 'tsconfig.json': TSCONFIG };
    await using project = await vitestProject({ files }, major);
    await installAsRegistriesDo(path.join(project.path, 'node_modules'));
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', project.path]).catch((error) => error);
    expect(stdout).toBe('');
  },
);

/** The package beside the project's own Vitest and not above that of this repository, and what they depend on. */
async function installAsRegistriesDo(modules: string): Promise<void> {
  const own = path.join(modules, 'agent-replay');
  await unlink(own);
  await mkdir(own);
  for (const name of ['lib', 'package.json']) await symlink(path.join(ROOT, name), path.join(own, name));
  for (const name of ['@types', '@vitest', 'vite', 'zod']) {
    await symlink(path.join(ROOT, 'node_modules', name), path.join(modules, name));
  }
}
