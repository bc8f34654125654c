import { DRIFT_ALARM } from '../../shift/index.ts';
import { counted } from '../../text/index.ts';
import type { Report } from '../schema.ts';

type Told = NonNullable<Report['results']['drift']>[number];

/** `Drift over 41 nights: evidence 1 : 34 (alarm at 1 : 100), since 2026-11-12.` */
export function driftWords({
  agentId,
  nights,
  evidence,
  since,
}: Pick<Told, 'agentId' | 'nights' | 'evidence' | 'since'>): string {
  const who = agentId === undefined ? '' : ` of ${agentId}`;
  const over = `Drift${who} over ${counted(nights, 'night')}`;
  if (evidence < 1) return `${over}: none seen (alarm at 1 : ${DRIFT_ALARM}).`;
  const from = since === undefined ? '' : `, since ${since.slice(0, 10)}`;
  return `${over}: evidence 1 : ${Math.floor(evidence)} (alarm at 1 : ${DRIFT_ALARM})${from}.`;
}

/** What the nights show together; on an alarm with what speaks most, and what to do. */
export function driftLines({ drift = [] }: Pick<Report['results'], 'drift'>): string[] {
  return drift.map((each) => {
    if (!each.isAlarm) return driftWords(each);
    const most = each.sessions.length === 0 ? '' : `, most in ${each.sessions.join(', ')}`;
    return `${driftWords(each)} It shows in the ${each.channel}${most}. Ask once with \`--base\`: this repository, or the world.`;
  });
}
