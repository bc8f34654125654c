export { reachedNoEdit } from './explain/same-input.ts';
export { behaviourLabels } from './labels.ts';
export { measuredAt, type StepMeasurement } from './measured.ts';
export { askedOnly } from './model-contexts.ts';
export { learnablePaths } from './noise.ts';
export type { ReadStep } from './read-steps.ts';
export { RecordedTools } from './recorded-tools.ts';
export { plainSteps, RecordedTurn } from './recorded-turn.ts';
export type { NumberedStep, PairRow } from './rows.ts';
export { judgePairs } from './self-test/judge-pairs.ts';
export { selfTest } from './self-test/self-test.ts';
export { COMPARED_ASPECTS, type ComparedAspect } from './shapes/aspects.ts';
export { excerpts, quote, quotes } from './shapes/excerpt.ts';
export {
  isAsRecorded,
  isDiverged,
  isDoubt,
  OUTCOMES,
  type Outcome,
  type Tone,
  WORST_FIRST,
  worstOf,
} from './shapes/outcomes.ts';
export {
  type Difference,
  outcome,
  type TurnComparison,
  turnComparison,
} from './shapes/result.ts';
export {
  type CompareRules,
  comparedBy,
  compareRules,
  judgeAnswer,
  pricedAnswer,
  stepKind,
} from './shapes/rules.ts';
export { otherInput, type Sent, sentTo } from './steps/input.ts';
export { mayBeJudged, ownSentences } from './text/judged.ts';
export { wordDiff } from './text/text-diff.ts';
export { placesOf } from './text/told.ts';
export { IN_OTHER_WORDS, isInOtherWords, OTHER_WORDS, outcomeWord, worstIn } from './turn-outcome.ts';
export { unknownTools } from './unknown-tools.ts';
export { isGenerated } from './values/volatile.ts';
