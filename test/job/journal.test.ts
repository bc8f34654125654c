import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { compareRules } from '../../src/compare/index.ts';
import { AgentReplayError } from '../../src/errors.ts';
import { readJournal } from '../../src/job/journal/read-journal.ts';
import type { Finding } from '../../src/job/judging/finding.ts';
import type { JournalHeader } from '../../src/job/records/journal-format.ts';
import { type Json, parseJson } from '../../src/json/index.ts';
import { gatePolicy } from '../../src/report/index.ts';
import type { Session } from '../../src/session/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import { openJournal } from './open-journal.ts';

const ABOUT: JournalHeader = {
  tool: '1.0.0',
  startedAt: '2026-01-01T00:00:00.000Z',
  command: 'agent-replay run',
  target: 'http://127.0.0.1:1/replay',
  environment: { node: 'v24' },
  settings: {
    allowEmpty: false,
    compare: compareRules.parse({}),
    ...gatePolicy.parse({}),
    runs: 5,
    context: 'recorded',
    traceSource: 'embedded',
    prices: {},
  },
  made: [1, 2, 3, 4, 5],
  sessions: [{ id: 's', path: 'replays/s.session.json', turns: [1], problems: [] }],
  problems: [],
};
const SESSION: Session = { version: 1, stepsVersion: 1, id: 's', turns: [{ recorded: { observations: [] } }] };

