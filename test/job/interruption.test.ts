import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { AgentReplayError } from '../../src/errors.ts';
import { runJob } from '../../src/job/index.ts';
import { endReason, Interruption, interrupting, interruptionOf } from '../../src/job/records/interruption.ts';
import { pinOf } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';
import { startAgent } from './answering-agent.ts';

test('a run whose caller aborts it without a reason is interrupted, before it began too', () => {
  const controller = new AbortController();
  const signal = interrupting(controller.signal);
  expect(interruptionOf(signal)).toBeUndefined();
  controller.abort();
  expect(interruptionOf(signal)).toMatchObject({ code: 'INTERRUPTED', by: 'SIGINT' });
  expect(interruptionOf(interrupting(controller.signal))).toMatchObject({ by: 'SIGINT' });
  expect(interrupting(undefined)).toBeUndefined();
});

test('a run that is ended by a limit of its caller, or by a signal, says so', () => {
  for (const reason of [new AgentReplayError('TOTAL_TIMEOUT', 'late'), new Interruption('SIGTERM')]) {
    expect(endReason(interrupting(AbortSignal.abort(reason)))).toBe(reason);
  }
});

test("a run that is over listens to its caller's signal no longer", async () => {
  await using agent = await startAgent();
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({ agent: { url: agent.url }, tracing: 'none' }),
    'replays/1.session.json': JSON.stringify(pinOf('one', ['a'])),
  });
  const { signal } = new AbortController();
  const { results } = await runJob(await loadConfig({ cwd: folder.path }), { signal });
  expect(results.status).toBe('passed');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
