export { type ComparedStep, stepReader } from './compared-steps.ts';
export { certain, type RunOutcome, type StopMode, type StopPolicy, type TurnSoFar } from './early-stop.ts';
export { apart, quotes } from './excerpt.ts';
export { stepLabel } from './figures/forks.ts';
export { baselinesNeeded, holm } from './figures/permutation.ts';
export { measureStep } from './measured.ts';
export { recordedModelCalls } from './model-contexts.ts';
export { comparePair, type Pair } from './pair.ts';
export {
  causeKind,
  type Difference,
  MAX_DIFFERENCES,
  type ShownStep,
  type TurnComparison,
  turnComparison,
  type Verdict,
  verdict,
} from './result.ts';
export type { NamedId, NumberedStep, PairRow } from './rows.ts';
export {
  type CompareRules,
  comparedBy,
  compareRules,
  judgeAnswer,
  rulePath,
  type Strictness,
  stepKind,
  strictness,
  toolRules,
} from './rules.ts';
export { judgePairs } from './self-test/judge-pairs.ts';
export { selfTest } from './self-test/self-test.ts';
export { whereAndWhat } from './sentence.ts';
export { converterOf, inputDiffers } from './steps/input.ts';
export { comparedArguments, recordedCalls, toolRuns } from './steps/recorded-calls.ts';
export { type JudgedTexts, mayBeJudged } from './text/judged.ts';
export { type DiffPart, wordDiff } from './text/text-diff.ts';
export { startTurnComparison } from './turn.ts';
export { leafDifferences, pathOf } from './values/paths.ts';
export { isGenerated, replaceTokens, tokensIn } from './values/volatile.ts';
export { isAsRecorded, sessionVerdict } from './verdict.ts';
