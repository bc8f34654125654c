import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Json, parseJson, type Trace } from '../../src/contract/index.ts';
import { AgentReplayError } from '../../src/errors.ts';
import {
  type JournalEntry,
  type JournalHeader,
  type JournalOptions,
  openJournal,
  type ReplayOutcome,
  type ReplayResult,
  readJournal,
} from '../../src/replay/index.ts';

const ABOUT: JournalHeader = {
  tool: '1.0.0',
  startedAt: '2026-01-01T00:00:00.000Z',
  rules: { strictness: 'behaviour' },
  runs: 5,
  sessions: [{ id: 's', turns: [1] }],
};
const STRICT: JournalOptions = {
  onError: (error) => {
    throw error;
  },
};

async function folder() {
  const dir = await mkdtemp(path.join(tmpdir(), 'agent-replay-journal-'));
  return {
    file: path.join(dir, 'out', 'journal.ndjson'),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

/** A trace of one tool call; `id` and `at` (milliseconds) are what differs between runs that behave alike. */
function traceOf(id: string, at: number, output: Json): Trace {
  const time = (ms: number) => new Date(1_700_000_000_000 + at + ms).toISOString();
  return {
    id,
    timestamp: time(0),
    metadata: {},
    output,
    observations: [
      { id: `${id}-root`, parentId: null, type: 'span', name: 'turn', startTime: time(0), endTime: time(9), output },
      {
        id: `${id}-tool`,
        parentId: `${id}-root`,
        type: 'tool',
        name: 'search',
        startTime: time(2),
        endTime: time(4),
        input: { q: 1 },
      },
    ],
  };
}

function resultOf(run: number, outcome: ReplayOutcome): ReplayResult {
  return { session: 's', turn: 1, run, outcome, replayRunId: `u-1.t1.r${run}`, attempts: 1, callMs: 5 };
}

function traced(run: number, output: Json): ReplayResult {
  const response = { status: 200, digest: 'd', output: null };
  return resultOf(run, { kind: 'replayed', response, trace: traceOf(`trace-${run}`, run * 1_000, output) });
}

const entries = (file: string): Promise<JournalEntry[]> => Array.fromAsync(readJournal(file));

test('a journal gives back its header, every result with what it did, and its end', async () => {
  await using dir = await folder();
  const failed = new AgentReplayError('CALL_TIMEOUT', 'too late', { evidence: ['came: nothing'], hint: 'wait' });
  {
    await using journal = await openJournal(dir.file, ABOUT, STRICT);
    await journal.write(traced(1, 'yes'));
    await journal.write(resultOf(2, { kind: 'inconclusive', error: failed }));
    await journal.write(
      resultOf(3, { kind: 'replayed', response: { status: 200, digest: 'd', output: 'plain' }, trace: null }),
    );
    await journal.end();
  }
  const [header, first, second, third, end] = await entries(dir.file);
  expect(header).toMatchObject({ type: 'journal', ...ABOUT });
  expect(first).toMatchObject({
    type: 'result',
    run: 1,
    replayRunId: 'u-1.t1.r1',
    traceId: 'trace-1',
    response: { status: 200, digest: 'd' },
    recording: { output: 'yes', observations: [{ name: 'turn' }, { name: 'search', input: { q: 1 } }] },
  });
  expect(second).toMatchObject({
    run: 2,
    outcome: 'inconclusive',
    recording: undefined,
    error: { code: 'CALL_TIMEOUT', message: 'too late', evidence: ['came: nothing'], hint: 'wait' },
  });
  expect(third).toMatchObject({ run: 3, recording: { output: 'plain', observations: [] } });
  expect(end).toEqual({ type: 'end', results: 3 });
});

test('runs that behave alike are written once, whatever their ids and times; others are not', async () => {
  await using dir = await folder();
  {
    await using journal = await openJournal(dir.file, ABOUT, STRICT);
    for (let run = 1; run <= 5; run++) await journal.write(traced(run, run === 4 ? 'no' : 'yes'));
  }
  const lines = (await readFile(dir.file, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).type).filter((type) => type === 'behaviour')).toHaveLength(2);
  const outputs = (await entries(dir.file)).flatMap((entry) =>
    entry.type === 'result' ? entry.recording?.output : [],
  );
  expect(outputs).toEqual(['yes', 'yes', 'yes', 'no', 'yes']);
});

test('what overlapped is part of the behaviour', async () => {
  await using dir = await folder();
  {
    await using journal = await openJournal(dir.file, ABOUT, STRICT);
    const apart = traced(1, 'x');
    const within = traced(2, 'x');
    if (within.outcome.kind === 'replayed') within.outcome.trace!.observations[1]!.endTime = '2030-01-01T00:00:00.000Z';
    await journal.write(apart);
    await journal.write(within);
  }
  const text = await readFile(dir.file, 'utf8');
  expect(text.match(/"type":"behaviour"/g)).toHaveLength(2);
});

test('a journal that is cut anywhere gives back every result that is whole, and no end', async () => {
  await using dir = await folder();
  {
    await using journal = await openJournal(dir.file, ABOUT, STRICT);
    for (let run = 1; run <= 3; run++) await journal.write(traced(run, 'ünïcode \u2028 text'));
    await journal.end();
  }
  const whole = await readFile(dir.file);
  const ends = [...whole.toString('latin1').matchAll(/\n/g)].map(({ index }) => index);
  for (let size = whole.length - 1; size > ends[0]!; size -= 7) {
    await truncate(dir.file, size);
    const lines = ends.filter((end) => end < size).length;
    const read = await entries(dir.file);
    // One header and one behaviour come before the results.
    expect(read.filter(({ type }) => type === 'result')).toHaveLength(Math.min(3, Math.max(0, lines - 2)));
    expect(read.some(({ type }) => type === 'end')).toBe(false);
  }
});

test('a result is on the disk soon, without the journal being closed', async () => {
  await using dir = await folder();
  await using journal = await openJournal(dir.file, ABOUT, STRICT);
  await journal.write(traced(1, 'yes'));
  await expect.poll(async () => (await entries(dir.file)).length, { interval: 2 }).toBe(2);
});

test('numbers that a double cannot hold survive', async () => {
  await using dir = await folder();
  {
    await using journal = await openJournal(dir.file, ABOUT, STRICT);
    await journal.write(traced(1, parseJson('{"id":9007199254740993,"__proto__":{"x":1}}')));
  }
  const [, result] = await entries(dir.file);
  expect(JSON.stringify(result?.type === 'result' && result.recording?.output)).toBe(
    '{"id":9007199254740993,"__proto__":{"x":1}}',
  );
});

test('what must not be kept is not: recordings and texts are redacted before they are written', async () => {
  await using dir = await folder();
  {
    await using journal = await openJournal(dir.file, ABOUT, {
      ...STRICT,
      redactRecording: (kept) => ({ ...kept, observations: [] }),
      redactText: (text) => text.replaceAll('hush', '***'),
    });
    await journal.write(traced(1, 'say hush'));
  }
  const [, result] = await entries(dir.file);
  expect(result).toMatchObject({ recording: { output: 'say ***', observations: [] } });
});

// Only Linux has a disk that is always full.
test.skipIf(process.platform !== 'linux').each([
  ['a folder that cannot be made', (file: string) => path.join(file, 'below', 'journal.ndjson')],
  ['a full disk', () => '/dev/full'],
])('fault 56: %s is said once, and writing goes on without effect', async (_, place) => {
  await using dir = await folder();
  await openJournal(dir.file, ABOUT, STRICT).then((journal) => journal.end());
  const errors: AgentReplayError[] = [];
  await using journal = await openJournal(place(dir.file), ABOUT, { onError: (error) => errors.push(error) });
  for (let run = 1; run <= 50; run++) await journal.write(traced(run, 'x'.repeat(200_000 + run)));
  await journal.end();
  expect(errors).toMatchObject([{ code: 'OUTPUT_NOT_WRITABLE' }]);
});

test.each([
  ['is not there', undefined, 'ENOENT'],
  ['is something else', '{"hello":1}\n', ''],
  ['was written by a newer version', '{"type":"journal","version":2}\n', 'newer version'],
  ['has a broken line', `${JSON.stringify({ type: 'journal', version: 1, ...ABOUT })}\n{"type":\n`, ''],
  ['begins in the middle', '{"type":"end","results":1}\n', 'does not begin'],
])('a journal that %s is refused', async (_, text, reason) => {
  await using dir = await folder();
  const file = path.join(path.dirname(path.dirname(dir.file)), 'journal.ndjson');
  if (text !== undefined) await writeFile(file, text);
  await expect(entries(file)).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    location: { file },
    evidence: [expect.stringContaining(reason)],
  });
});
