import type { Identifiers } from '../../contract/index.ts';
import { AgentReplayError } from '../../errors.ts';
import type { Trace } from '../../trace/index.ts';
import { assembleTrace } from '../mapping/assemble.ts';
import { authorizationOf, tracingEnvironment } from '../tracing-environment.ts';
import { type Clock, systemClock } from '../waiting/clock.ts';
import type { TraceSource } from '../waiting/source.ts';
import { EVER, type ReadApi } from './api.ts';
import type { ReadCount, ReadDelay } from './budget.ts';
import { commandApi } from './command-api.ts';
import { Connection, type Site, unexpectedAnswer } from './connection.ts';
import { filesApi } from './files-api.ts';
import { observationsApi } from './observations-api.ts';
import type { LangfusePlace, Place } from './place.ts';
import { PATIENCE, type PlatformPatience, Poller } from './poller.ts';
import { tracesApi } from './traces-api.ts';

type PlatformOptions = Place & {
  readonly identifiers?: Identifiers;
  /** Default: the smallest plan's limit on the vendor's cloud, no limit elsewhere. A server's own statement wins. */
  readonly readsPerMinute?: number;
  readonly patience?: Partial<PlatformPatience>;
  /** Called if reads wait for seconds because of the server's limit, and again while that lasts. */
  readonly onDelay?: (delay: ReadDelay) => void;
  /** How long a server that is not available is tried at opening, in milliseconds. Default: a few seconds. */
  readonly openingMs?: number;
  /** Aborts only the opening. */
  readonly signal?: AbortSignal;
  /** For tests. */
  readonly clock?: Clock;
  readonly random?: () => number;
};

/** A place with traces, as a source: a platform, or files. Closed with `await using`. */
export interface Platform extends TraceSource, Pick<ReadApi, 'heads' | 'tracesOf'> {
  /** Without a slash at the end; for files their names. */
  readonly url: string;
  /** Undefined if none is needed. */
  readonly secretKey: string | undefined;
  readonly api: ReadApi['name'];
  /**
   * Variables for the agent's environment with which its traces soon reach the place. The customer's own flush intervals
   * win.
   */
  environment(): Record<string, string>;
  /** Reads that the server allows in a minute; undefined when no limit is known. */
  readsPerMinute(): number | undefined;
  /** One trace as it is now; undefined if it does not exist. */
  trace(id: string, options: { signal: AbortSignal; since?: string }): Promise<Trace | undefined>;
  stats(): { readonly reads: number; readonly replays: number };
}

/** The vendor's cloud is the only server with limits, until another one says so. */
const CLOUD = /(^|\.)langfuse\.com$/i;
/** Of its smallest plan, a minute. */
const CLOUD_READS = { traces: 15, observations: 30 };
/** Well below the quiet time, so that data which an agent sends in two parts counts as one; the SDKs' own 5 s are above it. */
const FLUSH_INTERVAL_MS = 1_000;

const UNLIMITED = { made: 0, paceMs: 0, delayedMs: 0, perMinute: undefined };

/** What a kind of place provides to make a {@link Platform}. */
interface Opened {
  readonly url: string;
  readonly secretKey?: string;
  readonly api: ReadApi;
  readonly environment: Record<string, string>;
  /** Absent if nothing is read over a network. */
  readonly connection?: Connection;
  /** The costs of reading, if the connection does not count them. */
  readonly budget?: ReadCount;
}

/**
 * Opens a place with traces, after checking that it exists and can be read.
 * @throws AgentReplayError `PLATFORM_*`, `INPUT_INVALID` (a missing file)
 */
