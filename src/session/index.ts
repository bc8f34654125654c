export { type PinChanges, pinChanges } from './changes.ts';
export {
  type DeriveOptions,
  type RequestNote,
  recordingOf,
  type SkippedTrace,
  sessionsFromTraces,
  type UnsureRequest,
} from './derive.ts';
export { isPinPath } from './find.ts';
export { formatJson, pinText } from './format.ts';
export { type LoadLimits, type LoadOptions, loadPins, type Pin } from './load.ts';
export { type Position, parsePin } from './parse.ts';
export { checkPattern, matchesPattern } from './pattern.ts';
export { type RecordingMade, recordingsMade } from './recordings.ts';
export {
  countsOf,
  type RedactedPlace,
  type RedactedSession,
  type RedactionCounts,
  type RedactOptions,
  redactor,
  redactRecording,
  redactSession,
} from './redact.ts';
export { checkedPinText, fileNameFor, presentPin, type SaveOptions, savePin, updatedPin } from './save.ts';
export {
  type PinnedTurn,
  replayable,
  type Session,
  session,
  type TurnStatus,
} from './schema.ts';
export { keysIn } from './sensitive.ts';
export { usageByModel } from './usage.ts';
