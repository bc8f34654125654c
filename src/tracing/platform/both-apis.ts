import type { Identifiers } from '../../contract/index.ts';
import type { Trace } from '../../trace/index.ts';
import type { ReadApi } from './api.ts';
import { type Connection, unexpectedAnswer } from './connection.ts';
import { observationsApi } from './observations-api.ts';
import { tracesApi } from './traces-api.ts';

/** @throws AgentReplayError `PLATFORM_UNEXPECTED_ANSWER` if the server has neither */
export async function chooseApi(
  connection: Connection,
  options: { identifiers?: Identifiers | undefined; signal: AbortSignal },
): Promise<ReadApi> {
  const [older, newer] = [tracesApi(connection, options), observationsApi(connection, options)];
  if (await older.probe(options.signal)) return bothApis(older, newer);
  if (await newer.probe(options.signal)) return newer;
  throw unexpectedAnswer(connection.host, 'GET /api/public/traces and /api/public/v2/observations: 404');
}

/**
 * A server with the older read API, and perhaps the newer one. Replay traces are searched in the older one: those of older
 * SDKs reach the other only minutes later, or never. Recordings are searched in both: after a change of the server's write
 * mode, each has traces that the other lacks. The newer one is looked for once, when first needed.
 */
function bothApis(older: ReadApi, newer: ReadApi): ReadApi {
  let asked: Promise<boolean> | undefined;
  const all = async (signal: AbortSignal): Promise<readonly ReadApi[]> => {
    asked ??= newer.probe(signal).catch((error) => {
      asked = undefined;
      throw error;
    });
    return (await asked) ? [older, newer] : [older];
  };
  return {
    ...older,
    async read(traceId, since, signal) {
      const reading = await older.read(traceId, since, signal);
      if (reading !== undefined) return reading;
      const [, other] = await all(signal);
      return other?.read(traceId, since, signal);
    },
    async tracesOf(sessionId, signal) {
      const found = await Promise.all((await all(signal)).map((api) => api.tracesOf(sessionId, signal)));
      return [...new Set(found.flat())];
    },
    async *heads(query, signal) {
      yield* merged((await all(signal)).map((api) => api.heads(query, signal)));
    },
  };
}

/** Merges two streams of traces, each newest first. If a trace is in both, the first to arrive counts. */
async function* merged(streams: readonly AsyncIterable<Trace>[]): AsyncGenerator<Trace> {
  const iterators = streams.map((stream) => stream[Symbol.asyncIterator]());
  try {
    const next = await Promise.all(iterators.map((iterator) => iterator.next()));
    const seen = new Set<string>();
    for (;;) {
      let newest = -1;
      for (const [index, { done, value }] of next.entries()) {
        if (done) continue;
        const best = next[newest];
        if (best === undefined || best.done || value.timestamp > best.value.timestamp) newest = index;
      }
      const head = next[newest];
      if (head === undefined || head.done) return;
      if (!seen.has(head.value.id)) yield head.value;
      seen.add(head.value.id);
      next[newest] = await (iterators[newest] as AsyncIterator<Trace>).next();
    }
  } finally {
    // A caller that stops early reads no further page of either.
    await Promise.all(iterators.map((iterator) => iterator.return?.()));
  }
}
