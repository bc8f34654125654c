import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../agent/processes.ts';
import { command } from '../cli/command.ts';
import { outcomes } from '../outcomes.ts';
import { IN_VAIN_MS } from '../patience.ts';
import { wholeMessage } from '../whole-message.ts';
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
  expect((await project.report()).results.problems.map(wholeMessage).join('\n')).toMatchInlineSnapshot(`
    "The tool lookup ran without asking for its recorded result. (TOOL_NOT_WRAPPED)
      spans of lookup in the trace: 1
      asked for: 0
      -> Wrap it under this name with replayTools where the agent's modules are loaded (docs/tools.md), or set tools.lookup.replay to live. In Python: Wrap it under this name with replay_tool where the agent's modules are loaded (docs/tools.md), or set tools.lookup.replay to live."
  `);
  // Of the session that calls most tools.
  expect((await project.acted()).length).toBeLessThanOrEqual(2);
});

test.for([
  ['Python', 'requirements.txt', 'flask\n', 'replay_tool', 'replayTools'],
  ['TypeScript', 'package.json', '{"name":"shop"}', 'replayTools', 'replay_tool'],
] as const)('the next move for an agent in %s is in its own words', async ([, file, text, says, omits]) => {
  await using project = await projectOf({ a: [[lookup]] }, { tools: NEVER, env: { LOSE: 'own-copy' } });
  await writeFile(path.join(project.path, file), text);
  await command(['run'], { cwd: project.path });
  const [problem] = (await project.report()).results.problems;
  expect(problem?.hint).toContain(says);
  expect(problem?.hint).not.toContain(omits);
});

test('an agent that wraps its tools in each turn is probed with a turn that does not call what must not run', async () => {
  await using project = await projectOf(
    { reads: [[lookup]], pays: [[lookup], [refund]] },
    { tools: NEVER, env: { LAZY: '1' } },
  );
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(stdout).toContain('2 of 2 sessions as recorded');
  expect(code).toBe(0);
  await using none = await projectOf({ pays: [[lookup], [refund]] }, { tools: NEVER, env: { LAZY: '1' } });
  const refused = await command(['run'], { cwd: none.path });
  expect(refused.code).toBe(2);
  expect((await none.report()).results.problems.map(wholeMessage).join('\n')).toMatchInlineSnapshot(`
    "The agent has not wrapped refund, which must not run. (TOOL_NOT_WRAPPED)
      tools.refund.replay: never
      -> Wrap it under this name with replayTools where the agent's modules are loaded (docs/tools.md), or set tools.refund.replay to live. In Python: Wrap it under this name with replay_tool where the agent's modules are loaded (docs/tools.md), or set tools.refund.replay to live."
  `);
  expect(await none.acted()).toEqual([]);
});

const OF_LOOKUP = { overrides: [{ sessions: 'replays/a.session.json', tools: 'recorded' as const }] };

test.for<[string, Parameters<typeof projectOf>[1], string, number]>([
  ['endpoint', { tools: 'recorded' }, 'TOOLS_UNREACHABLE', 0],
  ['own-copy', { tools: 'recorded' }, 'TOOL_NOT_WRAPPED', 0],
  ['own-copy', { tools: 'live', ...OF_LOOKUP }, 'TOOL_NOT_WRAPPED', 2],
])(
  'fault 146: without its %s, a tool is told by its name, and only sessions that need it could not tell: %j',
  async ([lost, settings, expected, live]) => {
    const other = lost === 'endpoint' ? [] : [[['create', { order: 'A1' }] as const]];
    await using project = await projectOf({ a: [[lookup]], other }, { ...settings, env: { LOSE: lost } });
    const { code } = await command(['run'], { cwd: project.path });
    expect(code).toBe(2);
    const { results } = await project.report();
    expect(results.problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringContaining(`${expected} The tool lookup`),
    ]);
    expect(results.sessions.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['a', 'could-not-tell'],
      ['other', 'as-recorded'],
    ]);
    expect((await project.acted()).filter(([name]) => name === 'create')).toHaveLength(live);
  },
);

test('fault 146: a tool that no recording calls and that cannot ask is told by its name, in the sessions whose agents call it', async () => {
  const sessions = { a: [[lookup]], other: [] };
  await using project = await projectOf(sessions, { tools: 'recorded', env: { LOSE: 'endpoint' } });
  const pin = JSON.parse(await project.read('replays/a.session.json'));
  const { recorded } = pin.turns[0];
  recorded.observations = recorded.observations.filter(({ type }: { type: string }) => type !== 'tool');
  await writeFile(path.join(project.path, 'replays/a.session.json'), JSON.stringify(pin));
  expect((await command(['run'], { cwd: project.path })).code).toBe(2);
  const { results } = await project.report();
  expect(JSON.stringify(results)).toContain('The tool lookup could not ask for its recorded result');
  expect(results.sessions.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['a', outcomes.couldNotTell],
    ['other', outcomes.asRecorded],
  ]);
});

test('a probe that fails for its own session is told there, and the others are replayed', async () => {
  const sessions = { breaks: [[lookup], [['create', { order: 'B2' }] as const]], works: [[lookup]] };
  await using project = await projectOf(sessions, { tools: NEVER, env: { BREAKS: 'B2' } });
  const args = ['run', '--set', `timeouts.trace=${IN_VAIN_MS}`];
  expect((await command(args, { cwd: project.path })).code).toBe(2);
  const { results } = await project.report();
  expect(results.problems).toEqual([]);
  expect(results.sessions.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['breaks', outcomes.couldNotTell],
    ['works', outcomes.asRecorded],
  ]);
});

test('an agent that is not started needs a fixed address, and recorded tools need traces: said before anything is sent', async () => {
  await using project = await projectOf({ reads: [[lookup]] }, { tools: NEVER });
  const untraced = await command(['run', '--set', 'tracing=none'], { cwd: project.path });
  expect(untraced.code).toBe(2);
  const told = async () => (await project.report()).results.problems.map(wholeMessage).join('\n');
  expect(await told()).toMatchInlineSnapshot(`
    "Without traces, agent-replay cannot tell whether a tool ran that must not run. (TOOLS_UNTRACED)
      tracing: none
      -> Set tracing: embedded or platform, or tools: live."
  `);
  const { agent: _, ...config } = JSON.parse(await project.read('agent-replay.config.json'));
  const elsewhere = {
    ...config,
    agent: { url: `http://127.0.0.1:${project.port}/replay` },
    tracing: { receiver: { port: await freePort(), secretKey: 'a key of the receiver' } },
  };
  await writeFile(path.join(project.path, 'elsewhere.json'), JSON.stringify(elsewhere));
  const refused = await command(['run', '--config', 'elsewhere.json'], { cwd: project.path });
  expect(refused.code).toBe(2);
  expect(await told()).toMatchInlineSnapshot(`
    "The agent is not started by agent-replay, so its tools cannot know where recorded results are. (TOOLS_UNREACHABLE)
      not set: AGENT_REPLAY_TOOLS_URL, AGENT_REPLAY_TOOLS_TOKEN
      -> Set both, to the same values for the agent and for agent-replay, as in AGENT_REPLAY_TOOLS_URL=http://127.0.0.1:<port>/tools; or set agent.command."
  `);
});
