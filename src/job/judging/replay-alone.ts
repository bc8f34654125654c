import { RecordedTurn, type TurnComparison } from '../../compare/index.ts';
import type { Config } from '../../config/index.ts';
import { divergenceWords, type LaidStep, laidSteps, whereAndWhat } from '../../report/index.ts';
import type { Recording } from '../../trace/index.ts';
import type { PlannedSession } from '../records/run-scope.ts';
import type { Finding } from './finding.ts';

/** How one replay by itself compares with the recordings, without secrets. What the other runs teach can still change it. */
export interface ReplayAlone {
  readonly outcome: 'as recorded' | 'differs' | 'could not tell';
  /** Where it differs, or why it could not be told. */
  readonly message: string;
  /** Its first steps, safe to be shown in HTML. */
  readonly steps: readonly LaidStep[];
  readonly more: number;
}

interface Options {
  readonly config: Pick<Config, 'compare' | 'tracing'>;
  readonly redact: (text: string) => string;
}

export function compareAlone(
  { outcome, turn }: Finding,
  { pin }: PlannedSession,
  { config, redact }: Options,
): ReplayAlone {
  if (outcome.kind === 'unverified') {
    const { code, message } = outcome.error;
    return { outcome: 'could not tell', message: redact(`${code}: ${message}`), steps: [], more: 0 };
  }
  const { recording } = outcome;
  const { word, message } = inWords(comparisonOf(recording, { pin, turn, config }));
  return { outcome: word, message: redact(message), ...laidSteps(recording) };
}

function comparisonOf(
  replayed: Recording,
  { pin, turn, config }: Pick<PlannedSession, 'pin'> & Pick<Finding, 'turn'> & Pick<Options, 'config'>,
): TurnComparison {
  const pinned = pin.session.turns[turn - 1] ?? { recorded: { observations: [] } };
  const hasTraces = config.tracing.source !== 'none';
  return new RecordedTurn(pinned, config.compare, { hasTraces }).pairWith(replayed).comparison;
}

function inWords(comparison: TurnComparison): { word: ReplayAlone['outcome']; message: string } {
  const { verdict, note, clusters } = comparison;
  const minor = clusters.flatMap((cluster) => cluster.minor);
  const reworded = clusters.flatMap(({ texts }) => texts).filter(({ kind }) => kind !== 'text');
  switch (verdict) {
    case 'as-recorded':
      return { word: 'as recorded', message: minor.map((each) => `${whereAndWhat(each)} (minor)`).join('; ') };
    case 'could-not-tell':
      return { word: 'could not tell', message: [...minor, ...reworded].map(whereAndWhat).join('; ') };
    default:
      return { word: 'differs', message: divergenceWords(comparison) || (note ?? '') };
  }
}
