import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compareRules } from '../../src/compare/index.ts';
import type { Json, JsonObject } from '../../src/json/index.ts';
import { recordingOf } from '../../src/session/index.ts';
import type { Observation, Recording } from '../../src/trace/index.ts';
import { compareTurn } from '../compare/compare-turn.ts';
import { outcomes } from '../outcomes.ts';
import { tracesIn } from '../tracing/traces-in.ts';

/** The second turn of each capture (`fixtures/README.md`): it refunds 17, in an input with history, tools and prompt. */
const FOLDER = new URL('fixtures/', import.meta.url);
const CAPTURES = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

function refunding(file: string): Recording {
  const { exports } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as { exports: Json[] };
  const traces = tracesIn(exports.map((body) => JSON.stringify(body)).join('\n'));
  return recordingOf(traces.sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1)).at(-1) as never);
}

type Edit = (text: string) => string;

/** The same turn as another run would have recorded it: other ids and times of calls and responses, and what was edited. */
function again(recording: Recording, edit: Edit): Recording {
  const all: Edit = (text) =>
    edit(text)
      .replace(
        /\b(call|resp|msg|fc|chatcmpl|rs|toolu)([_-])(\w+)/g,
        (_, prefix, mark, id) => `${prefix}${mark}${[...id].reverse().join('')}`,
      )
      .replace(/\b1[789]\d{8}\b/g, (seconds) => String(Number(seconds) + 100));
  const edited = <T extends Json | undefined>(value: T): T =>
    (value === undefined ? value : JSON.parse(all(JSON.stringify(value)))) as T;
  return {
    output: edited(recording.output),
    observations: recording.observations.map((each): Observation => {
      const callId = each.callId === undefined ? {} : { callId: edited(each.callId) };
      const own = { input: edited(each.input), output: edited(each.output), ...callId };
      const parameters =
        each.modelParameters === undefined ? {} : { modelParameters: edited(each.modelParameters as JsonObject) };
      return { ...each, ...own, ...parameters } as Observation;
    }),
  };
}

const refundMore: Edit = (text) => text.replace(/(?<![\w.-]|\d:)17(?![\w:-])/g, '18');
const beQuick: Edit = (text) => text.replaceAll('a kind shop assistant', 'a quick shop assistant');

function causeOf(file: string, edit: Edit) {
  const recorded = refunding(file);
  const { divergence } = compareTurn(
    [recorded],
    [{ run: 1, recording: again(recorded, edit) }],
    compareRules.parse({}),
  );
  return divergence;
}

test.each(CAPTURES)('%s: nothing but ids and times differs, and that is no divergence', (file) => {
  expect(causeOf(file, (text) => text)).toBeNull();
});

test.each(CAPTURES)('%s: another argument out of the same input is the model’s', (file) => {
  expect(causeOf(file, refundMore)).toMatchObject({
    kind: 'argument',
    pointer: '/amount',
    replayed: 18,
    cause: { kind: 'model', detail: 'same input as recorded, so not an edit' },
  });
});

test.each(CAPTURES)('%s: with an edited prompt it is the agent’s, and the line is said', (file) => {
  const divergence = causeOf(file, (text) => beQuick(refundMore(text)));
  expect(divergence).toMatchObject({ pointer: '/amount', cause: { kind: 'agent', changed: ['system prompt'] } });
  expect(divergence?.cause.detail).toContain('replayed "You are a quick shop assistant."');
});

test('one field of a result that LangChain keeps as a text of JSON can be ignored', () => {
  const looking = (requestId: string): Recording => {
    const kwargs = { status: 'success', content: JSON.stringify({ amount: 120, requestId }), name: 'lookup' };
    const output = { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'ToolMessage'], kwargs };
    const times = { startTime: '2026-01-01T00:00:00.000Z', endTime: '2026-01-01T00:00:01.000Z' };
    const tool = { id: 't', parentId: null, type: 'tool' as const, name: 'lookup', input: { order: '7' }, output };
    return { output: 'Done.', observations: [{ ...tool, ...times }] };
  };
  const verdictWith = (ignore: string[]) =>
    compareTurn([looking('first')], [{ run: 1, recording: looking('second') }], compareRules.parse({ ignore })).verdict;
  expect(verdictWith([])).toBe(outcomes.changed);
  expect(verdictWith(['tool:lookup/result/requestId'])).toBe(outcomes.asRecorded);
  expect(verdictWith(['tool:lookup/result/amount'])).toBe(outcomes.changed);
});
