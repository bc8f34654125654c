import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { Trace } from '../../src/trace/index.ts';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';
import { braintrustRows } from './fixtures/exports/braintrust.ts';
import { logfireRecords } from './fixtures/exports/logfire.ts';
import { plainTraces } from './fixtures/exports/plain.ts';
import { programOf } from './programs.ts';
import { tracesIn } from './traces-in.ts';

/** What the same turn is in each export: a question, a call of a tool, its result, an answer. */
const STEPS = [
  ['chain support', 'Where is my order A-17?', 'It was shipped yesterday.'],
  ['generation', 'Where is my order A-17?', 'find_order'],
  ['tool find_order', 'A-17', 'shipped'],
  ['generation', 'shipped', 'It was shipped yesterday.'],
] as const;

function expectTurn(text: string): Trace {
  const [trace, ...others] = tracesIn(text) as [Trace];
  expect(others).toEqual([]);
  expect(trace.sessionId ?? trace.metadata.session_id).toBe('s1');
  expect(trace.observations).toHaveLength(STEPS.length);
  for (const [at, [what, given, told]] of STEPS.entries()) {
    const { type, name, input, output, unread } = trace.observations[at] as Trace['observations'][number];
    expect(`${type} ${name}`).toContain(what.replace('chain ', at === 0 ? '' : 'chain '));
    expect(JSON.stringify(input)).toContain(given);
    expect(JSON.stringify(output)).toContain(told);
    expect(unread ?? []).toEqual([]);
  }
  return trace;
}

const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');

/** What the program of docs/sources.md makes of an export. */
const asSpans = (text: string) =>
  execFileSync(process.execPath, ['--input-type=module', '--eval', programOf('spans')], {
    input: text,
    encoding: 'utf8',
  });

const EXPORTS: readonly (readonly [string, string])[] = [
  ['Braintrust: rows, one a line', lines(braintrustRows)],
  ['Braintrust: a page of fetch', JSON.stringify({ events: braintrustRows, cursor: null })],
  ['Braintrust: an answer of its SQL', JSON.stringify({ data: braintrustRows, schema: {} })],
  ['Logfire: rows', JSON.stringify({ columns: [{ name: 'kind' }], rows: logfireRecords })],
];

test.each(EXPORTS)('spans.js of docs/sources.md makes the turn that was recorded: %s', (_, text) => {
  expectTurn(asSpans(text));
});

test('the JSON of docs/sources.md is the turn that was recorded', () => {
  expectTurn(JSON.stringify(plainTraces));
});

test("Braintrust's wrapper logs the list of a tool's arguments: what it was called with is what the model asked for", () => {
  const { observations } = expectTurn(asSpans(lines(braintrustRows)));
  expect(observations.find(({ type }) => type === 'tool')?.input).toEqual({ id: 'A-17' });
});

test('pin --from takes them all', async () => {
  await using folder = await folderWith({
    'exports/1.json': asSpans(lines(braintrustRows)),
    'exports/2.json': JSON.stringify(plainTraces),
  });
  const { code, stdout, stderr } = await command(['pin', '--from', 'exports'], { cwd: folder.path });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('Where is my order A-17?');
});

test('what is wrong with the JSON of docs/sources.md is said with its place', () => {
  const { traces } = plainTraces;
  const broken = { version: 1, traces: [{ ...traces[0], timestamp: 'yesterday', observations: [{ id: 'o1' }] }] };
  expect(() => tracesIn(JSON.stringify(broken))).toThrowError(
    expect.objectContaining({
      code: 'TRACE_INVALID',
      evidence: [expect.stringMatching(/traces\.0\.timestamp: .*traces\.0\.observations\.0\.parentId: /)],
    }),
  );
});
