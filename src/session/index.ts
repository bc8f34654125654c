export { askedIn } from './asked.ts';
export { recordingOf, sessionsFromTraces } from './derive.ts';
export { isPinPath } from './find.ts';
export { formatJson, pinText } from './format.ts';
export { countPins, FIRST_PINS, loadPins, type Pin } from './load.ts';
export { parsePin } from './parse.ts';
export { checkPattern, matchesPattern } from './pattern.ts';
export { isInside, outside } from './place.ts';
export { copiesIn, type RecordingMade, recordingsMade } from './recordings.ts';
export {
  countByKind,
  redactSession,
  redactSessionTexts,
} from './redact.ts';
export {
  checkedPinText,
  fileNameFor,
  type PresentPin,
  presentPin,
  replacePin,
  savePin,
} from './save.ts';
export { type PinnedTurn, replayable, type Session, session } from './schema.ts';
export { tokensOf, usageByModel } from './usage.ts';
