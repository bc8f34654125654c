import { randomBytes, randomUUID } from 'node:crypto';
import { sleep } from '../bounded/index.ts';
import type { Config } from '../config/index.ts';
import type { startLiveAgent } from '../job/index.ts';
import { type Json, jsonIn } from '../json/index.ts';
import { replaySessions } from '../replay/index.ts';
import type { Call, TimedExchange, TimedSpan } from './evidence/evidence.ts';
import { historyProbes, type PlannedProbe, type Probe, probesFor } from './evidence/probes.ts';
import { isAnswered, toolsIn } from './evidence/reading.ts';

type LiveAgent = Awaited<ReturnType<typeof startLiveAgent>>;

interface CallOptions {
  readonly questions: readonly [string, string];
  readonly recordedTools: readonly string[];
  /** All spans received so far, in order; the list grows. */
  readonly spans: readonly TimedSpan[];
  readonly signal: AbortSignal | undefined;
  readonly onCall: (probes: readonly Probe[]) => void;
}

/**
 * Calls an agent as a run does, in a few different ways, and stops when further calls would show nothing. Two calls run in
 * parallel; all others follow each other. Failures are evidence too.
 * @throws the signal's reason
 */
export async function callAgent(agent: LiveAgent, config: Config, options: CallOptions): Promise<Call[]> {
  const probes = probesFor(options.questions, config.carrier);
  const caller = new Caller(agent, config, options);
  const plain = identified(probes.plain);
  if (!(await caller.areReplayed(plain))) return caller.calls;
  agent.traces?.receiver?.holdExports(HOLD_MS);
  const isRepeated = await caller.areReplayed({ ...plain, name: 'the same again' });
  agent.traces?.receiver?.holdExports(0);
  if (!isRepeated) return caller.calls;
  await caller.areReplayed(identified(probes.byInput));
  // Refused for its input or its headers? Without a trace, for its headers.
  if (caller.wasRefused) await caller.areReplayed(identified(probes.inputAgain));
  if (!(await caller.areReplayed(...probes.together.map(identified)))) {
    await caller.areReplayed(identified(probes.oneOfTogether));
    if (caller.wasRefused) await caller.areReplayed(identified(probes.bodyAgain));
  }
  const [tool] = [...caller.calls.flatMap(({ trace }) => toolsIn(trace)), ...options.recordedTools];
  const [one, other] = historyProbes(options.questions[0], config.carrier, tool).map(identified) as [
    PlannedProbe,
    PlannedProbe,
  ];
  if (!(await caller.areReplayed(one, { ...other, originalSessionId: one.originalSessionId }))) {
    await caller.areReplayed({ ...one, name: 'the same, by itself' });
  }
  await caller.areReplayed(identified(probes.unusable));
  return caller.calls;
}

/** Longer than an agent needs from one export to its answer if it waits for none. */
const HOLD_MS = 1_000;

/** Once a trace has come, later ones are given up after a multiple of its time, but not before this. */
const PATIENCE = 5;
const MIN_PATIENCE_MS = 5_000;

/** After these failures nothing more is sent: the same would happen again, and might take as long. */
const HOPELESS = new Set(['AGENT_CRASHED', 'CALL_TIMEOUT', 'CALL_FAILED', 'TARGET_UNREACHABLE']);

class Caller {
  readonly calls: Call[] = [];
  readonly #agent: LiveAgent;
  readonly #config: Config;
  readonly #options: CallOptions;
  #traceMs: number;

  constructor(agent: LiveAgent, config: Config, options: CallOptions) {
    this.#agent = agent;
    this.#config = config;
    this.#options = options;
    this.#traceMs = config.timeouts.trace;
  }

