import type { Recording } from '../../contract/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { isJsonObject, isRawNumber, type Json } from '../../json/index.ts';
import type { Session } from '../../session/index.ts';

type Redact = (text: string) => string;

/** Every text of a JSON value, keys included. The very same value when there is nothing to replace. */
export function redactTexts<T>(value: T, redact: Redact): T {
  // What does not stand in the whole stands in no part, and to look at the whole once is several times as fast.
  const whole = JSON.stringify(value) ?? '';
  return redact(whole) === whole ? value : (eachText(value as Json, redact) as T);
}

/** The same for a recording. A secret that happens to be a word of ours must not make it unreadable. */
export function redactRecordingTexts<Any extends Recording>(recording: Any, redact: Redact): Any {
  const redacted = redactTexts(recording, redact);
  if (redacted === recording) return recording;
  const observations = recording.observations.map(({ type, startTime, endTime, level }, index) => {
    return { ...redacted.observations[index]!, type, startTime, endTime, ...(level === undefined ? {} : { level }) };
  });
  return { ...redacted, observations };
}

/** The same for an error. */
export function redactError(error: AgentReplayError, redact: Redact): AgentReplayError {
  const { code, message, evidence, hint, location, cause } = error;
  return new AgentReplayError(code, redact(message), { evidence: evidence.map(redact), hint, location, cause });
}

/** The same for a pinned session, but for its id: that is what it is known by. */
export function redactSessionTexts(session: Session, redact: Redact): Session {
  const redacted = redactTexts(session, redact);
  if (redacted === session) return session;
  const { recordedAt } = session;
  const turns = session.turns.map(({ recorded, baselines }, index) => ({
    ...redacted.turns[index]!,
    recorded: redactRecordingTexts(recorded, redact),
    ...(baselines && { baselines: baselines.map((each) => redactRecordingTexts(each, redact)) }),
  }));
  return { ...redacted, id: session.id, ...(recordedAt === undefined ? {} : { recordedAt }), turns };
}

function eachText(value: Json, redact: Redact): Json {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => eachText(item, redact));
  if (!isJsonObject(value) || isRawNumber(value)) return value;
  // `fromEntries` makes own keys of all names, `__proto__` included.
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [redact(name), eachText(item, redact)]));
}
