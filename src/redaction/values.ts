import { CALL_ID_NAMES } from '../chat/index.ts';
import { isJsonObject, isRawNumber, type Json, type Present, pointerPart, present } from '../json/index.ts';
import { linearPattern } from '../pattern.ts';
import type { Recording } from '../trace/index.ts';
import { SECRET } from './mask.ts';
import { type RedactedKind, redactText, SECRET_NAME } from './secret-shapes.ts';

/** The place of something sensitive, never the value. */
export interface RedactedPlace {
  readonly kind: RedactedKind;
  /** JSON pointer (RFC 6901) into the pin. */
  readonly pointer: string;
}

export interface RedactOptions {
  /** Whether personal data (e-mail addresses, card and phone numbers) are replaced too. */
  readonly personal: boolean;
  /** Regular expressions of further values to replace. */
  readonly patterns?: readonly string[];
  /** Replaces known secret values. Applying it twice must change nothing more. */
  readonly known?: (text: string) => string;
}

/** These keys link a model's call with its result. */
const CORRELATING_NAMES: ReadonlySet<string> = new Set(['id', ...CALL_ID_NAMES]);
/** An id may consist of digits like a card or phone number, but redaction must not separate a call from its result. */
const IN_IDS: readonly RedactedKind[] = ['secret', 'pattern', 'email'];

type OnFound = (place: RedactedPlace) => void;

/**
 * Makes the function that replaces secrets and personal data in a value. It is pure, idempotent and linear. Equal texts get
 * equal tokens, so equal values stay equal, and a value with nothing to replace is returned itself. Both sides of a
 * comparison must pass through it.
 */
export function redactor(
  { personal, patterns = [], known = (text) => text }: RedactOptions,
  onFound: OnFound = () => {},
): (value: Json, pointer?: string) => Json {
  const all: readonly RedactedKind[] = personal ? [...IN_IDS, 'card', 'phone'] : ['secret', 'pattern'];
  const compiled = patterns.map((pattern) => linearPattern(pattern));
  let root = '';
  /** The keys down to the current value. A pointer is only built when something is found. */
  const path: (string | number)[] = [];
  const found = (kind: RedactedKind) => onFound({ kind, pointer: root + path.map(pointerPart).join('') });

  const textOf = (text: string, kinds: readonly RedactedKind[]): string => {
    const rest = known(text);
    if (rest !== text) found('secret');
    return redactText(rest, kinds, found, compiled);
  };
  /** A card number may be written as a JSON number; nothing else here can be. */
  const numberOf = (value: Json, kinds: readonly RedactedKind[]): Json => {
    const text = JSON.stringify(value);
    const redacted = /^\d{13,19}$/.test(text) ? textOf(text, kinds) : text;
    return redacted === text ? value : redacted;
  };
  const under = <T>(key: string | number, work: () => T): T => {
    path.push(key);
    const result = work();
    path.pop();
    return result;
  };
  const entryOf = (name: string, value: Json, kinds: readonly RedactedKind[]): Json => {
    if (CORRELATING_NAMES.has(name)) {
      return redact(
        value,
        kinds.filter((kind) => IN_IDS.includes(kind)),
      );
    }
    const scalar = typeof value === 'string' || typeof value === 'number' || isRawNumber(value);
    if (!scalar || value === '' || value === SECRET || !SECRET_NAME.test(name)) return redact(value, kinds);
    found('secret');
    return SECRET;
  };
  const redact = (value: Json, kinds: readonly RedactedKind[]): Json => {
    if (typeof value === 'string') return textOf(value, kinds);
    if (typeof value === 'number' || isRawNumber(value)) return numberOf(value, kinds);
    if (Array.isArray(value)) {
      const items = value.map((item, index) => under(index, () => redact(item, kinds)));
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value).map(([name, item]) =>
      under(name, () => [textOf(name, kinds), entryOf(name, item, kinds), name, item] as const),
    );
    // `fromEntries` makes own keys of all names, `__proto__` included.
    return entries.some(([key, of, name, item]) => key !== name || of !== item) ? Object.fromEntries(entries) : value;
  };

  return (value, pointer = '') => {
    root = pointer;
    return redact(value, all);
  };
}

/**
 * The same for a recording: ids, names and times of its observations stay.
 * @param options undefined: the other side was not redacted, so nor is this one
 */
export function redactRecording<Any extends Recording>(
  recording: Any,
  options: RedactOptions | undefined,
  onFound?: OnFound,
  pointer = '',
): Any {
  if (options === undefined) return recording;
  const redact = redactor(options, onFound);
  const redactedParts = <Part extends object>(parts: Part, at: string) =>
    Object.fromEntries(
      Object.entries(present(parts)).map(([name, value]) => [name, redact(value as Json, `${at}/${name}`)]),
    ) as Present<Part>;
  const observations = recording.observations.map((observation, index) => {
    const at = `${pointer}/observations/${index}`;
    const { input, output, statusMessage } = observation;
    return {
      ...observation,
      ...redactedParts({ input, output, statusMessage }, at),
    };
  });
  const { output, missed } = recording;
  return {
    ...recording,
    ...(missed && { missed: missed.map((call) => ({ ...call, arguments: redact(call.arguments) })) }),
    ...redactedParts({ output }, pointer),
    observations,
  };
}