  /** Sends replays in parallel; true if each is answered and, where traces are read, traced. */
  async areReplayed(...probes: readonly PlannedProbe[]): Promise<boolean> {
    const { calls, isOver } = this;
    if (isOver) return false;
    this.#options.onCall(probes);
    const sent = await this.#send(probes);
    calls.push(...sent);
    if (this.isOver) await sleep(LAST_MOMENT_MS, this.#agent.crashed).catch(() => {});
    return sent.every(({ outcome }) => outcome.kind === 'replayed');
  }

  /** Whether the last call was not even answered. */
  get wasRefused(): boolean {
    const last = this.calls.at(-1);
    return last !== undefined && !isAnswered(last);
  }

  get isOver(): boolean {
    return this.calls.some(({ outcome }) => outcome.kind === 'unverified' && HOPELESS.has(outcome.error.code));
  }

  async #send(probes: readonly PlannedProbe[]): Promise<Call[]> {
    const { signal, spans } = this.#options;
    const exchanges: TimedExchange[] = [];
    const [before, sentAt] = [spans.length, Date.now()];
    const calls: Call[] = [];
    const carrier = probes[0]?.carrier;
    const isUsable = probes.every(({ asked }) => asked !== undefined);
    const bySession = Map.groupBy(probes, ({ originalSessionId }) => originalSessionId);
    const sessions = [...bySession].map(([id, turns]) => ({
      id,
      turns: turns.map(({ turnTraceId, request }, index) => ({ turn: index + 1, request, traceId: turnTraceId })),
    }));
    const { timeouts, retries } = this.#config;
    for await (const result of replaySessions(sessions, {
      target: this.#agent.url,
      source: (isUsable && this.#agent.traces?.source) || null,
      settings: {
        ...this.#config,
        headers: { ...this.#agent.headers, ...this.#config.headers },
        ...(carrier && { carrier }),
        runs: 1,
        workers: probes.length,
        context: 'recorded',
        retries: isUsable ? retries : 0,
        maxCalls: undefined,
        maxCost: undefined,
        timeouts: { ...timeouts, trace: this.#traceMs, total: undefined },
      },
      identifiers: this.#config.identifiers,
      signal,
      crashed: this.#agent.crashed,
      agentLog: (lines) => this.#agent.log().slice(-lines),
      // Shows faults as they are.
      replaces: false,
      onExchange: (seen) => exchanges.push({ ...seen, endedAt: performance.now() }),
    })) {
      signal?.throwIfAborted();
      const { replayRunId, outcome, traceMs } = result;
      const index = probes.indexOf(bySession.get(result.session)?.[result.turn - 1] as PlannedProbe);
      const own = exchanges.filter((exchange) => exchange.replayRunId === replayRunId);
      if (traceMs !== undefined) {
        this.#traceMs = Math.min(timeouts.trace, Math.max(MIN_PATIENCE_MS, PATIENCE * traceMs));
      }
      const call: Call = {
        ...(probes[index] as PlannedProbe),
        number: this.calls.length + index + 1,
        isTogether: probes.length > 1,
        replayRunId,
        exchanges: own,
        body: bodyOf(own.at(-1)),
        outcome,
        trace: outcome.trace ?? undefined,
        spans: spans.slice(before),
        sentAt,
        concludedAt: Date.now(),
      };
      const earlier = calls.findIndex((each) => each.replayRunId === replayRunId);
      if (earlier === -1) calls.push(call);
      else calls[earlier] = call;
    }
    signal?.throwIfAborted();
    return calls.sort((a, b) => a.number - b.number);
  }
}

/** A connection may break before its process is known to have ended. */
const LAST_MOMENT_MS = 500;

function identified(probe: Probe): PlannedProbe {
  return {
    ...probe,
    originalSessionId: `doctor-${randomUUID()}`,
    turnTraceId: randomBytes(16).toString('hex'),
  };
}

function bodyOf(exchange: TimedExchange | undefined): Json | undefined {
  const hasCome = exchange !== undefined && exchange.error === undefined;
  return hasCome ? jsonIn(exchange.body.toString('utf8')) : undefined;
}
