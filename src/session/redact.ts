import { isJsonObject, isRawNumber, type Json, type Recording } from '../contract/index.ts';
import type { PinnedTurn, Session } from './schema.ts';
import { type RedactedKind, redactText, SECRET, SECRET_NAME } from './sensitive.ts';

/** How many places were found, by kind. */
export type RedactionCounts = Record<RedactedKind, number>;

export interface RedactOptions {
  /** Whether personal data (e-mail addresses, card and phone numbers) are replaced too. */
  readonly personal: boolean;
}

/**
 * Makes the function that replaces secrets and personal data in a value. It is pure, idempotent and linear,
 * gives equal tokens for equal texts, so that what was equal before stays equal, and returns the very same value
 * when there is nothing to replace. Both sides of a comparison must go through it.
 */
export function redactor({ personal }: RedactOptions, counts = noCounts()): (value: Json) => Json {
  const kinds: readonly RedactedKind[] = personal ? ['secret', 'email', 'card', 'phone'] : ['secret'];
  return (value) => redactValue(value, kinds, counts);
}

/** The same for a recording: ids, names and times of its observations stay as they are. */
export function redactRecording(recording: Recording, options: RedactOptions, counts?: RedactionCounts): Recording {
  const redact = redactor(options, counts);
  const observations = recording.observations.map((observation) => ({
    ...observation,
    ...(observation.input === undefined ? {} : { input: redact(observation.input) }),
    ...(observation.output === undefined ? {} : { output: redact(observation.output) }),
    ...(observation.statusMessage === undefined ? {} : { statusMessage: redact(observation.statusMessage) as string }),
  }));
  return {
    ...recording,
    ...(recording.output === undefined ? {} : { output: redact(recording.output) }),
    observations,
  };
}

export interface RedactedSession {
  readonly session: Session;
  /** How many places were replaced. */
  readonly redacted: RedactionCounts;
  /** Personal data that stay in the requests, because they are part of what is sent. */
  readonly leftInRequests: RedactionCounts;
}

/**
 * Redacts a session before it is pinned.
 * @param options.personal replaces personal data in what was recorded; default true
 * @param options.request replaces them in the requests too, which changes what is sent; default false
 */
export function redactSession(
  session: Session,
  { personal = true, request = false }: { personal?: boolean; request?: boolean } = {},
): RedactedSession {
  const redacted = noCounts();
  const leftInRequests = noCounts();
  const turns = session.turns.map((turn): PinnedTurn => {
    const baselines = turn.baselines?.map((baseline) => redactRecording(baseline, { personal }, redacted));
    const sent = turn.request && (redactor({ personal: request }, redacted)(turn.request) as PinnedTurn['request']);
    redactor({ personal: true }, leftInRequests)((sent ?? null) as Json);
    return {
      ...turn,
      ...(sent && { request: sent }),
      recorded: redactRecording(turn.recorded, { personal }, redacted),
      ...(baselines && { baselines }),
    };
  });
  const title = session.title === undefined ? {} : { title: redactor({ personal })(session.title) as string };
  return { session: { ...session, ...title, redacted: { personal, request }, turns }, redacted, leftInRequests };
}

function noCounts(): RedactionCounts {
  return { secret: 0, email: 0, card: 0, phone: 0 };
}

/** Under these names a model's call and its result find each other. */
const CORRELATING_NAMES = new Set([
  'id',
  'call_id',
  'callId',
  'tool_call_id',
  'toolCallId',
  'tool_use_id',
  'toolUseId',
]);

function redactValue(value: Json, kinds: readonly RedactedKind[], counts: RedactionCounts): Json {
  if (typeof value === 'string') return redactText(value, kinds, (kind) => counts[kind]++);
  if (typeof value === 'number' || isRawNumber(value)) return redactNumber(value, kinds, counts);
  if (Array.isArray(value)) {
    const items = value.map((item) => redactValue(item, kinds, counts));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  let changed = false;
  const entries = Object.entries(value).map(([name, item]): [string, Json] => {
    const entry: [string, Json] = [redactValue(name, kinds, counts) as string, redactEntry(name, item, kinds, counts)];
    changed ||= entry[0] !== name || entry[1] !== item;
    return entry;
  });
  // `fromEntries` makes own keys of all names, `__proto__` included.
  return changed ? Object.fromEntries(entries) : value;
}

function redactEntry(name: string, value: Json, kinds: readonly RedactedKind[], counts: RedactionCounts): Json {
  if (CORRELATING_NAMES.has(name)) {
    // An id may be all digits, as a card or a phone number is: a call and its result must not be parted.
    return redactValue(
      value,
      kinds.filter((kind) => kind === 'secret' || kind === 'email'),
      counts,
    );
  }
  const scalar = typeof value === 'string' || typeof value === 'number' || isRawNumber(value);
  if (!scalar || value === '' || value === SECRET || !SECRET_NAME.test(name)) {
    return redactValue(value, kinds, counts);
  }
  counts.secret++;
  return SECRET;
}

/** A card number may be written as a number; nothing else here can. */
function redactNumber(value: Json, kinds: readonly RedactedKind[], counts: RedactionCounts): Json {
  const text = JSON.stringify(value);
  const redacted = /^\d{13,19}$/.test(text) ? redactValue(text, kinds, counts) : text;
  return redacted === text ? value : redacted;
}
