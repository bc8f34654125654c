import { expect, test } from 'vitest';
import { checkNames, quarantined } from '../../src/job/running/quarantine.ts';
import type { Pin } from '../../src/session/index.ts';

const PIN: Pin = {
  session: { version: 1, stepsVersion: 1, id: 'conversation-7', turns: [{ recorded: { observations: [] } }] },
  path: 'replays/refund.session.json',
  turns: [{ ok: true }],
  locate: () => undefined,
};
const until = (name: string) => ({ quarantine: { [name]: { until: '2026-12-31', why: 'known' } } });

test('a quarantine ends at 00:00 UTC of its day', () => {
  const at = (time: string) => quarantined(until('refund'), [PIN], Date.parse(time)).size;
  expect(at('2026-12-30T23:59:59.999Z')).toBe(1);
  expect(at('2026-12-31T00:00:00.000Z')).toBe(0);
});

test.each(['refund', 'replays/refund.session.json', 'conversation-7'])('%s names the session', (name) => {
  expect(quarantined(until(name), [PIN], 0).get('conversation-7')).toEqual({ until: '2026-12-31', why: 'known' });
  expect(() => checkNames(until(name), [PIN])).not.toThrow();
});

test('a name that is that of no session is a mistake in the configuration', () => {
  expect(() => checkNames(until('refunds'), [PIN])).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', evidence: ['there is: replays/refund.session.json'] }),
  );
});
