import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../src/json/index.ts';
import { recordingOf } from '../../src/session/index.ts';
import type { Recording, Trace } from '../../src/trace/index.ts';
import { rowReader } from '../../src/tracing/mapping/rows.ts';
import { ingestionReader } from '../../src/tracing/receiver/ingestion.ts';
import { TraceStore } from '../../src/tracing/receiver/store.ts';
import { patience } from '../patience.ts';
import { brought } from '../tracing/brought.ts';
import { assembleTrace, tracesIn } from '../tracing/traces-in.ts';

/** Captured traces of every SDK and platform, and recordings written by hand, which the golden steps name. */
export interface Golden {
  readonly name: string;
  readonly recording: Recording;
}

export const STEPS = path.join(import.meta.dirname, 'fixtures/steps');
const TRACING = path.join(import.meta.dirname, '../tracing/fixtures');
const PINS = path.join(import.meta.dirname, '../../examples/support-agent/replays');

interface Exchange {
  readonly label?: string;
  readonly response: { readonly body: JsonObject };
  readonly body?: Json;
}

function read(...file: string[]): Json {
  return JSON.parse(readFileSync(path.join(...file), 'utf8')) as Json;
}

export const SENDERS = [
  'ai-sdk-v6-experimental-telemetry',
  'ai-sdk-v7-langfuse',
  'js-v4-otel',
  'js-v5-otel',
  'plain-otel-genai-protobuf',
] as const;

export function exportedBy(sender: (typeof SENDERS)[number]): Golden {
  const exchanges = read(TRACING, `capture-${sender}.json`) as unknown as Exchange[];
  const [trace] = tracesIn(exchanges.map(({ body }) => JSON.stringify(body)).join('\n'));
  return { name: `otlp.${sender}`, recording: recordingOf(trace as Trace) };
}

export async function ingested(): Promise<Golden[]> {
  type Recorded = { scenario: string; batches: { batch: { type: string; body: JsonObject }[] }[] };
  const scenarios = read(TRACING, 'legacy-ingestion.json') as unknown as Recorded[];
  return Promise.all(
    scenarios.map(async ({ scenario, batches }) => {
      const reader = ingestionReader();
      const store = new TraceStore(
        { spansPerTrace: 1_000, bytes: 2 ** 20, keptBytes: 0 },
        { quietMs: 0, settleMs: 600_000 },
      );
      for (const { batch } of batches) {
        for (const { type, body } of batch) {
          // The receiver finds a trace by this field, which the recorded scenario lacks.
          if (type === 'trace-create' && isJsonObject(body.metadata)) body.metadata.svc_replay_run_id = 'r1';
        }
        store.add(...brought(reader({ batch })?.arrivals));
      }
      const trace = await store.waitFor('r1', { signal: patience() });
      return { name: `ingestion.${scenario}`, recording: recordingOf(trace) };
    }),
  );
}

const LIVE = {
  'v2.trace-get-1': 'traces',
  'v4-dual.trace-get-1': 'traces',
  'v4-dual.trace-get-2': 'traces',
  'v4-dual.observations-v2-trace-js5': 'rows',
  'v4-dual.observations-v2-trace-others': 'rows',
} as const;
export const PLATFORM_READS = Object.keys(LIVE) as (keyof typeof LIVE)[];

export function readFrom(file: keyof typeof LIVE): Golden[] {
  const { exchanges } = read(TRACING, `live/${file}.json`) as unknown as { exchanges: Exchange[] };
  const rows = rowReader();
  return exchanges.flatMap(({ label, response }) => {
    const records =
      LIVE[file] === 'traces'
        ? rows.trace(response.body)
        : ((response.body.data as Json[] | undefined) ?? []).filter(isJsonObject).map((row) => rows.observation(row));
    // The platform has not yet made rows of an older SDK's events.
    if (records.length === 0) return [];
    const trace = assembleTrace(records.filter((record) => record !== undefined));
    return { name: `${file}.${label?.replace(/\W+/g, '-')}`, recording: recordingOf(trace) };
  });
}

/** As Phoenix shows OpenInference spans. */
export function fromPhoenix(): Golden {
  return { name: 'phoenix', recording: recordingOf(read(TRACING, 'phoenix-trace.json') as unknown as Trace) };
}

export const PIN_FILES = readdirSync(PINS);

export function pinned(file: string): Golden[] {
  const { turns } = read(PINS, file) as unknown as { turns: { recorded: Recording }[] };
  return turns.map(({ recorded }, index) => ({
    name: `${file.replace('.session.json', '')}.turn-${index + 1}`,
    recording: recorded,
  }));
}

export const HAND_WRITTEN = readdirSync(STEPS).filter((file) => file.endsWith('.recording.json'));

export function writtenByHand(file: string): Golden {
  return { name: file.replace('.recording.json', ''), recording: read(STEPS, file) as unknown as Recording };
}
