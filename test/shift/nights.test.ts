import { expect, test } from 'vitest';
import { DRIFT_ALARM, type NightDrift } from '../../src/shift/index.ts';
import { betOn, nightAfter } from '../../src/shift/nights.ts';
import { randomFrom } from '../../src/shift/random.ts';
import { type Agent, planted } from './agents.ts';
import { atMost } from './gate.ts';
import { alarmAt, day, nights } from './nights.ts';

test('a change of every run alarms after three or four nights, and 60 quiet nights do not', () => {
  const from = 10;
  const late = nights(16, 'all', { from, change: (agent) => planted(agent, 'call', 1) });
  expect(alarmAt(late) - from + 1).toBeGreaterThanOrEqual(3);
  expect(alarmAt(late) - from + 1).toBeLessThanOrEqual(5);
  expect([day(from), day(from + 1)]).toContain(late.at(-1)?.since);
  expect(alarmAt(nights(60, 'none', { sessions: 4 }))).toBe(-1);
});

test('what one session of eight does otherwise in 30 % of its runs does not alarm within 20 nights', () => {
  const change = (agent: Agent, _: number, session: number) => (session === 0 ? planted(agent, 'call', 0.3) : agent);
  expect(alarmAt(nights(20, 'one of eight', { from: 0, change }))).toBe(-1);
});

test('a change of the calls alone is not lost among answers that are never alike', () => {
  const from = 4;
  const alarms = Array.from({ length: 10 }, (_, suite) => {
    const random = randomFrom(`calls alone ${suite}`);
    const place = (further: number): [number, number] => [random(100) + further, random(1_000)];
    const recorded = Array.from({ length: 6 }, () => Array.from({ length: 6 }, () => place(0)));
    const found: NightDrift[] = [];
    for (let night = 0; night < from + 6; night++) {
      const marks = recorded.map((places, id) => {
        const replayed = [0, 1].map(() => place(night < from ? 0 : 45));
        return { id: String(id), key: 'k', recorded: places, replayed };
      });
      found.push(nightAfter(found, marks, day(night)).drift);
    }
    return alarmAt(found);
  });
  expect(alarms.filter((night) => night < from)).toEqual([]);
});

test('the order of sessions changes no digit of a night', () => {
  const random = randomFrom('order');
  const places = (count: number) => Array.from({ length: count }, (): [number, number] => [random(900), random(900)]);
  const marks = Array.from({ length: 5 }, (_, id) => ({
    id: String(id),
    key: `k${id}`,
    recorded: places(3),
    replayed: places(2),
  }));
  const [one, other] = [marks, marks.toReversed()].map((of) => nightAfter([], of, day(0)));
  expect({ ...other?.drift, units: [] }).toEqual({ ...one?.drift, units: [] });
});

test('the sums of bets alarm in at most one of 100 unchanged years', () => {
  const random = randomFrom('years');
  const years = 1_000;
  const alarms = Array.from({ length: years }, () => {
    let bets: readonly number[] = [];
    for (let night = 0; night < 365; night++) {
      // Uniform, as ranks of exchangeable nights are; by calls and by answers, and by both much as by one of them.
      const [calls, answers] = [1, 2].map(() => (1 + random(1_000_000)) / 1_000_000) as [number, number];
      const next = betOn(bets, [calls, answers, calls]);
      if (next.evidence >= DRIFT_ALARM) return 1;
      bets = next.bets;
    }
    return 0;
  });
  expect(alarms.filter((alarm) => alarm === 1).length).toBeLessThanOrEqual(atMost(years, 0.01));
});
