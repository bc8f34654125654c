import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Step, trajectoryOf } from '../../src/compare/steps/trajectory.ts';
import { isJsonObject, type Json, type JsonObject, type Recording, type Trace } from '../../src/contract/index.ts';
import { recordingOf } from '../../src/session/index.ts';
import { assembleTrace } from '../../src/tracing/assemble.ts';
import { tracesFromOtlp } from '../../src/tracing/index.ts';
import { ingestionReader } from '../../src/tracing/ingestion.ts';
import { rowReader } from '../../src/tracing/platform/rows.ts';
import { TraceStore } from '../../src/tracing/store.ts';

const HERE = path.join(import.meta.dirname, 'fixtures/steps');
const TRACING = path.join(import.meta.dirname, '../tracing/fixtures');
const PINS = path.join(import.meta.dirname, '../../examples/support-agent/replays');

interface Exchange {
  readonly label?: string;
  readonly request: { readonly path: string };
  readonly response: { readonly body: JsonObject };
  readonly body?: Json;
}

function read(...file: string[]): Json {
  return JSON.parse(readFileSync(path.join(...file), 'utf8')) as Json;
}

/** The steps as a person would write them down, one a line. */
function written(steps: readonly Step[]): string {
  return steps
    .map(({ kind, name, value }) => `${[kind, name, JSON.stringify(value)].filter(Boolean).join(' ')}\n`)
    .join('');
}

async function expectSteps(recording: Recording, golden: string): Promise<void> {
  await expect(written(trajectoryOf(recording).steps)).toMatchFileSnapshot(path.join(HERE, `${golden}.steps.txt`));
}

test.each([
  'ai-sdk-v6-experimental-telemetry',
  'ai-sdk-v7-langfuse',
  'js-v4-otel',
  'js-v5-otel',
  'plain-otel-genai-protobuf',
])('exported by %s', async (sender) => {
  const exchanges = read(TRACING, `capture-${sender}.json`) as unknown as Exchange[];
  const [trace] = tracesFromOtlp(exchanges.map(({ body }) => JSON.stringify(body)).join('\n'));
  await expectSteps(recordingOf(trace as Trace), `otlp.${sender}`);
});

test('sent by the legacy SDK', async () => {
  type Recorded = { scenario: string; batches: { batch: { type: string; body: JsonObject }[] }[] };
  for (const { scenario, batches } of read(TRACING, 'legacy-ingestion.json') as unknown as Recorded[]) {
    const reader = ingestionReader();
    const store = new TraceStore(
      { spansPerTrace: 1_000, bytes: 2 ** 20, keptBytes: 0 },
      { quietMs: 0, settleMs: 600_000 },
    );
    for (const { batch } of batches) {
      for (const { type, body } of batch) {
        // How the receiver finds a trace; the recorded scenario had none.
        if (type === 'trace-create' && isJsonObject(body.metadata)) body.metadata.svc_replay_run_id = 'r1';
      }
      store.add(reader({ batch })?.arrivals ?? [], 1);
    }
    const trace = await store.waitFor('r1', { signal: AbortSignal.timeout(5_000) });
    await expectSteps(recordingOf(trace), `ingestion.${scenario}`);
  }
});

const LIVE = {
  'v2.trace-get-1': 'traces',
  'v4-dual.trace-get-1': 'traces',
  'v4-dual.trace-get-2': 'traces',
  'v4-dual.observations-v2-trace-js5': 'rows',
  'v4-dual.observations-v2-trace-others': 'rows',
} as const;

test.each(Object.entries(LIVE))('read from a platform: %s', async (file, kind) => {
  const { exchanges } = read(TRACING, `live/${file}.json`) as unknown as { exchanges: Exchange[] };
  const rows = rowReader();
  for (const { label, response } of exchanges) {
    const records =
      kind === 'traces'
        ? rows.trace(response.body)
        : ((response.body.data as Json[] | undefined) ?? []).filter(isJsonObject).map((row) => rows.observation(row));
    // A platform that has not yet made rows of what an older SDK sent.
    if (records.length === 0) continue;
    const trace = assembleTrace(records.filter((record) => record !== undefined));
    await expectSteps(recordingOf(trace), `${file}.${label?.replace(/\W+/g, '-')}`);
  }
});

test.each(readdirSync(PINS))('pinned: %s', async (file) => {
  const { turns } = read(PINS, file) as unknown as { turns: { recorded: Recording }[] };
  for (const [index, { recorded }] of turns.entries()) {
    await expectSteps(recorded, `${file.replace('.session.json', '')}.turn-${index + 1}`);
  }
});

test.each(readdirSync(HERE).filter((file) => file.endsWith('.recording.json')))('written by hand: %s', async (file) => {
  await expectSteps(read(HERE, file) as unknown as Recording, file.replace('.recording.json', ''));
});
