import { expect, test } from 'vitest';
import type { Trace } from '../../src/trace/index.ts';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';
import { braintrustRows } from './fixtures/exports/braintrust.ts';
import { logfireColumns, logfireRecords } from './fixtures/exports/logfire.ts';
import { plainTraces } from './fixtures/exports/plain.ts';
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

const csv = (rows: readonly object[]) => {
  const names = Object.keys(rows[0] ?? {});
  const cell = (value: unknown) => {
    const text = value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [names.join(','), ...rows.map((row) => names.map((name) => cell(row[name as never])).join(','))].join('\n');
};
const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');

const EXPORTS: readonly (readonly [string, string, string])[] = [
  ['Braintrust: rows, one a line', 'Braintrust spans', lines(braintrustRows)],
  ['Braintrust: a page of fetch', 'Braintrust spans', JSON.stringify({ events: braintrustRows, cursor: null })],
  ['Braintrust: an answer of its SQL', 'Braintrust spans', JSON.stringify({ data: braintrustRows, schema: {} })],
  ['Logfire: rows', 'Logfire records', JSON.stringify({ columns: [{ name: 'kind' }], rows: logfireRecords })],
  ['Logfire: columns', 'Logfire records', JSON.stringify(logfireColumns)],
  ['Logfire: a table', 'Logfire records', csv(logfireRecords)],
  ['the JSON of docs/sources.md', 'traces of docs/sources.md', JSON.stringify(plainTraces)],
];

test.each(EXPORTS)('an export is the turn that was recorded: %s', (_, __, text) => {
  expectTurn(text);
});

test("Braintrust's wrapper logs the list of a tool's arguments: what it was called with is what the model asked for", () => {
  const { observations } = expectTurn(lines(braintrustRows));
  expect(observations.find(({ type }) => type === 'tool')?.input).toEqual({ id: 'A-17' });
});

test('pin --from takes them all, and says what it took', async () => {
  const files = [
    ['1.jsonl', EXPORTS[0]],
    ['2.json', EXPORTS[4]],
    ['3.json', EXPORTS[6]],
  ] as unknown as readonly (readonly [string, (typeof EXPORTS)[number]])[];
  await using folder = await folderWith(
    Object.fromEntries(files.map(([name, [, , text]]) => [`exports/${name}`, text])),
  );
  const { code, stdout, stderr } = await command(['pin', '--from', 'exports'], { cwd: folder.path });
  expect([code, stderr]).toEqual([0, files.map(([name, [, format]]) => `exports/${name}: ${format}\n`).join('')]);
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

test('a span that has not ended is open, in each export', () => {
  const [root, ...rest] = braintrustRows as [(typeof braintrustRows)[number]];
  const { end, ...metrics } = root.metrics as { end: number };
  const [braintrust] = tracesIn(lines([{ ...root, metrics }, ...rest])) as [Trace];
  const [record, ...records] = logfireRecords as [(typeof logfireRecords)[number]];
  const [logfire] = tracesIn(lines([{ ...record, end_timestamp: null }, ...records])) as [Trace];
  expect([braintrust, logfire].map(({ observations }) => observations[0]?.endTime)).toEqual([null, null]);
});
