import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { readEvent } from '../../action/event.ts';
import { answerIn, generationOf, userTextIn } from '../../src/chat/index.ts';
import { compareRules } from '../../src/compare/index.ts';
import { parseConfig } from '../../src/config/index.ts';
import {
  replayEndpoint,
  toAgentsInput,
  toAnthropicMessages,
  toGeminiContents,
  toGenkitMessages,
  toLangChainMessages,
  toModelMessages,
  toResponsesInput,
} from '../../src/endpoint/index.ts';
import { AgentReplayError } from '../../src/errors.ts';
import { readJournal } from '../../src/job/journal/read-journal.ts';
import { isJsonObject, type Json, JsonError, type JsonObject, parseJson } from '../../src/json/index.ts';
import { parseHistory } from '../../src/report/history/history-entry.ts';
import { parseReport, renderMarkdown, renderTerminal } from '../../src/report/index.ts';
import { parsePin, recordingOf, sessionsFromTraces } from '../../src/session/index.ts';
import type { Trace } from '../../src/trace/index.ts';
import { startReceiver } from '../../src/tracing/index.ts';
import { SHAPES } from '../chat/shapes.ts';
import { compareTurn } from '../compare/compare-turn.ts';
import { tracesIn } from '../tracing/traces-in.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const FIXTURES = path.join(ROOT, 'test/tracing/fixtures');

/** A parser, with real inputs to start from. It promises to return, or to throw an error with a code. */
export interface Parser extends AsyncDisposable {
  readonly name: string;
  readonly seeds: readonly Buffer[];
  /** Rejects only with errors that no user may ever see. */
  parse(input: Buffer): Promise<void>;
}

function read(pattern: string): Buffer[] {
  return globSync(pattern, { cwd: ROOT })
    .sort()
    .map((file) => readFileSync(path.join(ROOT, file)));
}

/** Captured requests of SDKs, the bodies alone. */
function captured(pattern: string): Buffer[] {
  const requests = globSync(pattern, { cwd: FIXTURES })
    .sort()
    .flatMap((file) => JSON.parse(readFileSync(path.join(FIXTURES, file), 'utf8')) as { body: unknown }[]);
  return requests.map(({ body }) => Buffer.from(JSON.stringify(body)));
}

/** An export in each convention, and the rows that the platform makes of it, as in a file. */
function conventions(): { exports: Buffer[]; rows: Buffer[] } {
  const cases = globSync('mapper/*.json', { cwd: FIXTURES })
    .sort()
    .map(
      (file) => JSON.parse(readFileSync(path.join(FIXTURES, file), 'utf8')) as { exports?: Json[]; rows: MappedRow[] },
    );
  return {
    exports: cases.flatMap(({ exports = [] }) => exports.map((body) => Buffer.from(JSON.stringify(body)))),
    rows: cases.map(({ rows }) => Buffer.from(JSON.stringify(rows.map(asRow)))),
  };
}

type MappedRow = JsonObject & { spanId: string; startTimeISO: string; endTimeISO: string };

function asRow({ spanId, startTimeISO, endTimeISO, ...row }: MappedRow): JsonObject {
  const parentObservationId = row.parentSpanId ?? null;
  return { ...row, id: spanId, parentObservationId, startTime: startTimeISO, endTime: endTimeISO };
}

/** A log record of a model call. */
const LOG = JSON.stringify({
  resourceLogs: [
    {
      scopeLogs: [
        {
          logRecords: [
            {
              traceId: '0af7651916cd43dd8448eb211c80319c',
              spanId: 'b7ad6b7169203331',
              eventName: 'gen_ai.client.inference.operation.details',
              attributes: [
                { key: 'gen_ai.input.messages', value: { stringValue: '[{"role":"user","parts":[]}]' } },
                { key: 'gen_ai.output.messages', value: { arrayValue: { values: [{ kvlistValue: { values: [] } }] } } },
              ],
              body: { stringValue: 'a' },
            },
          ],
        },
      ],
    },
  ],
});

/** Whether an error has one of our codes, and not the one for our own defects. */
function isPromised(error: unknown): boolean {
  return (error instanceof AgentReplayError && error.code !== 'INTERNAL') || error instanceof JsonError;
}

async function promised(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isPromised(error)) throw error;
  }
}

function parser(name: string, seeds: readonly Buffer[], work: (input: Buffer) => unknown): Parser {
  return {
    name,
    seeds,
    parse: (input) => promised(() => work(input)),
    async [Symbol.asyncDispose]() {},
  };
}

