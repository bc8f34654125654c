export type { ComparedStep } from './compared-steps.ts';
export { certain, type StopRule } from './early-stop.ts';
export { apart, quotes } from './excerpt.ts';
export { baselinesNeeded } from './figures/permutation.ts';
export { learnablePaths } from './noise.ts';
export type { Pair } from './pair.ts';
export { RecordedTools } from './recorded-tools.ts';
export { plainSteps, RecordedTurn } from './recorded-turn.ts';
export {
  causeKind,
  type Difference,
  type ShownStep,
  type TurnComparison,
  turnComparison,
  type Verdict,
  verdict,
} from './result.ts';
export {
  type CompareRules,
  comparedBy,
  compareRules,
  judgeAnswer,
  rulePath,
  stepKind,
  strictness,
  toolRules,
} from './rules.ts';
export { judgePairs } from './self-test/judge-pairs.ts';
export { selfTest } from './self-test/self-test.ts';
export { whereAndWhat } from './sentence.ts';
export { otherInput } from './steps/input.ts';
export { mayBeJudged } from './text/judged.ts';
export { wordDiff } from './text/text-diff.ts';
export { isGenerated } from './values/volatile.ts';
export { isAsRecorded, sessionVerdict } from './verdict.ts';
