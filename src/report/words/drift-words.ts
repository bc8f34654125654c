import { DRIFT_ALARM } from '../../shift/index.ts';
import { counted } from '../../text/index.ts';
import type { Report } from '../schema.ts';

type Told = NonNullable<Report['results']['drift']>[number];

/** What an endpoint badge of shields.io is drawn from (https://shields.io/badges/endpoint-badge): one number per agent. */
export function driftBadge(drift: readonly Pick<Told, 'agentId' | 'evidence'>[] = []) {
  const numbers = drift.map(({ agentId, evidence }) => [agentId, numberOf(evidence)].filter(Boolean).join(' '));
  const most = Math.max(0, ...drift.map(({ evidence }) => evidence));
  const colour = most < 1 ? 'brightgreen' : most < DRIFT_ALARM ? 'yellow' : 'red';
  return {
    schemaVersion: 1,
    label: 'drift',
    message: numbers.join(', ') || 'not tested',
    color: drift.length === 0 ? 'lightgrey' : colour,
  };
}

function numberOf(evidence: number): string {
  return evidence < 1 ? 'none seen' : `1 : ${Math.floor(evidence)}`;
}

/** `Drift over 41 nights: evidence 1 : 34 (alarm at 1 : 100), since 2026-11-12.`, `none seen, 1 : 0.03` */
export function driftWords({
  agentId,
  nights,
  evidence,
  since,
}: Pick<Told, 'agentId' | 'nights' | 'evidence' | 'since'>): string {
  const who = agentId === undefined ? '' : ` of ${agentId}`;
  const over = `Drift${who} over ${counted(nights, 'night')}`;
  const from = since === undefined ? '' : `, since ${since.slice(0, 10)}`;
  const near = evidence < 1 ? `none seen, 1 : ${evidence}` : `evidence ${numberOf(evidence)}`;
  return `${over}: ${near} (alarm at 1 : ${DRIFT_ALARM})${from}.`;
}

/** What the nights show together; on an alarm with what speaks most, and what to do. */
export function driftLines({ drift = [] }: Pick<Report['results'], 'drift'>): string[] {
  return drift.map((each) => {
    if (!each.isAlarm) return driftWords(each);
    const most = each.sessions.length === 0 ? '' : `, most in ${each.sessions.join(', ')}`;
    return `${driftWords(each)} It shows in the ${each.channel}${most}. Ask once with \`--base\`: this repository, or the world.`;
  });
}
