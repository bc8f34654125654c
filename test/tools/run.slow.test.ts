import { expect, test } from 'vitest';
import { command } from '../cli/command.ts';
import { outcomes } from '../outcomes.ts';
import { projectOf } from './recorded.ts';

const lookup = ['lookup', { order: 'A1' }] as const;
const refund = ['refund', { order: 'A1' }] as const;
const TOOLS = { '*': { replay: 'recorded' }, refund: { mutating: true } } as const;

test('without the configuration the agent has no endpoint for tools, and they run', async () => {
  await using project = await projectOf({ plain: [[lookup]] }, { env: { DRIFT: 'another ' } });
  const { code } = await command(['run'], { cwd: project.path });
  expect(code).toBe(1);
  expect(await project.acted()).toHaveLength(2);
  const { results, evidence } = await project.report();
  expect(results.sessions[0]?.turns[0]?.comparison.divergence?.cause.kind).not.toBe('agent');
  expect(evidence.runs.every(({ tools }) => tools === undefined)).toBe(true);
});

test('--tools recorded is the short form for all tools, and leaves what is said of some', async () => {
  await using project = await projectOf({ pays: [[lookup], [refund]] }, { tools: { refund: { mutating: true } } });
  const { code, stdout } = await command(['run', '--tools', 'recorded'], { cwd: project.path });
  expect(stdout).toContain('1 of 1 session as recorded');
  expect(code).toBe(0);
  expect(await project.acted()).toEqual([]);
});

test('a call that the recording does not hold is the divergence, at its step, whatever the agent answers then', async () => {
  const ways: Record<string, string>[] = [{ PREFIX: 'x' }, { PREFIX: 'x', FAILS: '1' }];
  for (const env of ways) {
    await using project = await projectOf({ pays: [[lookup], [refund]] }, { tools: TOOLS, env });
    const { code, stdout } = await command(['run', '--verbose'], { cwd: project.path });
    expect(code).toBe(1);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('The recording does not hold this call');
    expect(stdout).toContain('lookup.text: none → x in 2 of 2 runs');
    expect(await project.acted()).toEqual([]);
    const [session] = (await project.report()).results.sessions;
    expect(session).toMatchObject({ verdict: outcomes.changed, problems: [] });
    const { divergence } = session?.turns[0]?.comparison ?? {};
    expect(divergence).toMatchObject({
      others: [],
      missed: { name: 'lookup', nearest: { step: 1, args: { order: 'A1' } } },
    });
  }
});

test('under the gate shift, too, a call that the recording does not hold is told by what it is, not by how its replay ended', async () => {
  const shift = { tools: TOOLS, env: { PREFIX: 'x' }, gate: 'shift', runs: 5, recordings: 5 } as const;
  await using project = await projectOf({ pays: [[lookup], [refund]] }, shift);
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(code).toBe(1);
  expect(stdout).toMatch(/✘ pays.*lookup\.text: none → x/);
  const { results } = await project.report();
  const fails = results.sessions[0]?.turns[0]?.events?.filter((event) => event.fails);
  expect(fails?.map(({ kind }) => kind)).toEqual(['never', 'end']);
});

test('tools.onMiss: live goes on with the tool itself, but for one that must not run; error goes on with an error', async () => {
  const other = { PREFIX: 'x' };
  const sessions = { pays: [[lookup], [refund]] };
  await using live = await projectOf(sessions, { runs: 1, tools: { ...TOOLS, onMiss: 'live' }, env: other });
  expect((await command(['run'], { cwd: live.path })).code).toBe(1);
  expect((await live.acted()).map(([name]) => name)).toEqual(['lookup', 'lookup']);
  await using error = await projectOf(sessions, { runs: 1, tools: { ...TOOLS, onMiss: 'error' }, env: other });
  expect((await command(['run'], { cwd: error.path })).code).toBe(1);
  expect(await error.acted()).toEqual([]);
  const { evidence } = await error.report();
  expect(evidence.runs[0]?.tools).toEqual({ recorded: 0, live: 0, missed: 2 });
});

test('an id that a live tool generates is the recorded one in the arguments of recorded tools', async () => {
  const sessions = {
    two: [
      [['create', { what: 'a' }] as const, ['create', { what: 'b' }] as const],
      [['refund', { of: '{1}' }] as const],
    ],
  };
  await using project = await projectOf(sessions, { tools: { ...TOOLS, create: { replay: 'live' } } });
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(stdout).toContain('1 of 1 session as recorded');
  expect(code).toBe(0);
  expect(new Set((await project.acted()).map(([name]) => name))).toEqual(new Set(['create']));
});
