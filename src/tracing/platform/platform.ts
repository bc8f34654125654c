import type { Identifiers, Trace } from '../../contract/index.ts';
import { assembleTrace } from '../assemble.ts';
import { tracingEnvironment } from '../environment.ts';
import type { TraceSource } from '../source.ts';
import { type Clock, systemClock } from './clock.ts';
import { Connection } from './connection.ts';
import type { Credentials } from './credentials.ts';
import { Poller } from './poller.ts';
import { chooseApi, type ReadApi, type TraceQuery } from './read-api.ts';
import { PATIENCE, type PlatformPatience } from './settled.ts';

export interface PlatformOptions extends Credentials {
  readonly identifiers?: Identifiers | undefined;
  /** Default: what the smallest plan allows on the vendor's cloud, no limit elsewhere. A server's own word wins. */
  readonly readsPerMinute?: number | undefined;
  readonly patience?: Partial<PlatformPatience>;
  /** Of opening alone. */
  readonly signal?: AbortSignal | undefined;
  /** For tests: time, and numbers between 0 and 1. */
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** A tracing platform as a source of traces. Closed with `await using`. */
export interface Platform extends TraceSource {
  /** Without a slash at the end. */
  readonly url: string;
  readonly secretKey: string;
  /** Which of the platform's read APIs this server has. */
  readonly api: ReadApi['name'];
  /**
   * What the agent's environment needs for its traces to go there, soon. The flush intervals give way to the
   * customer's own.
   */
  environment(): Record<string, string>;
  /** Traces since a time, newest first, with no observation but perhaps the root. A trace can come twice. */
  heads(query: TraceQuery, options: { signal: AbortSignal }): AsyncIterable<Trace>;
  /** One trace as it is now; undefined when it is not there. */
  trace(id: string, options: { signal: AbortSignal; since?: string }): Promise<Trace | undefined>;
  /** Reads made so far, and replays that were waited for. */
  stats(): { readonly reads: number; readonly replays: number };
}

/** The vendor's cloud is the only server with limits, until another one says so. */
const CLOUD = /(^|\.)langfuse\.com$/i;
/** Well below the quiet time, so that what an agent sends in two parts is one; the SDKs' own 5 s are above it. */
const FLUSH_INTERVAL_MS = 1_000;
/** Before there was a platform. */
const EVER = '2020-01-01T00:00:00.000Z';

/**
 * Opens a tracing platform: checks host and keys, and finds out which read API the server has.
 * @throws AgentReplayError `PLATFORM_*`
 */
export async function openPlatform(options: PlatformOptions): Promise<Platform> {
  const {
    host,
    publicKey,
    secretKey,
    identifiers,
    readsPerMinute,
    clock = systemClock,
    random = Math.random,
  } = options;
  const connection = new Connection(options, { clock, readsPerMinute });
  const api = await chooseApi(connection, {
    identifiers,
    signal: options.signal ?? new AbortController().signal,
  }).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  if (readsPerMinute === undefined && CLOUD.test(new URL(host).hostname)) {
    connection.budget.limitTo(api.readsPerMinute);
  }
  const poller = new Poller(api, {
    host,
    clock,
    random,
    patience: { ...PATIENCE, ...options.patience },
    paceMs: () => connection.budget.paceMs,
  });
  let replays = 0;
  return {
    url: host,
    secretKey,
    api: api.name,
    environment: () => ({
      ...tracingEnvironment({ url: host, publicKey, secretKey }, { identifiers }),
      LANGFUSE_FLUSH_INTERVAL: String(FLUSH_INTERVAL_MS / 1_000),
      OTEL_BSP_SCHEDULE_DELAY: String(FLUSH_INTERVAL_MS),
    }),
    stats: () => ({ reads: connection.budget.made, replays }),
    heads: (query, { signal }) => api.heads(query, signal),
    trace: async (id, { signal, since = EVER }) => {
      const reading = await api.read(id, since, signal);
      return reading === undefined ? undefined : assembleTrace(reading.records);
    },
    waitFor: (runId, waitOptions) => {
      replays++;
      return poller.waitFor(runId, waitOptions);
    },
    [Symbol.asyncDispose]: async () => {
      poller.close();
      await connection.close();
    },
  };
}
