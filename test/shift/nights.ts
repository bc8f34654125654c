import { DRIFT_ALARM, type NightDrift, shiftRun } from '../../src/shift/index.ts';
import { marksOf, nightAfter } from '../../src/shift/nights.ts';
import { randomFrom } from '../../src/shift/random.ts';
import type { UnitMarks } from '../../src/shift/shift-result.ts';
import { type Agent, agentOf, type Kind } from './agents.ts';

export const day = (night: number) => new Date(Date.UTC(2026, 0, 1) + night * 86_400_000).toISOString();
export const alarmAt = (of: readonly NightDrift[]) => of.findIndex(({ evidence }) => evidence >= DRIFT_ALARM);

interface Nights {
  readonly kind?: Kind;
  readonly sessions?: number;
  /** The night on which the agent changes. */
  readonly from?: number;
  /** @param since nights since then, from 1 */
  readonly change?: (agent: Agent, since: number, session: number) => Agent;
}

/** Nights of a suite with five recordings, with two replays of each session a night; up to the first alarm. */
export function nights(
  count: number,
  seed: string,
  { kind = 'mild', sessions = 8, from = count, change = (agent) => agent }: Nights = {},
): NightDrift[] {
  const random = randomFrom(seed);
  const units = Array.from({ length: sessions }, (_, session) => {
    const agent = agentOf(kind, `${seed} ${session}`);
    return { id: String(session), agent, recordings: Array.from({ length: 5 }, () => shiftRun(agent(random))) };
  });
  const found: NightDrift[] = [];
  for (let night = 0; night < count && alarmAt(found) === -1; night++) {
    const marks = units.map(({ id, agent, recordings }, session) => {
      const now = night < from ? agent : change(agent, night - from + 1, session);
      return marksOf({ id }, recordings, [shiftRun(now(random)), shiftRun(now(random))]) as UnitMarks;
    });
    found.push(nightAfter(found, marks, day(night)).drift);
  }
  return found;
}
