import { expect, test } from 'vitest';
import { command } from '../cli/command.ts';
import { outcomes } from '../outcomes.ts';
import { projectOf, type Scripted } from './recorded.ts';

const lookup = (order: string, found: string): Scripted => ['lookup', { order }, { did: found }];
const refund: Scripted = ['refund', { order: 'A1' }];
/** They make the same calls, and were given different results. */
const sessions = {
  one: [[lookup('A1', 'of one')], [refund]],
  two: [[lookup('A1', 'of two')], [lookup('A1', 'of two, later')]],
  three: [[lookup('A1', 'of three'), lookup('B2', 'and more')]],
};
const TOOLS = { '*': { replay: 'recorded' }, refund: { mutating: true } } as const;

test.for([['told'], ['untold']] as const)(
  'sessions behind tools-proxy are as recorded from their own recordings, with calls that are %s which replay they are of',
  async ([MCP]) => {
    await using project = await projectOf(sessions, { tools: TOOLS, workers: 4, runs: 3, env: { MCP } });
    const { code, stdout } = await command(['run'], { cwd: project.path });
    expect(stdout).toContain('3 of 3 sessions as recorded');
    expect(stdout).toContain('18 of 18 tool results from the recording');
    expect(code).toBe(0);
    expect(await project.acted()).toEqual([]);
    expect(project.leftovers()).toEqual([]);
  },
);

test('a call that the recording does not hold is the divergence of its own session, told or not', async () => {
  for (const MCP of ['told', 'untold']) {
    await using project = await projectOf(sessions, { tools: TOOLS, env: { MCP, PREFIX: 'x' } });
    const { code, stdout } = await command(['run', '--verbose'], { cwd: project.path });
    expect(code).toBe(1);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('The recording does not hold this call');
    expect((await project.report()).results.sessions.map(({ verdict }) => verdict)).toEqual(
      Array(3).fill(outcomes.changed),
    );
    expect(await project.acted()).toEqual([]);
  }
});

test('an id that a live tool behind the proxy generates is the recorded one in the arguments of recorded tools', async () => {
  const ids: Scripted[][] = [
    [
      ['create', { what: 'a' }],
      ['create', { what: 'b' }],
    ],
    [['refund', { of: '{1}' }]],
  ];
  await using project = await projectOf(
    { ids },
    { tools: { ...TOOLS, create: { replay: 'live' } }, env: { MCP: 'untold' } },
  );
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(stdout).toContain('1 of 1 session as recorded');
  expect(code).toBe(0);
  expect(new Set((await project.acted()).map(([name]) => name))).toEqual(new Set(['create']));
});
