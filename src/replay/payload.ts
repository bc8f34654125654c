import { type Carrier, type Identifiers, renderReplayRequest, type TurnRequest } from '../contract/index.ts';
import type { Target } from './target.ts';

/** The same for every call of a session's turn. */
interface PayloadSource {
  readonly request: TurnRequest;
  readonly originalSessionId: string;
  readonly turnTraceId: string | undefined;
}

export interface PayloadOptions {
  readonly carrier: Carrier;
  readonly identifiers: Identifiers | undefined;
  /** Names and values of the client's own headers, in turn. */
  readonly headers: readonly string[];
}

export interface Payload {
  readonly body: Buffer;
  /** Names and values, in turn. */
  readonly headers: string[];
}

/** @param replayRunId letters, digits, `.` and `-` */
export function payloadOf(
  { request, originalSessionId, turnTraceId }: PayloadSource,
  replayRunId: string,
  options: PayloadOptions,
): Payload {
  const { includesPriorContext: includePriorContext, ...sent } = request;
  const ids = { replayRunId, originalSessionId, turnTraceId };
  const { body, headers } = renderReplayRequest({ ...sent, ...ids, includePriorContext }, options);
  const entries = Object.entries(headers).flatMap(([name, value]) => {
    if (isHeaderText(value)) return [name, value];
    // A value that fits no header travels in the body; if there is only the header, it is percent-encoded.
    return options.carrier === 'headers' ? [name, encodeURIComponent(value.toWellFormed())] : [];
  });
  return { body: Buffer.from(JSON.stringify(body)), headers: [...options.headers, ...entries] };
}

function isHeaderText(text: string): boolean {
  return /^[\x20-\x7e]+$/.test(text);
}

/** Headers of every call, names and values in turn. The customer's own win. */
export function ownHeaders(target: Target, extra: Readonly<Record<string, string>>): string[] {
  const headers = new Map([
    ['content-type', 'application/json'],
    ['accept', 'application/json'],
    // No compression: a small response must not unpack to a large one.
    ['accept-encoding', 'identity'],
  ]);
  if (target.authorization !== undefined) headers.set('authorization', target.authorization);
  for (const [name, value] of Object.entries(extra)) headers.set(name.toLowerCase(), value);
  return [...headers].flat();
}