async function folder() {
  const dir = await mkdtemp(path.join(tmpdir(), 'agent-replay-journal-'));
  return {
    file: path.join(dir, 'out', 'journal.ndjson'),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

/** A recording of one tool call; `id` and `at` (milliseconds) are what differs between runs that behave alike. */
function recordingOf(id: string, at: number, output: Json): Recording {
  const time = (ms: number) => new Date(1_700_000_000_000 + at + ms).toISOString();
  return {
    traceId: id,
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

function finding(run: number, outcome: Finding['outcome'], over: Partial<Finding> = {}): Finding {
  return { session: 's', turn: 1, run, outcome, replayRunId: `u-1.t1.r${run}`, attempts: 1, callMs: 5, ...over };
}

function traced(run: number, output: Json): Finding {
  const traceId = `trace-${run}`;
  return finding(run, { kind: 'replayed', recording: recordingOf(traceId, run * 1_000, output) }, { traceId });
}

const findingsIn = async (file: string): Promise<Finding[]> => [...(await readJournal(file)).findings()];
const linesOf = async (file: string) => (await readFile(file, 'utf8')).trimEnd().split('\n');

test('a journal gives back status and error of each call, and the replays that were replaced', async () => {
  await using dir = await folder();
  const failed = new AgentReplayError('RESPONSE_STATUS', 'it failed', { evidence: ['body: {}'] });
  const usage = { inputTokens: 3 };
  const replaced = [
    { replayRunId: 'r', traceId: 't', attempts: 1, status: 200, reason: '429', message: 'limit', usage },
  ];
  const findings = [
    { ...traced(1, 'yes'), status: 200, replaced },
    finding(2, { kind: 'unverified', error: failed }, { status: 500, callError: failed }),
  ];
  {
    await using journal = await openJournal(dir.file, ABOUT);
    for (const each of findings) journal.write(each, SESSION);
  }
  expect(await findingsIn(dir.file)).toEqual(findings);
});

test('a journal gives back what was to be done, every finding as it was, failures, the log and its end', async () => {
  await using dir = await folder();
  const failed = new AgentReplayError('CALL_TIMEOUT', 'too late', { evidence: ['came: nothing'], hint: 'wait' });
  const crash = new AgentReplayError('AGENT_CRASHED', 'gone', { location: { file: 'a', line: 2 } });
  const findings = [
    { ...traced(1, 'yes'), usage: { inputTokens: 12, models: ['m'] } },
    finding(2, { kind: 'unverified', error: failed }, { attempts: 3 }),
    finding(3, { kind: 'replayed', recording: { output: 'plain', observations: [] } }),
    traced(4, 'yes'),
  ];
  {
    await using journal = await openJournal(dir.file, ABOUT);
    for (const each of findings) journal.write(each, SESSION);
    journal.fail(crash, ['s']);
    journal.remark({ type: 'log', lines: ['listening'] });
    journal.end({ durationMs: 12, interruptedBy: 'SIGTERM' }, [{ ...SESSION, id: 'other' }]);
  }
  const read = await readJournal(dir.file);
  expect(read.about).toMatchObject(ABOUT);
  expect([...read.pins.values()]).toEqual([SESSION, { ...SESSION, id: 'other' }]);
  // The second run that behaved alike has its own times and trace; the ids of observations are those of the first.
  const again = recordingOf('trace-1', 4_000, 'yes');
  expect([...read.findings()]).toEqual([
    ...findings.slice(0, 3),
    { ...findings[3], outcome: { kind: 'replayed', recording: { ...again, traceId: 'trace-4' } } },
  ]);
  expect(read.failures).toEqual([{ error: crash, sessions: ['s'] }]);
  expect(read.agentLog).toEqual(['listening']);
  expect(read.end).toMatchObject({ durationMs: 12, interruptedBy: 'SIGTERM' });
});

test('runs that behave alike are written once, whatever their ids and times; others are not', async () => {
  await using dir = await folder();
  {
    await using journal = await openJournal(dir.file, ABOUT);
    for (let run = 1; run <= 5; run++) journal.write(traced(run, run === 4 ? 'no' : 'yes'), SESSION);
  }
  const types = (await linesOf(dir.file)).map((line) => JSON.parse(line).type);
  expect(types.filter((type) => type === 'behaviour')).toHaveLength(2);
  expect(types.filter((type) => type === 'pin')).toHaveLength(1);
  const outputs = (await findingsIn(dir.file)).map(
    ({ outcome }) => outcome.kind === 'replayed' && outcome.recording.output,
  );
  expect(outputs).toEqual(['yes', 'yes', 'yes', 'no', 'yes']);
});

test('what overlapped is part of the behaviour', async () => {
  await using dir = await folder();
  {
    await using journal = await openJournal(dir.file, ABOUT);
    const within = traced(2, 'x');
    if (within.outcome.kind === 'replayed')
      within.outcome.recording.observations[1]!.endTime = '2030-01-01T00:00:00.000Z';
    journal.write(traced(1, 'x'), SESSION);
    journal.write(within, SESSION);
  }
  const text = await readFile(dir.file, 'utf8');
  expect(text.match(/"type":"behaviour"/g)).toHaveLength(2);
});

test('a journal that is cut anywhere gives back every finding that is whole, and no end', async () => {
  await using dir = await folder();
  {
    await using journal = await openJournal(dir.file, ABOUT);
    for (let run = 1; run <= 3; run++) journal.write(traced(run, 'ünïcode \u2028 text'), SESSION);
    journal.end({ durationMs: 1 }, [SESSION]);
  }
  const whole = await readFile(dir.file);
  const ends = [...whole.toString('latin1').matchAll(/\n/g)].map(({ index }) => index);
  for (let size = whole.length - 1; size > ends[0]!; size -= 7) {
    await truncate(dir.file, size);
    const lines = ends.filter((end) => end < size).length;
    const read = await readJournal(dir.file);
    // A header, a pin and a behaviour come before the results.
    expect([...read.findings()]).toHaveLength(Math.min(3, Math.max(0, lines - 3)));
    expect(read.end).toBeUndefined();
  }
});

test('a finding is on the disk soon, without the journal being closed', async () => {
  await using dir = await folder();
  await using journal = await openJournal(dir.file, ABOUT);
  journal.write(traced(1, 'yes'), SESSION);
  await expect.poll(async () => (await findingsIn(dir.file)).length, { interval: 2 }).toBe(1);
});

test('numbers that a double cannot hold survive', async () => {
  await using dir = await folder();
  {
    await using journal = await openJournal(dir.file, ABOUT);
    journal.write(traced(1, parseJson('{"id":9007199254740993,"__proto__":{"x":1}}')), SESSION);
  }
  const [{ outcome } = traced(1, '')] = await findingsIn(dir.file);
  expect(JSON.stringify(outcome.kind === 'replayed' && outcome.recording.output)).toBe(
    '{"id":9007199254740993,"__proto__":{"x":1}}',
  );
});

test.each([
  ['a word of a sentence', 'hush'],
  ['a word of ours', 'replayed'],
  ['a kind of observation', 'span'],
  ['a part of the format', '"type":"result"'],
])('a secret is kept nowhere, and a journal stays readable when it is %s', async (_, secret) => {
  await using dir = await folder();
  const said = { said: `well, ${secret}!`, [secret]: 1 };
  const error = new AgentReplayError('CALL_FAILED', `no ${secret}`, { evidence: [secret], hint: secret });
  {
    await using journal = await openJournal(
      dir.file,
      { ...ABOUT, command: `run --headers k=${secret}`, problems: [{ code: 'X', message: secret, evidence: [] }] },
      {
        redact: (text) => text.replaceAll(secret, '***').replaceAll(JSON.stringify(secret).slice(1, -1), '***'),
      },
    );
    journal.write(traced(1, said), {
      ...SESSION,
      title: secret,
      notes: said,
      turns: [{ recorded: recordingOf('r', 0, said) }],
    });
    journal.write(finding(2, { kind: 'unverified', error }), SESSION);
    journal.fail(error, ['s']);
    journal.remark({ type: 'log', lines: [`> ${secret}`] });
    journal.end({ durationMs: 1 }, [SESSION]);
  }
  const read = await readJournal(dir.file);
  const [first, second] = read.findings();
  const told = [
    read.about,
    [...read.pins.values()],
    read.failures.map(({ error }) => ({ ...error, message: error.message })),
    read.agentLog,
  ];
  expect(first?.outcome).toMatchObject({ recording: { output: { said: 'well, ***!', '***': 1 } } });
  expect(second?.outcome).toMatchObject({ error: { message: 'no ***', evidence: ['***'] } });
  expect(JSON.stringify(told).replaceAll(/"type":"(\w+)"/g, '')).not.toContain(secret);
});

// Only Linux has a disk that is always full.
test.skipIf(process.platform !== 'linux').each([
  ['a folder that cannot be made', (file: string) => path.join(file, 'below', 'journal.ndjson')],
  ['a full disk', () => '/dev/full'],
])('fault 56: %s is said once, and writing goes on without effect', async (_, place) => {
  await using dir = await folder();
  await openJournal(dir.file, ABOUT).then((journal) => journal[Symbol.asyncDispose]());
  const errors: AgentReplayError[] = [];
  const onError = (error: AgentReplayError) => errors.push(error);
  await using journal = await openJournal(place(dir.file), ABOUT, { onError });
  for (let run = 1; run <= 50; run++) journal.write(traced(run, 'x'.repeat(200_000 + run)), SESSION);
  await journal[Symbol.asyncDispose]();
  expect(errors).toMatchObject([{ code: 'OUTPUT_NOT_WRITABLE' }]);
});

const HEADER = JSON.stringify({ type: 'journal', version: 1, ...ABOUT });

test.each([
  ['is not there', undefined, 'ENOENT'],
  ['is empty', '', 'it is empty'],
  ['is something else', '{"hello":1}\n', ''],
  ['was written by a newer version (fault 144)', '{"type":"journal","version":2}\n', 'newer version'],
  ['has a version that never was (fault 144)', `${HEADER.replace('"version":1', '"version":0')}\n`, 'version'],
  ['has a broken line', `${HEADER}\n{"type":\n`, ''],
  ['begins in the middle', '{"type":"end","durationMs":1}\n', 'first line is not that of a journal'],
  ['begins twice', `${HEADER}\n${HEADER}\n`, 'holds the first line of a journal twice'],
  [
    'refers to what is not there',
    `${HEADER}\n{"type":"result","session":"s","turn":1,"run":1,"replayRunId":"u","attempts":1,"atMs":1,"behaviour":"b"}\n`,
    'refers to a behaviour',
  ],
])('a journal that %s is refused', async (_, text, reason) => {
  await using dir = await folder();
  const file = path.join(path.dirname(path.dirname(dir.file)), 'journal.ndjson');
  if (text !== undefined) await writeFile(file, text);
  await expect(readJournal(file)).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    location: { file },
    evidence: [expect.stringContaining(reason)],
  });
});
