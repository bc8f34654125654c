import { expect, test } from 'vitest';
import { AgentReplayError } from '../../src/errors.ts';
import { endReason, Interruption, interrupting, interruptionOf } from '../../src/job/records/interruption.ts';

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
