import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../agent/processes.ts';
import { command } from '../cli/command.ts';
import { projectOf } from './recorded.ts';

const lookup = ['lookup', { order: 'A1' }] as const;
const refund = ['refund', { order: 'A1' }] as const;
const NEVER = { '*': { replay: 'recorded' }, refund: { replay: 'never' } } as const;

test.for([
  ['wrapper', 'TOOL_NOT_WRAPPED'],
  ['name', 'TOOL_NOT_WRAPPED'],
  ['address', 'TOOL_NOT_WRAPPED'],
  ['run-id', undefined],
  ['endpoint', undefined],
] as const)('a tool that must not run does not when its %s is lost', async ([lost, expected]) => {
  await using project = await projectOf({ pays: [[lookup], [refund]] }, { tools: NEVER, env: { LOSE: lost } });
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(code).not.toBe(0);
  if (expected !== undefined) expect(stdout).toContain(expected);
  expect((await project.acted()).filter(([name]) => name === 'refund')).toEqual([]);
});

test('a tool that ran without asking stops the run at the probe: one call was sent, exit 2', async () => {
  const sessions = { a: [[lookup]], b: [[lookup], [lookup]] };
  await using project = await projectOf(sessions, { tools: NEVER, env: { LOSE: 'own-copy' } });
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(code).toBe(2);
  expect(stdout).toContain('The tool lookup ran without asking for its recorded result');
  expect((await project.report()).results.problems[0]?.code).toBe('TOOL_NOT_WRAPPED');
  // Of the session that calls most tools.
  expect((await project.acted()).length).toBeLessThanOrEqual(2);
});

test('an agent that wraps its tools in each turn is probed with a turn that does not call what must not run', async () => {
  await using project = await projectOf(
    { reads: [[lookup]], pays: [[lookup], [refund]] },
    { tools: NEVER, env: { LAZY: '1' } },
  );
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(stdout).toContain('2 of 2 sessions reproduced');
  expect(code).toBe(0);
  await using none = await projectOf({ pays: [[lookup], [refund]] }, { tools: NEVER, env: { LAZY: '1' } });
  const refused = await command(['run'], { cwd: none.path });
  expect(refused.code).toBe(2);
  expect(refused.stdout).toContain('The agent has not wrapped refund, which must not run');
  expect(await none.acted()).toEqual([]);
});

test('an agent that is not started needs a fixed address, and recorded tools need traces: said before anything is sent', async () => {
  await using project = await projectOf({ reads: [[lookup]] }, { tools: NEVER });
  const untraced = await command(['run', '--set', 'tracing=none'], { cwd: project.path });
  expect(untraced).toMatchObject({ code: 2, stdout: expect.stringContaining('TOOLS_UNTRACED') });
  const { agent: _, ...config } = JSON.parse(await project.read('agent-replay.config.json'));
  const elsewhere = {
    ...config,
    agent: { url: `http://127.0.0.1:${project.port}/replay` },
    tracing: { receiver: { port: await freePort(), secretKey: 'a key of the receiver' } },
  };
  await writeFile(path.join(project.path, 'elsewhere.json'), JSON.stringify(elsewhere));
  const refused = await command(['run', '--config', 'elsewhere.json'], { cwd: project.path });
  expect(refused).toMatchObject({ code: 2, stdout: expect.stringContaining('TOOLS_UNREACHABLE') });
});
