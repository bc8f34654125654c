import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { PATIENCE_MS } from '../patience.ts';
import { command, type Finished, start } from './command.ts';
import { projectWith } from './project.ts';

const env = { NODE_OPTIONS: `--import=${fileURLToPath(new URL('fixtures/no-memory.mjs', import.meta.url))}` };

test.each([
  ['run', ['run']],
  ['doctor', ['doctor', '--set', 'agent.id=support']],
])('fault 133: a defect of our receiver is told as ours by %s, with its stack, and is exit code 2', async (_, args) => {
  await using project = await projectWith({ sessions: { a: 'a', b: 'b' } });
  expectOurs(await command(args, { cwd: project.path, env }));
  expect(project.leftovers()).toEqual([]);
});

test('fault 133: the same of record, which ends then', async () => {
  await using project = await projectWith({});
  const running = start(['record'], { cwd: project.path, env });
  const url = `http://127.0.0.1:${project.port}/replay`;
  const ask = () => fetch(url, { method: 'POST', body: '{"input":"a"}' }).catch(() => undefined);
  await expect.poll(ask, { timeout: PATIENCE_MS }).toBeDefined();
  expectOurs(await running.finished);
  expect(project.leftovers()).toEqual([]);
});

function expectOurs({ code, stdout, stderr }: Finished): void {
  const said = stdout + stderr;
  expect(said).toContain('The trace receiver of agent-replay failed.');
  expect(said).toContain('RangeError: zstd: out of memory');
  expect(said).toMatch(/ at .*lib/);
  expect(said).toContain('This is a defect in agent-replay, and not in the agent');
  // What an agent that exports nothing is told.
  expect(said).not.toMatch(/TRACE_MISSING|exported nothing|nothing was sent/);
  expect(code).toBe(2);
}
