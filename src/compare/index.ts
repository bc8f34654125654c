export type { ComparedStep } from './compared-steps.ts';
export { certain } from './early-stop.ts';
export { baselinesNeeded } from './figures/permutation.ts';
export { behaviourLabels } from './labels.ts';
export { learnablePaths } from './noise.ts';
export { RecordedTools } from './recorded-tools.ts';
export { plainSteps, RecordedTurn } from './recorded-turn.ts';
export {
  type Difference,
  type TurnComparison,
  turnComparison,
  type Verdict,
} from './result.ts';
export {
  type CompareRules,
  comparedBy,
  compareRules,
  judgeAnswer,
  stepKind,
} from './rules.ts';
export { judgePairs } from './self-test/judge-pairs.ts';
export { selfTest } from './self-test/self-test.ts';
export { whereAndWhat } from './sentence.ts';
export { otherInput } from './steps/input.ts';
export { mayBeJudged } from './text/judged.ts';
export { wordDiff } from './text/text-diff.ts';
export { isGenerated } from './values/volatile.ts';
export { isAsRecorded } from './verdict.ts';
