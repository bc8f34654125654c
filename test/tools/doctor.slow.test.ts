import { expect, test } from 'vitest';
import { command } from '../cli/command.ts';
import { projectOf } from './recorded.ts';

const lookup = ['lookup', { order: 'A1' }] as const;
const refund = ['refund', { order: 'A1' }] as const;
const NEVER = { '*': { replay: 'recorded' }, refund: { replay: 'never' } } as const;
const asked = ['--question', JSON.stringify([[lookup], [refund]]), '--question', JSON.stringify([[lookup]])];

test('doctor names the tools that are wrapped, and those that are not and must not run; none of these runs', async () => {
  for (const [lost, state] of [
    [undefined, 'pass'],
    ['wrapper', 'fail'],
  ] as const) {
    const env: Record<string, string> = lost === undefined ? {} : { LOSE: lost };
    await using project = await projectOf({ pays: [[lookup], [refund]] }, { tools: NEVER, env });
    const { stdout } = await command(['doctor', '--json', ...asked], { cwd: project.path });
    const { agents } = JSON.parse(stdout) as { agents: { rules: { rule: string; state: string; seen: string[] }[] }[] };
    const rule = agents[0]?.rules.find(({ rule: id }) => id === 'tools-wrapped');
    expect(rule?.state).toBe(state);
    expect(rule?.seen[0]).toContain(lost === undefined ? 'create, lookup, refund' : 'create, lookup');
    if (lost === undefined) expect((await project.acted()).map(([name]) => name)).not.toContain('refund');
    else expect(rule?.seen).toContain('not wrapped: refund, which must not run');
  }
});

test('without the configuration doctor says that tools are live', async () => {
  await using project = await projectOf({ reads: [[lookup]] }, {});
  const { stdout } = await command(['doctor', '--json', ...asked], { cwd: project.path });
  expect(stdout).toContain('`tools` is not set, so all tools are live');
});
