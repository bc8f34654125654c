// Measures reading and mapping of spans beside the least that the same bytes need: JSON.parse, or decoding of the
// protobuf. `node receiver.ts`; `node receiver.ts memory` sends a million spans.
import { readFileSync } from 'node:fs';
import { PbfReader, PbfWriter } from 'pbf';
import { startReceiver } from '../src/tracing/index.ts';
import { readExport } from '../src/tracing/mapping/export.ts';
import { spanMapper } from '../src/tracing/mapping/mapping.ts';
import { many, record } from './results.ts';

/** The best round counts: on a busy machine the others measure its other work. */
const ROUNDS = many(60);
const SPANS = 512;

const captures = ['capture-js-v5-otel', 'capture-ai-sdk-v7-langfuse', 'capture-plain-otel-genai-protobuf'];

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface JsonSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
}

/** As many spans as an SDK sends at once, made from those that one SDK sent. */
function batchOf(capture: string, run = ''): { resourceSpans: object[] } {
  const url = new URL(`../test/tracing/fixtures/${capture}.json`, import.meta.url);
  const requests = JSON.parse(readFileSync(url, 'utf8')) as { body: { resourceSpans?: ResourceSpans[] } }[];
  const sent = requests.flatMap(({ body }) => body.resourceSpans ?? []);
  const spans = sent.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  const many = Array.from({ length: SPANS }, (_, n) => {
    const span = spans[n % spans.length] as JsonSpan;
    const turn = Math.floor(n / spans.length)
      .toString(16)
      .padStart(4, '0');
    return {
      ...span,
      traceId: `${run}${turn}${span.traceId}`.slice(0, 32),
      spanId: `${turn}${span.spanId}`.slice(0, 16),
    };
  });
  const [{ resource, scopeSpans }] = sent as [ResourceSpans];
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: scopeSpans[0]?.scope, spans: many }] }] };
}
interface ResourceSpans {
  readonly resource: object;
  readonly scopeSpans: readonly { readonly scope: object; readonly spans: readonly JsonSpan[] }[];
}

function inProtobuf(batch: { resourceSpans: object[] }): Uint8Array {
  const spans = (batch.resourceSpans[0] as ResourceSpans).scopeSpans[0]?.spans ?? [];
  const attribute = ({ key, value }: Attribute, pbf: PbfWriter) => {
    pbf.writeStringField(1, key);
    pbf.writeMessage(2, (text: string, inner: PbfWriter) => inner.writeStringField(1, text), textOf(value));
  };
  const span = (one: JsonSpan, pbf: PbfWriter) => {
    pbf.writeBytesField(1, Buffer.from(one.traceId.padEnd(32, '0'), 'hex'));
    pbf.writeBytesField(2, Buffer.from(one.spanId.padEnd(16, '0'), 'hex'));
    pbf.writeStringField(5, one.name);
    for (const each of one.attributes) pbf.writeMessage(9, attribute, each);
  };
  const pbf = new PbfWriter();
  pbf.writeMessage(
    1,
    (_: null, resource: PbfWriter) => {
      resource.writeMessage(
        2,
        (__: null, scope: PbfWriter) => {
          for (const one of spans) scope.writeMessage(2, span, one);
        },
        null,
      );
    },
    null,
  );
  return pbf.finish();
}

function textOf(value: Attribute['value']): string {
  const [first] = Object.values(value);
  return typeof first === 'string' ? first : JSON.stringify(first);
}

/** Decodes every field of every message, and does nothing more. */
function decodeAll(bytes: Uint8Array): number {
  let fields = 0;
  const value = (field: number, _: null, pbf: PbfReader) => {
    fields++;
    if (field === 1) pbf.readString();
  };
  const attribute = (field: number, _: null, pbf: PbfReader) => {
    fields++;
    if (field === 1) pbf.readString();
    else if (field === 2) pbf.readMessage(value, null);
  };
  const span = (field: number, _: null, pbf: PbfReader) => {
    fields++;
    if (field === 1 || field === 2) pbf.readBytes();
    else if (field === 5) pbf.readString();
    else if (field === 9) pbf.readMessage(attribute, null);
  };
  const nested =
    (wanted: number, read: (field: number, _: null, pbf: PbfReader) => void) =>
    (field: number, _: null, pbf: PbfReader) => {
      if (field === wanted) pbf.readMessage(read, null);
    };
  new PbfReader(bytes).readFields(nested(1, nested(2, nested(2, span))), null);
  return fields;
}

function timed(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

const ratios: Record<string, number> = {};

function compare(name: string, bare: () => unknown, whole: () => unknown): void {
  const [least, ours]: [number[], number[]] = [[], []];
  for (let round = -5; round < ROUNDS; round++) {
    const [one, other] = [timed(bare), timed(whole)];
    if (round < 0) continue;
    least.push(one);
    ours.push(other);
  }
  ratios[name] = Math.min(...ours) / Math.min(...least);
  const perSecond = ((SPANS / Math.min(...ours)) * 1_000).toFixed(0);
  console.log(`| ${name} | ${Math.min(...least).toFixed(2)} ms | ${ratios[name].toFixed(2)} | ${perSecond} |`);
}

function speed(): void {
  const mapped = spanMapper();
  const mapAll = (body: Buffer, type: string) => readExport(body, type).spans.map((span) => mapped(span).record());
  console.log('| 512 spans | the least | read and mapped, over it | spans a second |\n|---|---|---|---|');
  for (const capture of captures) {
    const batch = batchOf(capture);
    const json = Buffer.from(JSON.stringify(batch));
    const name = capture.replace('capture-', '');
    compare(
      `${name}, JSON`,
      () => JSON.parse(json.toString('utf8')),
      () => mapAll(json, 'application/json'),
    );
    const bytes = Buffer.from(inProtobuf(batch));
    compare(
      `${name}, protobuf`,
      () => decodeAll(bytes),
      () => mapAll(bytes, 'application/x-protobuf'),
    );
  }
}

/** Sends a million spans over HTTP. Measures live memory ten times, after garbage collection. */
async function memory(): Promise<void> {
  await using receiver = await startReceiver();
  const authorization = `Basic ${Buffer.from(`${receiver.publicKey}:${receiver.secretKey}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const batches = Math.ceil(many(1_000_000, 20_000) / SPANS);
  const startedAt = performance.now();
  const alive: string[] = [];
  for (let n = 0; n < batches; n++) {
    const body = JSON.stringify(batchOf('capture-js-v5-otel', n.toString(16).padStart(4, '0')));
    await (await fetch(`${receiver.url}/api/public/otel/v1/traces`, { method: 'POST', headers, body })).arrayBuffer();
    if ((n + 1) % Math.floor(batches / 10) !== 0) continue;
    globalThis.gc?.();
    alive.push((process.memoryUsage().heapUsed / 2 ** 20).toFixed(0));
  }
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  record('receiver-memory', alive.map(Number));
  console.log(
    `${(batches * SPANS).toLocaleString('en')} spans in ${seconds} s, made and sent by this same process. Alive (MiB): ${alive.join(', ')}.`,
  );
}

if (process.argv[2] === 'memory') await memory();
else {
  speed();
  record('receiver', ratios);
}
