import type { Gate, JudgedTurn } from '../records/seams.ts';
import { everyRun } from './every-run.ts';

type Divergence = NonNullable<JudgedTurn['comparison']['divergence']>;

/** Judges each run by itself, where the model answered as recorded: so no model is a cause. */
export const offline: Gate = {
  ...everyRun,
  units: (_, settings) => (settings.offline ? [] : undefined),
  verdict: (sessions, policy) => ({
    sessions: everyRun.verdict(sessions, policy).sessions.map((session) => ({
      ...session,
      turns: session.turns.map((turn) => {
        const { comparison } = turn;
        const clusters = comparison.clusters.map((each) => ({ ...each, divergence: byCode(each.divergence) }));
        return { ...turn, comparison: { ...comparison, divergence: byCode(comparison.divergence), clusters } };
      }),
    })),
  }),
};

function byCode(divergence: Divergence | null): Divergence | null {
  if (divergence?.cause.kind !== 'model') return divergence;
  const { cause } = divergence;
  return {
    ...divergence,
    cause: { ...cause, kind: 'agent', detail: `the model answered as recorded, ${cause.detail}` },
  };
}
