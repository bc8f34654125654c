/**
 * The airline agent, played back: `node test/tau/server.ts`. It listens on `PORT` and answers `POST /replay` with what
 * the recorded agent did: the task of the session `svc_original_session_id`, the trial of the run in
 * `svc_replay_run_id` (run 1 is trial 1, and so on; run 4 is trial 0 again). Its traces go through the Langfuse SDK.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { LangfuseSpanProcessor } from '@langfuse/otel';
import { propagateAttributes, startObservation } from '@langfuse/tracing';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { SentMessage } from '../../src/contract/index.ts';
import type { Observation } from '../../src/trace/index.ts';
import { PATIENCE_MS } from '../patience.ts';
import { AGENT_ID, observationsOf, outputOf, sessionIdOf } from './conversation.ts';
import { readTrials, TRIALS, type Trial } from './trials.ts';

/** What the contract says that an endpoint is sent. */
interface ReplayBody {
  readonly messages: readonly SentMessage[];
  readonly svc_replay_run_id: string;
  readonly svc_original_session_id: string;
  readonly svc_turn_trace_id?: string;
  readonly svc_include_prior_context?: boolean;
}

const trials = new Map(readTrials().map((trial) => [`${sessionIdOf(trial.task)} ${trial.trial}`, trial]));

const { LANGFUSE_BASE_URL: baseUrl, PORT, SVC_AGENT_ID = AGENT_ID } = process.env;
// Without an address the SDK would send everything to its vendor. After five seconds it would let spans go.
const processor =
  baseUrl === undefined ? undefined : new LangfuseSpanProcessor({ baseUrl, flushAt: 512, timeout: PATIENCE_MS / 1000 });
new NodeTracerProvider({ spanProcessors: processor === undefined ? [] : [processor] }).register();

const server = createServer(async (request, response) => {
  const [status, body] = await answer(request).catch((error: unknown) => [500, { error: String(error) }] as const);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});

async function answer(request: IncomingMessage): Promise<readonly [status: number, body: object]> {
  if (request.method !== 'POST' || request.url !== '/replay') return [404, { error: 'There is POST /replay.' }];
  const body = (await json(request)) as ReplayBody;
  const trial = trialOf(body);
  if (trial === undefined) return [422, { error: `nothing was recorded for ${body.svc_replay_run_id}` }];
  const runId = crypto.randomUUID();
  emit(trial, body, runId);
  await flush();
  const { svc_original_session_id, svc_replay_run_id } = body;
  return [
    200,
    { session_id: `replay-${svc_original_session_id}`, run_id: runId, svc_replay_run_id, output: outputOf(trial) },
  ];
}

let flushed: Promise<unknown> = Promise.resolve();

/** One at a time: the exporter drops spans and rejects when more than 30 of its requests are under way. */
function flush(): Promise<unknown> {
  flushed = flushed.catch(() => undefined).then(() => processor?.forceFlush());
  return flushed;
}

function trialOf(body: ReplayBody): Trial | undefined {
  const run = /\.r(\d+)/.exec(body.svc_replay_run_id)?.[1];
  return run === undefined ? undefined : trials.get(`${body.svc_original_session_id} ${Number(run) % TRIALS}`);
}

/** Records the trial as a new trace: what was played, at the present time. */
function emit(trial: Trial, body: ReplayBody, runId: string): void {
  const { svc_replay_run_id, svc_original_session_id, svc_turn_trace_id, svc_include_prior_context } = body;
  const sessionId = `replay-${svc_original_session_id}`;
  const metadata = {
    agent_id: SVC_AGENT_ID,
    session_id: sessionId,
    run_id: runId,
    is_replay: 'true',
    svc_replay_run_id,
    svc_original_session_id,
    ...(svc_turn_trace_id === undefined ? {} : { svc_turn_trace_id }),
    // The SDK drops whatever is no string.
    ...(svc_include_prior_context === undefined ? {} : { svc_include_prior_context: `${svc_include_prior_context}` }),
  };
  const system = trial.messages.filter(({ role }) => role === 'system');
  const played = observationsOf(trial, { request: [...system, ...body.messages], startMs: Date.now() });
  propagateAttributes({ traceName: AGENT_ID, sessionId, metadata }, () => {
    const [root, ...steps] = played.map((observation, index) => ({ observation, isRoot: index === 0 }));
    if (root === undefined) return;
    const agent = start(root.observation);
    for (const { observation } of steps) {
      start(observation, agent).end(timeOf(observation.endTime));
    }
    agent.end(timeOf(root.observation.endTime));
  });
}

type Started = ReturnType<typeof startObservation>;

function start({ name, type, input, output, model, callId, startTime }: Observation, parent?: Started): Started {
  const attributes = {
    input,
    output,
    ...(model === undefined ? {} : { model }),
    ...(callId === undefined ? {} : { metadata: { tool_call_id: callId } }),
  };
  const options = {
    startTime: new Date(startTime),
    ...(parent === undefined ? {} : { parentSpanContext: parent.otelSpan.spanContext() }),
  };
  if (type === 'generation') return startObservation(name, attributes, { ...options, asType: 'generation' });
  if (type === 'tool') return startObservation(name, attributes, { ...options, asType: 'tool' });
  return startObservation(name, attributes, { ...options, asType: 'agent' });
}

function timeOf(time: string | null): Date | undefined {
  return time === null ? undefined : new Date(time);
}

server.listen(Number(PORT ?? 0), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    server.close(() => process.exit(0));
    server.closeAllConnections();
  });
}
