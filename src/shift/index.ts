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
} from './assess.ts';
export { CHANNELS, type Channel } from './channels.ts';
export {
  alarmFails,
  type Forbidden,
  forbiddenEvents,
  forbiddenIn,
  isCertain,
  type NeverGreenEvent,
  neverGreenEvents,
} from './events.ts';
export { holm } from './holm.ts';
export { FRESH_RUNS, MOST_REPLAYS } from './judge.ts';
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
export { type ShiftRun, shiftRun } from './run.ts';
