import { DRIFT_ALARM, type NightDrift, nightAfter } from '../../shift/index.ts';
import type { Report } from '../schema.ts';
import { gateOf } from '../status.ts';
import { nameOfPin } from '../words/words.ts';

/** The earlier nights of a history, oldest first. */
type Nights = readonly { readonly drift?: readonly NightDrift[] }[];

type Told = NonNullable<Report['results']['drift']>[number];

/** What this run adds to the nights before it, for each agent that is judged by shift. */
export function nightsWith(
  { results, evidence }: Report,
  before: Nights,
): { readonly drift: NightDrift; readonly told: Told }[] {
  const { marks = [], gatesDrift = false, isPart = false } = results.shift ?? {};
  if (isPart || evidence.shard !== undefined || evidence.interruptedBy !== undefined) return [];
  const names = new Map(results.sessions.map(({ id, pin }) => [id, nameOfPin(pin)]));
  return [...Map.groupBy(marks, ({ agentId }) => agentId)].map(([agentId, of]) => {
    const own = before.flatMap(({ drift = [] }) => drift.filter((each) => each.agentId === agentId));
    const { drift, loudest } = nightAfter(own, of, evidence.startedAt);
    const about = agentId === undefined ? {} : { agentId };
    const isAlarm = drift.evidence >= DRIFT_ALARM;
    const { nights, evidence: shown, since } = drift;
    const told = { ...about, nights, evidence: shown, ...(since !== undefined && { since }) };
    const named = loudest.ids.map((id) => names.get(id) ?? names.get(id.replace(/ \d+$/, '')) ?? id);
    const sessions = [...new Set(named)];
    return {
      drift: { ...about, ...drift },
      told: { ...told, isAlarm, channel: loudest.channel, sessions, fails: isAlarm && gatesDrift },
    };
  });
}

/** The report with what the nights before it and this one show together. */
export function withDrift(report: Report, before: Nights): Report {
  const drift = nightsWith(report, before).map(({ told }) => told);
  if (drift.length === 0) return report;
  const results = { ...report.results, drift };
  const { status, title, message } = gateOf({ ...report, results });
  return { ...report, results: { ...results, status, title, message } };
}
