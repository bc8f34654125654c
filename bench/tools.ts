// Measures a recorded result of a tool beside a call of the tool itself. An agent in a process of its own asks for
// results of a recording of 50 calls, as a replay does. Also measures the runner's live memory after many replays.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { markdownTable } from 'markdown-table';
import { compareRules } from '../src/compare/index.ts';
import { identifiers } from '../src/contract/index.ts';
import { replayTools } from '../src/endpoint/index.ts';
import { startToolsEndpoint, ToolPolicies, toolSettings } from '../src/tools/index.ts';
import type { Recording } from '../src/trace/index.ts';
import { many, medianOf, record } from './results.ts';

const CALLS = 50;
const ROUNDS = many(40);
const MEMORY_REPLAYS = many(1_000, 50);

interface Asked {
  readonly runId: string;
  readonly atOnce: number;
}
type Told = { readonly bareMs: readonly number[]; readonly recordedMs: readonly number[] };

const argumentsOf = (nth: number) => ({ order: `FO-${nth}`, with: 'a text as a model writes it. '.repeat(10) });
const resultOf = (nth: number) => ({ found: nth, items: Array(10).fill({ article: 'kettle', price: 49.9 }) });

if (process.send === undefined) await runner();
else await agent();

async function agent(): Promise<void> {
  const real = { lookup: async (args: { order: string }) => ({ found: args.order }) };
  let runId = '';
  const { lookup } = replayTools(real, { runId: () => runId });
  process.on('message', (asked: Asked) => {
    runId = asked.runId;
    void (async () => {
      const bareMs = await each(asked.atOnce, (nth) => real.lookup(argumentsOf(nth)));
      const recordedMs = await each(asked.atOnce, (nth) => lookup(argumentsOf(nth)));
      process.send?.({ bareMs, recordedMs } satisfies Told);
    })();
  });
  process.send?.({ bareMs: [], recordedMs: [] } satisfies Told);
}

/** Milliseconds per call: one call after another, or all together. */
async function each(atOnce: number, call: (nth: number) => Promise<unknown>): Promise<number[]> {
  let next = 0;
  const took: number[] = [];
  const worker = async (): Promise<void> => {
    for (let nth = next++; nth < CALLS; nth = next++) {
      const from = performance.now();
      await call(nth);
      took.push(performance.now() - from);
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: atOnce }, worker));
  return atOnce === 1 ? took : [(performance.now() - from) / CALLS];
}

async function runner(): Promise<void> {
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  const recording: Recording = {
    observations: Array.from({ length: CALLS }, (_, nth) => ({
      id: `t${nth}`,
      parentId: null,
      type: 'tool',
      name: 'lookup',
      startTime: at(nth * 10),
      endTime: at(nth * 10 + 5),
      input: argumentsOf(nth),
      output: resultOf(nth),
    })),
  };
  const recordings = [recording];
  const policies = new ToolPolicies(toolSettings.parse('recorded'), {});
  await using endpoint = await startToolsEndpoint({
    policies: () => policies,
    outside: () => 'live',
    rules: compareRules.parse({}),
    identifiers: identifiers.parse({}),
    recorded: () => ({ recordings, asPinned: (value) => value }),
  });
  const child = fork(import.meta.filename, { env: { ...process.env, ...endpoint.environment() } });
  await once(child, 'message');
  let replays = 0;
  const replay = async (atOnce: number): Promise<Told> => {
    const runId = `r${replays++}`;
    await endpoint.begin(runId, { session: 's', turn: 1, run: 1 });
    child.send({ runId, atOnce } satisfies Asked);
    const [told] = (await once(child, 'message')) as [Told];
    endpoint.end(runId);
    return told;
  };
  const rows = [];
  for (const atOnce of [1, 16]) {
    await replay(atOnce);
    const told: Told[] = [];
    for (let round = 0; round < ROUNDS; round++) told.push(await replay(atOnce));
    const [recorded, bare] = [told.flatMap(({ recordedMs }) => recordedMs), told.flatMap(({ bareMs }) => bareMs)];
    const overMs = medianOf(recorded) - medianOf(bare);
    rows.push({ atOnce, overMs });
  }
  const alive: number[] = [];
  for (let nth = 0; nth < MEMORY_REPLAYS; nth++) {
    await replay(16);
    if ((nth + 1) % (MEMORY_REPLAYS / 5) !== 0) continue;
    global.gc?.();
    alive.push(Math.round(process.memoryUsage().heapUsed / 2 ** 20));
  }
  child.disconnect();
  record('tools', { rows, alive });
  console.log(
    markdownTable([
      ['calls at once', 'each, over the bare call'],
      ...rows.map(({ atOnce, overMs }) => [`${atOnce}`, `${overMs.toFixed(2)} ms`]),
    ]),
  );
  console.log(`\nAlive after each fifth of ${MEMORY_REPLAYS * CALLS} calls: ${alive.join(', ')} MiB.`);
}