export async function openPlatform(options: PlatformOptions): Promise<Platform> {
  const { clock = systemClock, random = Math.random, patience } = options;
  const { url, secretKey, api, environment, connection, ...place } = await opened(options, clock);
  const budget = connection?.budget ?? place.budget ?? UNLIMITED;
  const poller = new Poller(api, {
    host: url,
    clock,
    random,
    patience: { ...PATIENCE, ...patience },
    budget,
  });
  let replays = 0;
  return {
    url,
    secretKey,
    api: api.name,
    environment: () => environment,
    stats: () => ({ reads: budget.made, replays }),
    heads: api.heads,
    tracesOf: api.tracesOf,
    readsPerMinute: () => budget.perMinute,
    trace: async (id, { signal, since = EVER }) => {
      const reading = await api.read(id, since, signal);
      return reading && assembleTrace(reading.records);
    },
    waitFor: async (runId, waitOptions) => {
      replays++;
      return poller.waitFor(runId, waitOptions);
    },
    revised: (runId, reviseOptions) => poller.revised(runId, reviseOptions),
    [Symbol.asyncDispose]: async () => {
      poller.close();
      await connection?.close();
    },
  };
}

async function opened(options: PlatformOptions, clock: Clock): Promise<Opened> {
  const { identifiers, signal = NEVER } = options;
  switch (options.platform) {
    case undefined:
    case 'langfuse':
      return openLangfuse(options, options, clock);
    case 'files': {
      // The agent needs no address: it or its collector already writes the files.
      const api = filesApi({ ...options, identifiers });
      await api.probe(signal);
      return { url: options.paths.join(', '), api, environment: {} };
    }
    case 'command': {
      // The agent and the command decide where its traces go.
      const budget = { ...UNLIMITED };
      const api = commandApi(options, { identifiers, onCall: () => budget.made++ });
      await api.probe(signal);
      return { url: options.command.join(' '), api, environment: {}, budget };
    }
  }
}

const NEVER = new AbortController().signal;

async function openLangfuse(place: LangfusePlace, options: PlatformOptions, clock: Clock): Promise<Opened> {
  const { host, publicKey, secretKey } = place;
  const { identifiers, readsPerMinute } = options;
  const authorization = authorizationOf(place);
  const site = {
    host,
    headers: { authorization },
    secrets: [authorization.replace('Basic ', ''), secretKey, publicKey],
  };
  const found = await connected(site, options, clock, (connection, signal) =>
    chooseApi(connection, { identifiers, signal }),
  );
  const { connection, api } = found;
  const isOfCloud = readsPerMinute === undefined && CLOUD.test(new URL(host).hostname);
  if (isOfCloud) connection.budget.limitTo(api.name === 'traces' ? CLOUD_READS.traces : CLOUD_READS.observations);
  const environment = {
    ...tracingEnvironment({ url: host, publicKey, secretKey }, { identifiers }),
    LANGFUSE_FLUSH_INTERVAL: String(FLUSH_INTERVAL_MS / 1_000),
    OTEL_BSP_SCHEDULE_DELAY: String(FLUSH_INTERVAL_MS),
  };
  return { ...found, secretKey, environment };
}

/** A connection and the API found behind it; closed if there is none. */
async function connected(
  site: Site,
  { readsPerMinute, onDelay, openingMs = 0, signal = NEVER }: PlatformOptions,
  clock: Clock,
  find: (connection: Connection, signal: AbortSignal) => Promise<ReadApi>,
): Promise<{ url: string; connection: Connection; api: ReadApi }> {
  const connection = new Connection(site, { clock, readsPerMinute, onDelay });
  const until = clock.now() + openingMs;
  for (;;) {
    try {
      return { url: site.host, connection, api: await find(connection, signal) };
    } catch (error) {
      const leftMs = until - clock.now();
      const isAway = error instanceof AgentReplayError && error.code === 'PLATFORM_UNREACHABLE' && leftMs > 0;
      if (isAway) onDelay?.({ perMinute: undefined, aboutMs: leftMs, isAway });
      else await connection.close();
      if (!isAway) throw error;
    }
  }
}

/**
 * The older API where a server has both: traces of older SDKs reach the other only minutes later, or never.
 * @throws AgentReplayError `PLATFORM_UNEXPECTED_ANSWER` if the server has neither
 */
async function chooseApi(
  connection: Connection,
  options: { identifiers?: Identifiers; signal: AbortSignal },
): Promise<ReadApi> {
  for (const api of [tracesApi(connection, options), observationsApi(connection, options)]) {
    if (await api.probe(options.signal)) return api;
  }
  throw unexpectedAnswer(connection.host, 'GET /api/public/traces and /api/public/v2/observations: 404');
}
