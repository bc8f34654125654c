export { echoesIn } from './echoes.ts';
export { endedInError } from './ended-in-error.ts';
export { type HugeTexts, jsonWithout, textWithout, withHugeTexts } from './huge-bytes.ts';
export {
  HUGE_STAND_IN,
  HUGE_TEXT,
  withoutHugeTexts,
  withoutHugeTextsIn,
} from './huge-texts.ts';
export { inCausalOrder, isKnownBefore } from './order.ts';
export { byTime, callsSoFar, joinTraces, splitError, turnsOf } from './pieces.ts';
export {
  calledTools,
  isTool,
  type MissedCall,
  type ModelUsage,
  type Observation,
  type ObservationType,
  observationType,
  type Recording,
  recording,
  replayedRecording,
  responseOnly,
  type Trace,
  topsOf,
  trace,
  type Unread,
  withoutCopies,
} from './trace.ts';
export { unreadError } from './unread-error.ts';
