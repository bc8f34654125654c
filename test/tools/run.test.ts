import { expect, test } from 'vitest';
import { command } from '../cli/command.ts';
import { projectOf } from './recorded.ts';

const lookup = ['lookup', { order: 'A1' }] as const;
const refund = ['refund', { order: 'A1' }] as const;
const TOOLS = { '*': { replay: 'recorded' }, refund: { mutating: true } } as const;

test('with recorded tools no tool runs, the world may have changed, and the report says where results came from', async () => {
  const sessions = {
    plain: [[lookup]],
    pays: [[lookup], [refund]],
    fails: [[['lookup', { fails: 'stock' }, { error: 'no stock' }] as const]],
  };
  await using project = await projectOf(sessions, { tools: TOOLS, env: { DRIFT: 'another ' } });
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(stdout).toContain('3 of 3 sessions as recorded');
  expect(code).toBe(0);
  expect(await project.acted()).toEqual([]);
  expect(stdout).toContain('8 of 8 tool results from the recording');
  const { evidence } = await project.report();
  expect(evidence.runs.map(({ tools }) => tools?.recorded)).toEqual([1, 1, 2, 2, 1, 1]);
  expect(project.leftovers()).toEqual([]);
});

test('results are recorded where a session says so of its own, and nowhere else; what must not run never does', async () => {
  const sessions = { live: [[lookup]], stood: [[lookup], [refund]] };
  const overrides = [{ sessions: 'replays/stood*', tools: 'recorded' as const }];
  await using project = await projectOf(sessions, { tools: { refund: { mutating: true } }, overrides });
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(stdout).toContain('2 of 2 sessions as recorded');
  expect(code).toBe(0);
  expect((await project.acted()).map(([tool]) => tool)).toEqual(['lookup', 'lookup']);
  const { evidence } = await project.report();
  expect(evidence.runs.map(({ session, tools }) => [session, tools?.recorded, tools?.live])).toEqual([
    ['live', 0, 1],
    ['live', 0, 1],
    ['stood', 2, 0],
    ['stood', 2, 0],
  ]);
});

test('fault 131: who knows the id of one replay can ask for nothing in the name of another', async () => {
  const sessions = { a: [[lookup], [refund]], b: [[lookup]] };
  await using project = await projectOf(sessions, { tools: TOOLS, workers: 1, env: { STEALS: '1' } });
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(stdout).toContain('2 of 2 sessions as recorded');
  expect(code).toBe(0);
});
