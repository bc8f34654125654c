import { type Json, present } from '../json/index.ts';
import {
  type RedactedPlace,
  type RedactOptions,
  redactor,
  redactRecording,
  redactRecordingTexts,
  redactTexts,
} from '../redaction/index.ts';
import type { PinnedTurn, Session } from './schema.ts';

export interface Redacted {
  readonly session: Session;
  readonly redacted: readonly RedactedPlace[];
  /** Personal data left in the requests, because they are sent. */
  readonly leftInRequests: readonly RedactedPlace[];
}

/**
 * Masks what is sensitive in a session, before it is pinned.
 * @param options.personal masks personal data in recordings; default true
 * @param options.request masks in requests, too, what is masked in recordings, which changes what is sent; default false
 * @param options.patterns regular expressions of further values to mask in recordings
 * @param options.known replaces known values, in requests too
 */
export function redactSession(
  session: Session,
  {
    personal = true,
    request = false,
    patterns = [],
    known,
  }: Partial<RedactOptions> & { readonly request?: boolean } = {},
): Redacted {
  const redacted: RedactedPlace[] = [];
  const onFound = (place: RedactedPlace) => redacted.push(place);
  const recorded = { personal, patterns, known };
  const redactRequest = redactor(request ? recorded : { personal: false, known }, onFound);
  const turns = session.turns.map((turn, index): PinnedTurn => {
    const at = `/turns/${index}`;
    const sent = turn.request && (redactRequest(turn.request, `${at}/request`) as PinnedTurn['request']);
    const original = redactRecording(turn.recorded, recorded, onFound, `${at}/recorded`);
    const baselines = turn.baselines?.map((baseline, number) =>
      redactRecording(baseline, recorded, onFound, `${at}/baselines/${number}`),
    );
    return {
      ...turn,
      ...(sent && { request: sent }),
      recorded: original,
      ...(baselines && { baselines }),
    };
  });
  const leftInRequests = turns.flatMap(({ request: sent = null }, index) =>
    placesIn(sent as Json, { personal, patterns }, `/turns/${index}/request`),
  );
  // The title is taken from the first request, whose places are counted there.
  const title = session.title === undefined ? {} : { title: redactor(recorded)(session.title) as string };
  const settings = { personal, request, ...(patterns.length > 0 ? { patterns: [...patterns] } : {}) };
  return { session: { ...session, ...title, redacted: settings, turns }, redacted, leftInRequests };
}

function placesIn(value: Json, options: RedactOptions, pointer: string): RedactedPlace[] {
  const places: RedactedPlace[] = [];
  redactor(options, (place) => places.push(place))(value, pointer);
  return places;
}

/** Removes known secrets from a pinned session, but not from its id, which identifies it, nor from its time, which stays one. */
export function redactSessionTexts(session: Session, redact: (text: string) => string): Session {
  const redacted = redactTexts(session, redact);
  if (redacted === session) return session;
  const { recordedAt } = session;
  const turns = session.turns.map(({ recorded, baselines }, index) => ({
    ...redacted.turns[index]!,
    recorded: redactRecordingTexts(recorded, redact),
    ...(baselines && { baselines: baselines.map((each) => redactRecordingTexts(each, redact)) }),
  }));
  return { ...redacted, id: session.id, ...present({ recordedAt }), turns };
}

type RedactionCounts = Record<RedactedPlace['kind'], number>;

export function countByKind(places: readonly RedactedPlace[]): RedactionCounts {
  const counts: RedactionCounts = { secret: 0, pattern: 0, email: 0, card: 0, phone: 0 };
  for (const { kind } of places) counts[kind]++;
  return counts;
}
