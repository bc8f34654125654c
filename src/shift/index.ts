export { assess, assessSuites, driftOf, type FirstLook, ShiftUnit, unitsToRepeat } from './assess.ts';
export { forbiddenIn, isCertain } from './events.ts';
export { holm } from './holm.ts';
export { FRESH_RUNS, MOST_REPLAYS } from './judge-turns.ts';
export { type ShiftRun, shiftRun } from './run.ts';
export {
  type GateKind,
  gateKind,
  type RunShift,
  runShift,
  type ShiftEvent,
  shiftEvent,
  type TurnShift,
  textOfP,
  turnShift,
} from './shift-result.ts';
export { turnEvents } from './turn-events.ts';
