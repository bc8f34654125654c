export { secretsIn } from './known-secrets.ts';
export { MIN_SECRET_CHARS, SECRET } from './mask.ts';
export { Redaction } from './redaction.ts';
export { isWord, knownIn, leaksPrevented, sealAgainst, sealed, sealStreams } from './seal.ts';
export { redactError, redactorLike, redactRecordingTexts, redactTexts, unmasking } from './texts.ts';
export { type RedactedPlace, type RedactOptions, redactor, redactRecording } from './values.ts';
