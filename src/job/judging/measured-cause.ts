import type { StepMeasurement, TurnComparison } from '../../compare/index.ts';
import type { Report } from '../../report/index.ts';
import { percent } from '../../text/index.ts';

type Divergence = NonNullable<TurnComparison['divergence']>;
type Cause = Divergence['cause'];

interface MeasuredStep extends StepMeasurement {
  readonly session: string;
  readonly turn: number;
  readonly decided: readonly number[];
}

/**
 * No verdict changes, because the measured runs were given recorded input and agree with nothing.
 * @returns undefined without a divergence at that step that could be the model's
 */
export function withMeasuredCause(report: Report, fork: MeasuredStep): Report | undefined {
  let isTold = false;
  const told = (divergence: Divergence | null): Divergence | null => {
    if (divergence === null) return null;
    const { recordedStep, replayedStep } = divergence;
    if (!fork.decided.includes(recordedStep ?? replayedStep ?? 0)) return divergence;
    const cause = measuredCause(divergence.cause, fork);
    if (cause === undefined) return divergence;
    isTold = true;
    return { ...divergence, cause };
  };
  const sessions = report.results.sessions.map((session) => {
    if (session.id !== fork.session) return session;
    const turns = session.turns.map((turn) => {
      if (turn.turn !== fork.turn) return turn;
      const { comparison } = turn;
      const clusters = comparison.clusters.map((each) => ({ ...each, divergence: told(each.divergence) }));
      return { ...turn, comparison: { ...comparison, divergence: told(comparison.divergence), clusters } };
    });
    return { ...session, turns };
  });
  return isTold ? { ...report, results: { ...report.results, sessions } } : undefined;
}

/** Replaces what was inferred, and keeps what the traces show. */
function measuredCause({ kind, ...cause }: Cause, fork: StepMeasurement): Cause | undefined {
  const { of, asRecorded, interval } = fork;
  if (interval === null || (kind !== 'model' && kind !== 'unknown')) return undefined;
  const [low, high] = interval;
  const isModel = asRecorded < of;
  return {
    ...cause,
    kind: isModel ? 'model' : 'unknown',
    detail: `${isModel ? 'measured' : 'not the model, measured'}: ${measuredWords(fork)}`,
    measured: { of, asRecorded, interval: [low, high] },
  };
}

/** `as recorded in 7 of 20 calls with the recorded context, 95 %: 18 to 57 %` */
export function measuredWords({ of, asRecorded, interval }: StepMeasurement): string {
  const [low, high] = interval ?? [0, 1];
  return `as recorded in ${asRecorded} of ${of} calls with the recorded context, 95 %: ${percent(low).replace(' %', '')} to ${percent(high)}`;
}
