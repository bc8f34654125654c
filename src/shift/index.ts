export {
  type AssessOptions,
  assess,
  assessSuites,
  type Drift,
  driftOf,
  type FirstLook,
  oddUnits,
  ShiftUnit,
  suitesToConfirm,
  type UnitOptions,
} from './assess.ts';
export { CHANNELS, type Channel } from './channels.ts';
export {
  alarmFails,
  type EventRules,
  type Forbidden,
  forbiddenEvents,
  forbiddenIn,
  isCertain,
  type NeverGreenEvent,
  neverGreenEvents,
} from './events.ts';
export type { Feature, Trait } from './features.ts';
export {
  FRESH_RUNS,
  isTestable,
  judgeSuite,
  judgeTurns,
  leastP,
  MOST_REPLAYS,
  needsSecondLook,
  type Reach,
  reachOf,
  type ShiftPolicy,
  type SuiteState,
  type TurnJudgement,
  type TurnLooks,
} from './judge.ts';
export {
  type GateKind,
  gateKind,
  type RunShift,
  runShift,
  type ShiftEvent,
  type SuiteShift,
  shiftEvent,
  suiteShift,
  type TurnShift,
  textOfP,
  turnShift,
} from './result.ts';
export { type Answer, type CallMade, type Leaf, type ShiftRun, shiftRun } from './run.ts';
export { type DotRow, type Separation, separation } from './separation.ts';
export { type Shift, type SuiteOptions, type SuiteTest, type SuiteTurn, suiteTest } from './suite-test.ts';
export { type RunTable, type Side, type TableRun, tableOf } from './table.ts';
export { type TestOptions, type TurnTest, turnTest } from './turn-test.ts';