/** A parser of a file: the input is written to disk first. */
async function fileParser(name: string, seeds: readonly Buffer[], work: (file: string) => unknown): Promise<Parser> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'fuzz-'));
  const file = path.join(folder, 'input');
  return {
    name,
    seeds,
    async parse(input) {
      await writeFile(file, input);
      await promised(() => work(file));
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** A route of the receiver. An unreadable request is the sender's mistake, and the receiver takes the next one. */
async function receiverParser(
  name: string,
  seeds: readonly Buffer[],
  route: { path: string; type: string },
): Promise<Parser> {
  const receiver = await startReceiver();
  const authorization = `Basic ${Buffer.from(`${receiver.publicKey}:${receiver.secretKey}`).toString('base64')}`;
  return {
    name,
    seeds,
    async parse(input) {
      const response = await fetch(receiver.url + route.path, {
        method: 'POST',
        headers: { authorization, 'content-type': route.type },
        body: new Uint8Array(input),
      });
      await response.arrayBuffer();
      if (response.status >= 500) throw new Error(`the receiver answered ${response.status}`);
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}

/** One export of a real SDK, in protobuf. */
async function protobufExport(): Promise<Buffer> {
  const bodies: Promise<Buffer>[] = [];
  const server = createServer((request, response) => {
    const body = buffer(request);
    bodies.push(body);
    void body.then(() => response.end());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  const provider = new NodeTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter({ url }))],
  });
  const tracer = provider.getTracer('fuzz');
  const span = tracer.startSpan('chat', {
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': '[{"role":"user","content":"hi"}]',
      n: 1.5,
    },
  });
  span.addEvent('gen_ai.choice', { index: 0, tags: ['a', 'b'] });
  span.recordException(new Error('no'));
  span.end();
  await provider.shutdown();
  server.close();
  const [body] = await Promise.all(bodies);
  if (body === undefined) throw new Error('the SDK sent nothing');
  return body;
}

/**
 * Everything that a hostile trace passes through: reading it, making sessions of it, comparing it with the recording.
 */
function tracesThrough(original: readonly Trace[]): (input: Buffer) => void {
  const rules = compareRules.parse({});
  return (input) => {
    const traces = tracesIn(input.toString('utf8'));
    sessionsFromTraces(traces);
    for (const trace of traces) {
      const replays = [{ run: 1, recording: recordingOf(trace) }];
      for (const recorded of original) compareTurn([recordingOf(recorded)], replays, rules);
    }
  };
}

/** Everything that reads the messages of a model call, and every converter that writes them. */
function messagesThrough(input: Buffer): void {
  const recorded = parseJson(input.toString('utf8'));
  const { input: asked, output } = isJsonObject(recorded) ? recorded : { input: recorded, output: recorded };
  const { messages, system, tools, results, said, calls } = generationOf({ input: asked, output });
  JSON.stringify([messages, system, tools, results, said, calls, answerIn(output ?? null), userTextIn(asked)]);
  for (const convert of [toModelMessages, toResponsesInput, toAgentsInput, toLangChainMessages]) convert(messages);
  for (const convert of [toAnthropicMessages, toGeminiContents, toGenkitMessages]) convert(messages);
}

function reportThrough(text: string): void {
  const report = parseReport(text);
  renderMarkdown(report);
  renderTerminal(report);
}

/** Every parser of the product. */
export async function parsers(report: Buffer, journal: Buffer, history: Buffer): Promise<Parser[]> {
  const otlp = captured('capture-*{otel,genai,langfuse,telemetry}*.json');
  const told = conventions();
  const replay = replayEndpoint(({ input }) => input, { enabled: true, onError: () => {} });
  const requests = [
    '{"messages":[{"role":"user","content":"a"}],"is_replay":true}',
    '{"input":"a","is_replay":"true"}',
  ];
  return [
    parser('pins', read('examples/*/replays/*.session.json'), (input) => {
      const parsed = parsePin(input.toString('utf8'), 'a.session.json');
      if ('problems' in parsed && !parsed.problems.every(isPromised)) throw parsed.problems[0];
    }),
    parser(
      'configurations',
      CONFIGS.map((config) => Buffer.from(JSON.stringify(config))),
      (input) => parseConfig(parseJson(input.toString('utf8')), { folder: '/' }),
    ),
    parser('traces, through to their comparison', [...otlp, ...told.exports], tracesThrough(tracesIn(String(otlp[0])))),
    parser('rows of the platform', told.rows, tracesThrough(tracesIn(String(otlp[0])))),
    parser(
      'messages',
      Object.values(SHAPES).map((shape) => Buffer.from(JSON.stringify(shape))),
      messagesThrough,
    ),
    await receiverParser('exports in OTLP/JSON', otlp, {
      path: '/api/public/otel/v1/traces',
      type: 'application/json',
    }),
    await receiverParser('exports in protobuf', [await protobufExport()], {
      path: '/api/public/otel/v1/traces',
      type: 'application/x-protobuf',
    }),
    await receiverParser('log records', [Buffer.from(LOG)], {
      path: '/api/public/otel/v1/logs',
      type: 'application/json',
    }),
    await receiverParser('ingestion batches', captured('capture-js-v3-ingestion.json'), {
      path: '/api/public/ingestion',
      type: 'application/json',
    }),
    parser(
      'replay requests',
      requests.map((text) => Buffer.from(text)),
      async (input) => {
        const headers = { 'content-type': 'application/json' };
        const body = new Uint8Array(input);
        const response = await replay(new Request('http://localhost/replay', { method: 'POST', headers, body }));
        const { error } = (await response.json()) as { error?: { code?: string } };
        const isRefused = response.status < 500 || error?.code === 'TURN_NOT_TRACED';
        if (!isRefused) throw new Error(`the endpoint answered ${response.status}`);
      },
    ),
    parser('reports', [report], (input) => reportThrough(input.toString('utf8'))),
    parser('histories', [history], (input) => parseHistory(input.toString('utf8'))),
    await fileParser('journals', [journal], readJournal),
    await fileParser('events of GitHub', read('test/action/events/pull_request.json'), (file) =>
      readEvent({ GITHUB_EVENT_NAME: 'pull_request', GITHUB_REPOSITORY: 'a/b', GITHUB_EVENT_PATH: file }),
    ),
  ];
}

const CONFIGS = [
  {
    agent: { id: 'a', command: 'node a.js', url: 'http://127.0.0.1:3000/replay', wait: { stdout: '/ready/' } },
    sessions: ['replays/**/*.session.json'],
    compare: { ignore: ['tool:search/args/requestId', 'output/*/id'], tools: { refund: { mutating: true } } },
    failOn: { did: ['changed'], cause: { environment: 'warn' } },
  },
  {
    agents: { a: { url: 'http://[::1]:1/replay' } },
    tracing: { source: 'embedded', receiver: { port: 4318 } },
    runs: 3,
  },
];
