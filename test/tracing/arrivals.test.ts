import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { AgentReplayError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/json/index.ts';
import type { Recording, Trace } from '../../src/trace/index.ts';
import {
  habitsOf,
  openPlatform,
  type Platform,
  type Receiver,
  startReceiver,
  type TraceSource,
} from '../../src/tracing/index.ts';
import { sampler } from '../sample.ts';
import { KEYS, platform, rowOf, serve } from './platform-server.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { exportOf, generation, post, RUN, type SpanOptions } from './spans.ts';
import { tracesIn } from './traces-in.ts';

/** Milliseconds on the agent's clock: when the call is answered. */
const ANSWERED = Date.parse('2026-11-21T00:40:00.000Z');
const DEADLINE_MS = 200_000;
/** Platforms show a span only this long after it was sent. */
const LAG_MS = 1_000;

const CALLS = [{ id: 'c1', type: 'function', function: { name: 'search', arguments: '{}' } }];
const USER = { role: 'user', content: 'hi' };
const GIVEN = [
  USER,
  { role: 'assistant', content: null, tool_calls: CALLS },
  { role: 'tool', tool_call_id: 'c1', content: '[]' },
];

const tool = (name: string, more: Record<string, string> = {}): SpanOptions => ({
  id: name,
  parent: 'root',
  attributes: { 'langfuse.observation.type': 'tool', 'gen_ai.tool.name': name, ...more },
});
const ROOT: SpanOptions = { id: 'root', attributes: { 'langfuse.observation.type': 'agent' } };
const ASKS = generation('asks', { messages: [USER] }, { role: 'assistant', content: null, tool_calls: CALLS });
const SEARCH = tool('search', { 'gen_ai.tool.call.id': 'c1' });
const ANSWERS = generation('answers', { messages: GIVEN }, { role: 'assistant', content: 'found' });
/** Nobody asked for it: the agent saves what it has learned. */
const SAVE = tool('save_memory');

/** In which order spans leave: the portions. */
const ORDERS = {
  'root first': [[ROOT, ASKS], [SEARCH], [ANSWERS], [SAVE]],
  'root first, call asked for later': [[ROOT, SEARCH], [ASKS], [ANSWERS], [SAVE]],
  'root last': [[ASKS], [SEARCH], [ANSWERS], [SAVE, ROOT]],
  'an act after all the rest': [[ROOT, ASKS, SEARCH, ANSWERS], [SAVE]],
  'root last but for an act': [[ASKS, SEARCH], [ANSWERS, ROOT], [SAVE]],
} as const;

interface Arrival {
  readonly order: keyof typeof ORDERS;
  /** What comes, portion by portion; and what never does. */
  readonly portions: readonly (readonly SpanOptions[])[];
  readonly never: readonly SpanOptions[];
  readonly gapMs: number;
  /** Whether the recorded turn ended as late as this one does, or with its root. */
  readonly recordedGap: boolean;
  /** Platforms show a portion so long after it was sent; receivers and files at once. */
  readonly lagMs?: (portion: number) => number;
  /** The call is answered so long after the first portion was sent. */
  readonly answeredMs?: number;
}

/** The same spans in fewer portions: the last ones come together. */
function inPortions(order: keyof typeof ORDERS, count: number): SpanOptions[][] {
  const all = ORDERS[order].map((each) => [...each]);
  return [...all.slice(0, count - 1), all.slice(count - 1).flat()];
}

const at = (span: SpanOptions, ms: number): SpanOptions => ({
  ...span,
  startMs: ANSWERED + ms,
  attributes: { ...span.attributes, ...RUN },
});

function recordingOf({ portions, never, gapMs, recordedGap }: Arrival): Recording {
  const all = [...portions, never].flatMap((spans, portion) =>
    spans.map((span) => at(span, recordedGap ? portion * gapMs : 0)),
  );
  return { observations: tracesIn(exportOf(...all)).flatMap(({ observations }) => observations) };
}

type Verdict = 'whole' | 'missing' | 'could not tell';
interface Found {
  readonly verdict: Verdict;
  readonly proof: Trace['ended'];
  readonly takenAt: number;
}

interface Opened {
  readonly source: TraceSource;
  readonly send: (spans: readonly SpanOptions[]) => Promise<unknown>;
  readonly lagMs: number;
  readonly isBusy: () => boolean;
  readonly end?: () => PromiseLike<void>;
}

const readsOf = (source: TraceSource | Platform) => ('heads' in source ? source.stats().reads : 0);

const SOURCES = {
  async receiver(clock: SimulatedClock) {
    const receiver = await startReceiver({ clock });
    const send = (spans: readonly SpanOptions[]) => post(receiver, exportOf(...spans));
    return { source: receiver, send, lagMs: 0, isBusy: () => false };
  },
  traces: (clock: SimulatedClock) => onPlatform('v2', clock),
  observations: (clock: SimulatedClock) => onPlatform('events_only', clock),
  async files(clock: SimulatedClock) {
    const dir = await mkdtemp(path.join(tmpdir(), 'arrivals-'));
    const source = await openPlatform({ platform: 'files', paths: [dir], clock, random: () => 0.5 });
    const send = (spans: readonly SpanOptions[]) => appendFile(path.join(dir, 'a.jsonl'), `${exportOf(...spans)}\n`);
    const end = () => rm(dir, { recursive: true });
    return { source, send, lagMs: 0, isBusy: () => clock.asleep === 0, end };
  },
};

async function onPlatform(mode: 'v2' | 'events_only', clock: SimulatedClock) {
  const sent: SpanOptions[] = [];
  const stored = () => {
    const traces = sent.length === 0 ? [] : tracesIn(exportOf(...sent));
    const rows = traces.flatMap((trace) =>
      trace.observations.map((each) => ({ ...rowOf(trace, each), isRootObservation: each.parentId === null })),
    );
    const whole = traces.map((trace) => ({ ...trace, observations: rows }) as unknown as JsonObject);
    return { rows, traces: whole };
  };
  const server = await serve(platform(mode, stored));
  const source = await openPlatform({ host: server.url, ...KEYS, clock, random: () => 0.5 });
  const end = () => server[Symbol.asyncDispose]();
  const send = async (spans: readonly SpanOptions[]) => void sent.push(...spans);
  return { source, send, lagMs: LAG_MS, isBusy: () => clock.asleep === 0, end };
}

/** What one source makes of it. */
async function found(name: keyof typeof SOURCES, arrival: Arrival): Promise<Found> {
  const clock = new SimulatedClock();
  const opened: Opened = await SOURCES[name](clock);
  const { source, send, isBusy, end, ...usual } = opened;
  const { portions, gapMs, lagMs = () => usual.lagMs, answeredMs = 0 } = arrival;
  for (const [portion, spans] of portions.entries()) {
    const sentAt = portion * gapMs;
    const all = spans.map((span) => at(span, sentAt));
    clock.at(sentAt + lagMs(portion), () => send(all));
  }
  let isAnswered = answeredMs === 0;
  const responded = Promise.withResolvers<void>();
  if (isAnswered) responded.resolve();
  else
    clock.at(answeredMs, () => {
      isAnswered = true;
      responded.resolve();
    });
  const deadline = new AbortController();
  clock.at(DEADLINE_MS, () => deadline.abort());
  const recordings = [recordingOf(arrival)];
  const options = { signal: deadline.signal, habits: habitsOf(recordings), recordings };
  const trace: Trace | AgentReplayError = await clock
    .until(source.waitFor('r1', { ...options, responded: responded.promise }), () => isAnswered && isBusy())
    .catch((error: unknown) => {
      if (error instanceof AgentReplayError) return error;
      throw error;
    });
  const takenAt = clock.elapsedMs;
  await source[Symbol.asyncDispose]();
  await end?.();
  if (trace instanceof AgentReplayError) {
    expect(trace.code).toBe('TRACE_INCOMPLETE');
    return { verdict: 'could not tell', proof: undefined, takenAt };
  }
  const isWhole = trace.observations.length === recordings[0]?.observations.length;
  return { verdict: isWhole ? 'whole' : 'missing', proof: trace.ended, takenAt };
}

/** Whether what has come shows that more will: no root, or a call that is asked for, carried out or answered by half. */
function goesOn(spans: readonly SpanOptions[]): boolean {
  const has = (span: SpanOptions) => spans.includes(span);
  return !has(ROOT) || ((has(ASKS) || has(SEARCH)) && !(has(ASKS) && has(SEARCH) && has(ANSWERS)));
}

/** The rule: what came, and what the recording holds, or what has already been seen of this agent. */
function expected({ portions, never, gapMs, recordedGap }: Arrival): Verdict {
  for (let came = 1; came <= portions.length; came++) {
    if (goesOn(portions.slice(0, came).flat())) continue;
    const isLast = came === portions.length;
    const isKnown = recordedGap || came > 1;
    if (isLast || (!isKnown && gapMs > 2_000)) return isLast && never.length === 0 ? 'whole' : 'missing';
  }
  return never.length === 0 ? 'whole' : 'could not tell';
}

const GAPS_MS = [0, 1_000, 6_000, 15_000, 30_000];

for (const order of Object.keys(ORDERS) as (keyof typeof ORDERS)[]) {
  for (const count of ORDERS[order].map((_, index) => index + 1)) {
    test(`arrivals, ${order}, in portions: ${count}: each source says the same, by what came and what is recorded`, async () => {
      const parts = inPortions(order, count);
      const isTried = sampler();
      for (const gapMs of count === 1 ? [0] : GAPS_MS) {
        for (const recordedGap of gapMs === 0 ? [true] : [true, false]) {
          for (const isCut of count === 1 ? [false] : [false, true]) {
            if (!isTried()) continue;
            const never = isCut ? (parts.at(-1) ?? []) : [];
            const arrival = { order, portions: isCut ? parts.slice(0, -1) : parts, never, gapMs, recordedGap };
            const names = Object.keys(SOURCES) as (keyof typeof SOURCES)[];
            const all = await Promise.all(names.map((name) => found(name, arrival)));
            const shown = `gap ${gapMs} ms, ${recordedGap ? 'as recorded' : 'not recorded'}, ${isCut ? 'cut off' : 'all'}`;
            const verdict = expected(arrival);
            expect([shown, ...all.map((each) => each.verdict)]).toEqual([shown, ...names.map(() => verdict)]);
            for (const { proof, takenAt } of all) {
              if (verdict === 'missing')
                expect(proof?.silentMs, shown).toBeGreaterThanOrEqual(recordedGap ? 2 * gapMs : 2_000);
              else expect(proof, shown).toBeUndefined();
              // A gap of the recordings is waited for twice, and no longer than that takes to see.
              const last = arrival.portions.length - 1;
              const longest = (last + (isCut ? 2 : 0)) * gapMs + 2 * 4_000 + 10_000;
              if (verdict !== 'could not tell') expect(takenAt, shown).toBeLessThan(longest);
            }
          }
        }
      }
    });
  }
}

const LAGS = {
  steady: (ms: number) => () => ms,
  growing: (ms: number) => (portion: number) => ms * (portion + 1),
  'late at first': (ms: number) => (portion: number) => Math.max(ms / (portion + 1), 500),
};

test.each(Object.keys(LAGS) as (keyof typeof LAGS)[])(
  'the lag of a platform is known from the traces themselves: %s, from 1 to 30 s, first seen before the answer or after, it makes no step missing',
  async (kind) => {
    const isTried = sampler();
    for (const [order, { length }] of Object.entries(ORDERS)) {
      const portions = inPortions(order as keyof typeof ORDERS, length);
      for (const lagMs of [1_000, 8_000, 30_000].map(LAGS[kind])) {
        for (const [gapMs, answeredMs] of [
          [0, 0],
          [6_000, 0],
          [6_000, 20_000],
          [1_000, 60_000],
        ] as const) {
          if (!isTried()) continue;
          const arrival = { order: order as keyof typeof ORDERS, portions, never: [], gapMs, recordedGap: true };
          const names = ['traces', 'observations'] as const;
          const all = await Promise.all(names.map((name) => found(name, { ...arrival, lagMs, answeredMs })));
          const shown = `${order}, ${lagMs(0)} ms, portions ${gapMs} ms apart, answered after ${answeredMs} ms`;
          expect([shown, ...all.map(({ verdict }) => verdict)]).toEqual([shown, 'whole', 'whole']);
        }
      }
    }
  },
);

test('what comes when a trace was judged without it is judged all the same at the end, from each source, with a read or two', async () => {
  const portions = inPortions('an act after all the rest', 2);
  const arrival = {
    order: 'an act after all the rest',
    portions,
    never: [],
    gapMs: 30_000,
    recordedGap: false,
  } as const;
  const recordings = [recordingOf(arrival)];
  const options = { signal: new AbortController().signal, habits: habitsOf(recordings), recordings };
  for (const name of Object.keys(SOURCES) as (keyof typeof SOURCES)[]) {
    const clock = new SimulatedClock();
    const opened: Opened = await SOURCES[name](clock);
    const { source, send, isBusy, end } = opened;
    const [first = [], last = []] = portions.map((spans, portion) => spans.map((span) => at(span, portion * 30_000)));
    await send(first);
    const trace = await clock.until(source.waitFor('r1', { ...options, responded: Promise.resolve() }), isBusy);
    expect([name, trace.ended?.without]).toEqual([name, ['a call of "save_memory"']]);
    await send(last);
    const reads = readsOf(source);
    const revision = await source.revised?.('r1', options);
    expect([name, revision?.lateSpans, revision?.trace]).toMatchObject([name, 1, { observations: { length: 5 } }]);
    expect(readsOf(source) - reads).toBeLessThanOrEqual(2);
    await source[Symbol.asyncDispose]();
    await end?.();
  }
});

test('what comes late and is not the missing step: before its silence it could not be verified, and after it, or once the agent has ended, with its proof', async () => {
  const note = tool('take_note');
  const [first = [], last = []] = inPortions('an act after all the rest', 2);
  const all = [...first, ...last, note].map((span) => at(span, 0));
  const recordings = [{ observations: tracesIn(exportOf(...all)).flatMap(({ observations }) => observations) }];
  const options = { signal: new AbortController().signal, habits: habitsOf(recordings), recordings };
  const revised = async (
    then: (clock: SimulatedClock, late: () => Promise<unknown>, receiver: Receiver) => unknown,
  ) => {
    const clock = new SimulatedClock();
    await using receiver = await startReceiver({ clock });
    await post(receiver, exportOf(...first.map((span) => at(span, 0))));
    const trace = await clock.until(receiver.waitFor('r1', { ...options, responded: Promise.resolve() }));
    expect(trace.ended?.without).toEqual(['a call of "save_memory"', 'a call of "take_note"']);
    await then(clock, () => post(receiver, exportOf(...last.map((span) => at(span, 30_000)))), receiver);
    return (await receiver.revised('r1', options))?.trace;
  };
  const pass = (clock: SimulatedClock, ms: number) => clock.until(clock.sleep(ms, options.signal));
  expect(await revised((_, late) => late())).toMatchObject({
    code: 'TRACE_INCOMPLETE',
    evidence: expect.arrayContaining(['missing: a call of "take_note"']),
  });
  const ended = { without: ['a call of "take_note"'], recordedMs: 0 };
  expect(await revised((clock, late) => late().then(() => pass(clock, 5_000)))).toMatchObject({
    ended: { ...ended, silentMs: 5_000 },
  });
  expect(await revised((_, late, receiver) => receiver.takeLast(late()))).toMatchObject({
    ended: { ...ended, silentMs: null },
  });
});

test('a trace that is whole is waited for once, as long as without recordings, and not at all where it is counted', async () => {
  const waits = async (options: object) => {
    const clock = new SimulatedClock();
    await using receiver = await startReceiver({ clock });
    await post(
      receiver,
      exportOf(
        ...inPortions('root first', 1)
          .flat()
          .map((span) => at(span, 0)),
      ),
    );
    const trace = receiver.waitFor('r1', {
      signal: new AbortController().signal,
      responded: Promise.resolve(),
      ...options,
    });
    expect((await clock.until(trace)).observations).toHaveLength(5);
    return [clock.sleeps, clock.elapsedMs];
  };
  const recordings = [
    recordingOf({
      order: 'root first',
      portions: inPortions('root first', 4),
      never: [],
      gapMs: 6_000,
      recordedGap: true,
    }),
  ];
  const known = { habits: habitsOf(recordings), recordings };
  expect(await waits({})).toEqual([1, 250]);
  expect(await waits(known)).toEqual([1, 250]);
  expect(await waits({ ...known, announced: () => 5 })).toEqual([0, 0]);
});

test('a trace that is whole on a platform is read as often, and taken as soon, as without recordings', async () => {
  const reads = async (options: object) => {
    const clock = new SimulatedClock();
    const { source, send, isBusy, end } = await onPlatform('events_only', clock);
    await send(
      inPortions('root first', 1)
        .flat()
        .map((span) => at(span, 0)),
    );
    const waiting = source.waitFor('r1', { signal: new AbortController().signal, ...options });
    await clock.until(waiting, isBusy);
    await source[Symbol.asyncDispose]();
    await end();
    return [source.stats().reads, clock.sleeps, clock.elapsedMs];
  };
  const recordings = [
    recordingOf({
      order: 'root first',
      portions: inPortions('root first', 4),
      never: [],
      gapMs: 6_000,
      recordedGap: true,
    }),
  ];
  const without = await reads({});
  expect(await reads({ habits: habitsOf(recordings), recordings })).toEqual(without);
});
