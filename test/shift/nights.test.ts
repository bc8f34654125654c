import { expect, test } from 'vitest';
import { shiftRun } from '../../src/shift/index.ts';
import { betOn, DRIFT_ALARM, marksOf, nightAfter } from '../../src/shift/nights.ts';
import { randomFrom } from '../../src/shift/random.ts';
import type { NightDrift, UnitMarks } from '../../src/shift/shift-result.ts';
import { type Agent, agentOf, planted } from './agents.ts';
import { atMost } from './gate.ts';

const day = (night: number) => new Date(Date.UTC(2026, 0, 1) + night * 86_400_000).toISOString();
const alarmAt = (of: readonly NightDrift[]) => of.findIndex(({ evidence }) => evidence >= DRIFT_ALARM);

/** Nights of a suite, with two replays of each session. @param from the night on which the agent changes */
function nights(count: number, seed: string, { from = count, change = (agent: Agent) => agent, sessions = 8 } = {}) {
  const random = randomFrom(seed);
  const units = Array.from({ length: sessions }, (_, session) => {
    const agent = agentOf('mild', `${seed} ${session}`);
    const recordings = Array.from({ length: 5 }, () => shiftRun(agent(random)));
    return { id: String(session), before: agent, after: change(agent), recordings };
  });
  const found: NightDrift[] = [];
  for (let night = 0; night < count; night++) {
    const marks = units.map(({ id, before, after, recordings }) => {
      const replay = () => shiftRun((night < from ? before : after)(random));
      return marksOf({ id }, recordings, [replay(), replay()]) as UnitMarks;
    });
    found.push(nightAfter(found, marks, day(night)).drift);
  }
  return found;
}

test('a change of every run alarms after three or four nights, and 60 quiet nights do not', () => {
  const from = 10;
  const late = nights(16, 'all', { from, change: (agent) => planted(agent, 'call', 1) });
  expect(alarmAt(late) - from + 1).toBeGreaterThanOrEqual(3);
  expect(alarmAt(late) - from + 1).toBeLessThanOrEqual(5);
  expect(late.at(-1)?.since).toBe(day(from));
  expect(alarmAt(nights(60, 'none', { sessions: 4 }))).toBe(-1);
});

test('the order of sessions changes no digit of a night', () => {
  const random = randomFrom('order');
  const places = (count: number) => Array.from({ length: count }, (): [number, number] => [random(900), random(900)]);
  const marks = Array.from({ length: 5 }, (_, id) => ({
    ...{ id: String(id), key: `k${id}`, recorded: places(3), replayed: places(2) },
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
      // Uniform, as ranks of exchangeable nights are.
      const next = betOn(bets, (1 + random(1_000_000)) / 1_000_000);
      if (next.evidence >= DRIFT_ALARM) return 1;
      bets = next.bets;
    }
    return 0;
  });
  expect(alarms.filter((alarm) => alarm === 1).length).toBeLessThanOrEqual(atMost(years, 0.01));
});
