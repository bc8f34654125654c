import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generationOf } from '../../src/chat/index.ts';
import { trajectoryOf } from '../../src/compare/steps/recorded-steps.ts';
import type { Json } from '../../src/json/index.ts';
import { recordingOf } from '../../src/session/index.ts';
import type { Trace } from '../../src/trace/index.ts';
import { progressOf } from '../../src/tracing/waiting/whole.ts';
import { traceFileReader, tracesIn } from '../tracing/traces-in.ts';

/**
 * What real SDKs exported of one and the same agent (`fixtures/README.md`): it looks an order up, then refunds it, in two
 * turns; the second is given the first. `fixtures/*.json` say with which packages they were made.
 */
const FOLDER = new URL('fixtures/', import.meta.url);
const CAPTURES = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

function exported(file: string): string {
  const { exports } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as { exports: Json[] };
  return exports.map((body) => JSON.stringify(body)).join('\n');
}

function turnsOf(file: string): Trace[] {
  return tracesIn(exported(file)).sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
}

const LOOKED_UP = ['call lookup {"order":7}', 'result lookup {"order":7,"state":"lost"}'];
const REFUNDED = ['call refund {"order":7,"amount":17}', 'result refund {"refunded":17}'];

/** Where a framework records less, or another answer. */
const OTHERWISE: Readonly<
  Record<string, { text?: false; finals?: readonly string[]; tools?: false; results?: false }>
> = {
  // Its agent gives its model only the texts of earlier turns.
  'ai-sdk-7.langfuse.json': { results: false },
  // Its plugin for OpenAI drops what the model says beside a call.
  'genkit.json': { text: false },
  // The agent's output is all that it said, in an object.
  'mastra.otel-exporter.json': {
    finals: ['{"text":"Let me look.Order 7 is lost.","files":[]}', '{"text":"Refunded 17.","files":[]}'],
    tools: false,
  },
  'openai-agents-chat.openinference.json': { tools: false },
  'traceloop.anthropic.json': { tools: false },
};

test.each(CAPTURES)('%s: the steps are what the agent did', (file) => {
  const { text, finals = ['"Order 7 is lost."', '"Refunded 17."'] } = OTHERWISE[file] ?? {};
  const steps = turnsOf(file).map((trace) =>
    trajectoryOf(recordingOf(trace)).steps.map(({ kind, name, value }) =>
      [kind, name, JSON.stringify(value)].filter(Boolean).join(' '),
    ),
  );
  expect(steps).toEqual([
    [...(text === false ? [] : ['text "Let me look."']), ...LOOKED_UP, `final ${finals[0]}`],
    [...REFUNDED, `final ${finals[1]}`],
  ]);
});

test.each(CAPTURES)('%s: what the model was given is read: system prompt, tools, conversation', (file) => {
  const [, second] = turnsOf(file);
  const inputs = trajectoryOf(recordingOf(second as Trace)).modelCalls.map(({ generation }) => generation);
  expect(inputs).toHaveLength(2);
  for (const { system, tools } of inputs) {
    expect(system).toBe('You are a kind shop assistant.');
    expect(tools?.map(({ name }) => name)).toEqual(OTHERWISE[file]?.tools === false ? undefined : ['lookup', 'refund']);
  }
  const last = inputs.at(-1);
  expect(last?.messages.filter(({ role }) => role === 'user')).toHaveLength(2);
  expect(JSON.stringify(last?.messages)).toContain('Order 7 is lost.');
});

test.each(CAPTURES)('%s: the results of earlier turns are those that the model was given', (file) => {
  const [, second] = turnsOf(file);
  for (const { generation } of trajectoryOf(recordingOf(second as Trace)).modelCalls) {
    expect(/state\W+lost/.test(JSON.stringify(generation.messages))).toBe(OTHERWISE[file]?.results ?? true);
  }
});

test.each(CAPTURES)('%s: parameters are what the caller set', (file) => {
  const allowed = ['temperature', 'max_tokens', 'toolChoice', 'tool_choice', 'parallel_tool_calls', 'top_p'];
  for (const trace of turnsOf(file)) {
    const generations = trace.observations.filter(({ type }) => type === 'generation').map(generationOf);
    for (const { parameters } of generations)
      expect(allowed).toEqual(expect.arrayContaining(Object.keys(parameters ?? {})));
  }
});

test.each(CAPTURES)('%s: the trace is complete: each call that was asked for has come to something', (file) => {
  const byTrace = Map.groupBy(traceFileReader()(exported(file)), ({ traceId }) => traceId);
  expect(byTrace.size).toBe(2);
  for (const arrivals of byTrace.values()) {
    expect(progressOf(arrivals.map((arrival) => arrival.record()))).toMatchObject({ missing: [], open: [] });
  }
});

test.each(CAPTURES)('%s: no path of the machine that it was made on is left in it', (file) => {
  expect(exported(file)).not.toMatch(/\/(work|home|root|tmp|Users)\//);
});
