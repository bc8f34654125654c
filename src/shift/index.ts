export { assess, assessSuites, driftOf, nextLooks } from './assess.ts';
export { type CostShift, costTest, type RunCost, runCost, type Spent, type SpentRun, spent } from './cost-test.ts';
export { forbiddenIn, turnEvents } from './events.ts';
export { lastOfSuite, plannedReplays } from './looks.ts';
export { DRIFT_ALARM, nightAfter } from './nights.ts';
export { type ShiftRun, shiftRun } from './run.ts';
export {
  FRESH_RUNS,
  LEAST_RECORDINGS,
  type NightDrift,
  nightDrift,
  RAISES_ALARM,
  type RunShift,
  runShift,
  type ShiftEvent,
  SOME_REPLAYS,
  shiftEvent,
  type TurnShift,
  turnShift,
} from './shift-result.ts';
export { textOfP } from './text-of-p.ts';
export { turnTest } from './turn-test.ts';
export { type FirstLook, ShiftUnit } from './unit.ts';
export { wouldSee } from './would-see.ts';
