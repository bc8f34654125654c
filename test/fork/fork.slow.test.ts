import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../examples/model-server/server.ts';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';

const EXAMPLE = path.join(import.meta.dirname, '../../examples/support-agent');
const PIN = 'replays/small-refund.session.json';

let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer();
});
afterAll(() => model.close());

/** The example agent with one pin and a model that is elsewhere. */
async function project({ env = {}, config = {} }: { env?: object; config?: object } = {}) {
  // One recording of an agent at a temperature: what it did the other times is no excuse.
  const { turns, ...pin } = JSON.parse(await readFile(path.join(EXAMPLE, 'live/small-refund.session.json'), 'utf8'));
  const alone = turns.map(({ baselines: _, ...turn }: { baselines: unknown }) => turn);
  const folder = await folderWith({
    [PIN]: JSON.stringify({ ...pin, turns: alone }),
    'agent-replay.config.json': JSON.stringify({
      agent: {
        command: `"${process.execPath}" "${path.join(EXAMPLE, 'server.ts')}"`,
        url: 'http://127.0.0.1:{port}/replay',
        env: { MODEL_BASE_URL: model.url, TEMPERATURE: '1', ...env },
      },
      runs: 6,
      gate: 'every-run',
      fork: { baseUrls: ['MODEL_BASE_URL'] },
      ...config,
    }),
  });
  const call = (...args: string[]) => command(args, { cwd: folder.path });
  return { ...folder, call };
}

test('the model is asked again for the step at which a run diverged', async () => {
  await using folder = await project();
  const { call } = folder;
  expect(await call('run', '--reporter', 'json')).toMatchObject({ code: 1 });
  const forked = await call('fork', 'small-refund', '--runs', '8', '--json');
  expect(forked).toMatchObject({ code: 0 });
  const { of, asRecorded, interval, instead, answered, without, ...fork } = JSON.parse(forked.stdout);
  expect(fork).toMatchObject({
    session: 'small-refund',
    turn: 1,
    recorded: expect.stringContaining('calls '),
  });
  expect({ of, without, answered: answered > 0 }).toEqual({ of: 8, without: [], answered: true });
  const others = instead.reduce((sum: number, { runs }: { runs: number }) => sum + runs, 0);
  expect(asRecorded + others).toBe(8);
  expect([asRecorded / 8 >= interval[0], asRecorded / 8 <= interval[1]]).toEqual([true, true]);
});

test('a model that always does as recorded is not the cause', async () => {
  await using folder = await project({ env: { TEMPERATURE: '0' } });
  const forked = await folder.call('fork', PIN, '--turn', '1', '--step', '1', '--runs', '4');
  expect(forked).toMatchObject({ code: 0 });
  expect(forked.stdout).toMatchInlineSnapshot(`
    "small-refund, turn 1, step 1: 0 requests answered from the recording, then the model asked

      calls lookup_order, as recorded  4 of 4    100 %

    Not the model, as far as 4 calls can tell: as recorded in 4 of 4 calls with the recorded context, 95 %: 51 to 100 %.
    "
  `);
});

test('an edited prompt is no recorded context: nothing is measured, and why is said', async () => {
  await using folder = await project({ env: { SYSTEM_PROMPT_FILE: path.join(EXAMPLE, 'prompts/system-v2.md') } });
  const forked = await folder.call('fork', 'small-refund', '--step', '3', '--runs', '2');
  expect(forked).toMatchObject({ code: 2 });
  expect(forked.stdout).toMatchInlineSnapshot(`
    "small-refund, turn 1, step 3: 1 request answered from the recording, then the model asked

    run 1 says nothing of the step: the recording does not hold a request before the step: its system prompt differs
    run 2 says nothing of the step: the recording does not hold a request before the step: its system prompt differs
    Not measured: no replay asked the model for this step with the recorded context.
    "
  `);
});

test('an agent whose model cannot be told is said to be one, with the variables that were tried', async () => {
  await using folder = await project({ config: { fork: {} } });
  const forked = await folder.call('fork', 'small-refund', '--step', '1', '--runs', '1');
  expect(forked).toMatchObject({ code: 2 });
  expect(forked.stderr).toMatchInlineSnapshot(`
    "error: No request of the agent to its model was seen. (MODEL_UNSEEN)
      replays: 1
      variables: OPENAI_BASE_URL, ANTHROPIC_BASE_URL
      -> Let its client take the address of the model from one of these variables, or name yours in fork.baseUrls; Gemini and Bedrock cannot be answered for.
    "
  `);
});

test('a step that is none, a result and a session that is not there are refused before anything starts', async () => {
  await using folder = await project();
  const said = async (...args: string[]) => (await folder.call('fork', ...args)).stderr;
  expect(await said('small-refund')).toMatchInlineSnapshot(`
    "error: It is not clear which step to ask the model for. (USAGE)
      the last run in .agent-replay names no step at which runs of small-refund part
      -> Give --turn and --step, as reports number the steps of the recording.
    "
  `);
  expect(await said('small-refund', '--step', '99')).toMatchInlineSnapshot(`
    "error: Step 99 of turn 1 is not decided by a model. (USAGE)
      step 1: call lookup_order
      step 2: result lookup_order
      step 3: call check_refund_policy
      step 4: result check_refund_policy
      step 5: call get_customer
      step 6: result get_customer
      step 7: call refund_order
      step 8: result refund_order
      step 9: final
      -> Steps that are: 1, 3, 5, 7, 9.
    "
  `);
  expect(await said('small-refund', '--step', '2')).toContain('Step 2 of turn 1 is not decided by a model. (USAGE)');
  expect(await said('other')).toContain('There is no pinned session "other". (NO_SESSIONS)');
  expect(await said('other', '--step', '1')).toMatchInlineSnapshot(`
    "error: There is no pinned session "other". (NO_SESSIONS)
      there is: small-refund
      -> Give the id of a session, the path of its pin, or the name of that file.
    "
  `);
  expect(await said('small-refund', '--turn', '7', '--step', '1')).toMatchInlineSnapshot(`
    "error: Session "small-refund" has no turn 7 that can be replayed. (USAGE)
      there are: 1
      -> Correct --turn.
    "
  `);
});

test('an agent that is started elsewhere, and a variable that says no address, are refused', async () => {
  await using folder = await project({ config: { fork: { baseUrls: ['NOWHERE_URL'] } } });
  expect((await folder.call('fork', 'small-refund', '--step', '1')).stderr).toMatchInlineSnapshot(`
    "error: NOWHERE_URL does not say where the model is. (CONFIG_INVALID)
      NOWHERE_URL is not set
      -> Set NOWHERE_URL here or in agent.env to the model's own address, or take it out of fork.baseUrls.
    "
  `);
  await using elsewhere = await project({ config: { agent: { url: 'http://127.0.0.1:9/replay' } } });
  expect((await elsewhere.call('fork', 'small-refund', '--step', '1')).stderr).toMatchInlineSnapshot(`
    "error: The agent is started elsewhere, and asks its model by itself. (AGENT_ELSEWHERE)
      agent.command: not set
      -> Set agent.command, so that the agent can be told where its model is.
    "
  `);
});
