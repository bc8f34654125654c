import { AgentReplayError } from '../errors.ts';
import { isJsonObject, type Json, mapTexts, present } from '../json/index.ts';
import type { Recording } from '../trace/index.ts';
import { MASK } from './secret-shapes.ts';
import { type RedactOptions, redactor } from './values.ts';
import { hidesSome } from './view.ts';

type Redact = (text: string) => string;

/** Redacts every text of a JSON value, keys included. Returns the same value if there is nothing to replace. */
export function redactTexts<T>(value: T, redact: Redact): T {
  // If all texts in one hold no secret, none of them does. One pass over the whole is several times faster.
  const whole = textsIn(value as Json).join('\n');
  return !hidesSome(whole) && redact(whole) === whole ? value : (mapTexts(value as Json, redact) as T);
}

/** The same for a recording. A secret that equals a word of ours must not make it unreadable. */
export function redactRecordingTexts<Any extends Recording>(recording: Any, redact: Redact): Any {
  const redacted = redactTexts(recording, redact);
  if (redacted === recording) return recording;
  const observations = recording.observations.map(({ type, startTime, endTime, level }, index) => {
    return { ...redacted.observations[index]!, ...present({ type, startTime, endTime, level }) };
  });
  return { ...redacted, observations };
}

export function redactError(error: AgentReplayError, redact: Redact): AgentReplayError {
  const { code, message, evidence, hint, location, cause } = error;
  return new AgentReplayError(code, redact(message), { evidence: evidence.map(redact), hint, location, cause });
}

/**
 * Makes the function that redacts a value as the values of a pin were redacted, so that both sides are alike.
 * @param options of the pin; undefined if it was not redacted
 */
export function redactorLike(options: RedactOptions | undefined, redact: Redact): (value: Json) => Json {
  const byShape = options === undefined ? (value: Json) => value : redactor(options);
  return (value) => redactTexts(byShape(value), redact);
}

/**
 * Puts back what masks stand for, as far as one value and its redaction show it: `ana@example.com` for `<email:8e43>`.
 * A mask that stands for two values stays.
 */
export function unmasking(value: Json, redacted: Json): <Any extends Json>(masked: Any) => Any {
  const known = new Map<string, string | undefined>();
  const redactions = textsIn(redacted);
  for (const [index, text] of textsIn(value).entries()) {
    for (const [mask, original] of masksIn(text, redactions[index] ?? '')) {
      known.set(mask, known.has(mask) && known.get(mask) !== original ? undefined : original);
    }
  }
  const restored = (text: string) =>
    text
      .split(MASK)
      .map((part, index) => (index % 2 === 1 ? (known.get(part) ?? part) : part))
      .join('');
  return (masked) => mapTexts(masked, restored) as typeof masked;
}

/** What stands between the same texts in both. */
function masksIn(text: string, redacted: string): [mask: string, original: string][] {
  const parts = text === redacted ? [] : redacted.split(MASK);
  const found: [string, string][] = [];
  let from = parts[0]?.length ?? 0;
  for (let at = 1; at < parts.length; at += 2) {
    const after = parts[at + 1] as string;
    const to = at + 2 === parts.length ? text.length - after.length : after === '' ? -1 : text.indexOf(after, from);
    if (to < from) break;
    found.push([parts[at] as string, text.slice(from, to)]);
    from = to + after.length;
  }
  return found;
}

function textsIn(value: Json, texts: string[] = []): string[] {
  if (typeof value === 'string') texts.push(value);
  else if (Array.isArray(value)) for (const item of value) textsIn(item, texts);
  else if (isJsonObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      texts.push(name);
      textsIn(item, texts);
    }
  }
  return texts;
}
