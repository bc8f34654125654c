import { COMPARED_ASPECTS, type ComparedAspect } from './shapes/aspects.ts';
import { OUTCOMES, type Outcome, worstOf } from './shapes/outcomes.ts';
import type { TurnComparison } from './shapes/result.ts';

interface TurnCounts {
  readonly requested: number;
  readonly conclusive: number;
  /** Conclusive runs as recorded. */
  readonly asRecorded: number;
  /** Those of them with minor differences. */
  readonly minor: number;
  /** Those of them that are in other words. */
  readonly inOtherWords: number;
  /** Some run that is not as recorded also says something in other words. */
  readonly isUnread: boolean;
  /** Of each aspect: conclusive runs that differ in it, and whether the same fact differs in all of them. */
  readonly apart: Readonly<
    Record<ComparedAspect, { readonly runs: number; readonly isShared: boolean; readonly recordingsVary?: boolean }>
  >;
}

const COULD_NOT_TELL = OUTCOMES['could-not-tell'].word;
/** A kind of doubt is named after a colon. */
export const OTHER_WORDS = 'worded differently';
export const IN_OTHER_WORDS = `${COULD_NOT_TELL}: ${OTHER_WORDS}`;

/** The outcome of each aspect of a turn, the worst of them, and a note. */
export function turnOutcome(counts: TurnCounts): Pick<TurnComparison, 'verdict' | 'aspects' | 'note'> {
  const { requested, conclusive, asRecorded, minor, inOtherWords } = counts;
  const lost = requested - conclusive;
  const lesser = [
    ...(inOtherWords > 0 ? [`${inOtherWords} ${IN_OTHER_WORDS}`] : []),
    ...(minor > 0 ? [`${minor} with minor differences`] : []),
  ];
  const notes = [
    ...(lost > 0 ? [`${lost} of ${requested} ${COULD_NOT_TELL}`] : []),
    ...(lesser.length > 0 ? [[`${asRecorded - inOtherWords} of ${conclusive} as recorded`, ...lesser].join(', ')] : []),
  ];
  const aspects = Object.fromEntries(
    COMPARED_ASPECTS.map((aspect) => {
      const { runs, recordingsVary } = counts.apart[aspect];
      return [aspect, { outcome: aspectOutcome(aspect, counts), runs, ...(recordingsVary && { recordingsVary }) }];
    }),
  ) as TurnComparison['aspects'];
  return {
    verdict: worstIn(aspects),
    aspects,
    note: notes.length > 0 ? notes.join('; ') : null,
  };
}

function aspectOutcome(aspect: ComparedAspect, counts: TurnCounts): Outcome {
  const { requested, conclusive, inOtherWords, isUnread, apart } = counts;
  const { runs, isShared } = apart[aspect];
  if (runs > 0) return isShared ? 'changed' : 'varies';
  // A lost run may have differed in any aspect.
  if (conclusive < requested || conclusive === 0) return 'could-not-tell';
  return aspect === 'said' && (inOtherWords > 0 || isUnread) ? 'could-not-tell' : 'as-recorded';
}

/** @param of the aspects that count */
export function worstIn(aspects: TurnComparison['aspects'], of: readonly ComparedAspect[] = COMPARED_ASPECTS): Outcome {
  return worstOf(of.map((aspect) => aspects[aspect].outcome)) ?? 'as-recorded';
}

/** Whether all runs could be compared, and nothing is in doubt but what other words mean. */
export function isInOtherWords({ verdict, conclusive, requested }: TurnComparison): boolean {
  return verdict === 'could-not-tell' && conclusive > 0 && conclusive === requested;
}

export function outcomeWord(of: Outcome): string {
  return OUTCOMES[of].word;
}
