import { randomUUID } from 'node:crypto';
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

/** A request that is rendered once. Calls differ only in their run id, which is put in. */
export class PreparedRequest {
  readonly #body: readonly Buffer[];
  readonly #headers: readonly string[];
  /** Names of the headers that carry the run id. */
  readonly #runIdHeaders: readonly string[];

  constructor({ request, originalSessionId, turnTraceId }: PayloadSource, options: PayloadOptions) {
    // Random, so that no recorded text can contain it.
    const placeholder = randomUUID();
    const { includesPriorContext: includePriorContext, ...sent } = request;
    const ids = { replayRunId: placeholder, originalSessionId, turnTraceId };
    const { body, headers } = renderReplayRequest({ ...sent, ...ids, includePriorContext }, options);
    this.#body = JSON.stringify(body)
      .split(placeholder)
      .map((part) => Buffer.from(part));
    const entries = Object.entries(headers);
    this.#runIdHeaders = entries.flatMap(([name, value]) => (value === placeholder ? name : []));
    this.#headers = [
      ...options.headers,
      ...entries.flatMap(([name, value]) => {
        if (value === placeholder) return [];
        if (isHeaderText(value)) return [name, value];
        // A value that fits no header travels in the body; if there is only the header, it is percent-encoded.
        return options.carrier === 'headers' ? [name, encodeURIComponent(value.toWellFormed())] : [];
      }),
    ];
  }

  /** @param runId letters, digits, `.` and `-` */
  payload(runId: string): Payload {
    const id = Buffer.from(runId, 'latin1');
    const parts = this.#body.flatMap((part, index) => (index === 0 ? part : [id, part]));
    return {
      body: parts.length === 1 ? parts[0]! : Buffer.concat(parts),
      headers: [...this.#headers, ...this.#runIdHeaders.flatMap((name) => [name, runId])],
    };
  }
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
