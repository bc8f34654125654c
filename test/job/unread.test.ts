import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/index.ts';
import type { TurnRequest } from '../../src/contract/index.ts';
import { findingOf } from '../../src/job/judging/finding.ts';
import { type Pin, parsePin, recordingOf } from '../../src/session/index.ts';
import {
  HUGE_STAND_IN,
  type Recording,
  type Trace,
  type Unread,
  withoutHugeTexts,
  withoutHugeTextsIn,
} from '../../src/trace/index.ts';

const AT = new Date(0).toISOString();

function traceWith(unread: Unread[]): Trace {
  const tool = { id: 'o', parentId: null, type: 'tool' as const, name: 'refund', startTime: AT, endTime: AT, unread };
  return { id: 't', timestamp: AT, metadata: {}, output: 'Done.', observations: [tool] };
}

/** What is found of one replay whose trace holds what nobody reads. */
function findingWith(
  unread: Unread[],
  acknowledge: { span: string; attribute: string }[] = [],
  recorded: Recording = { output: 'Done.', observations: [] },
  request: TurnRequest = { input: 'hello' },
) {
  const config = parseConfig(
    { tracing: { source: 'embedded', acknowledge }, agent: { command: 'x', url: 'http://127.0.0.1:1/replay' } },
    { folder: '/' },
  );
  const turns = [{ request, recorded }];
  const pin: Pin = {
    session: { version: 1, stepsVersion: 1, id: 's', turns },
    path: 'replays/s.session.json',
    turns: [{ ok: true }],
    locate: () => undefined,
  };
  const response = { output: 'Done.' };
  const outcome = { kind: 'replayed', response, trace: traceWith(unread) } as const;
  const result = { session: 's', turn: 1, run: 1, replayRunId: 'x.t1.r1', attempts: 1, callMs: 1, outcome } as const;
  return findingOf(result, pin, (text) => text, config);
}

const lost: Unread = { attribute: 'myfw.args', degree: 'value' };

test('a replay that lost the value of a step could not be verified, until the user takes note of it', () => {
  expect(findingWith([lost]).outcome).toMatchObject({ kind: 'unverified', error: { code: 'TRACE_UNREAD' } });
  expect(findingWith([lost], [{ span: 'refund', attribute: 'myfw.args' }]).outcome.kind).toBe('replayed');
});

test('more beside the value of a step is a warning, and none of it is kept', () => {
  const { outcome, warnings } = findingWith([{ attribute: 'myfw.note', degree: 'content' }]);
  expect(warnings).toMatchObject([{ code: 'TRACE_UNREAD' }]);
  expect(outcome.kind === 'replayed' && outcome.recording.observations[0]).not.toHaveProperty('unread');
});

test('a recording that lost the value of a step is unfit: whatever the replay has, it could not be verified', () => {
  const unfit = recordingOf(traceWith([lost, { attribute: 'myfw.note', degree: 'content' }]));
  expect(unfit.observations).toMatchObject([{ unread: [lost] }]);
  expect(findingWith([], [], unfit).outcome).toMatchObject({
    kind: 'unverified',
    error: {
      code: 'TRACE_UNREAD',
      message: expect.stringContaining('The recording is unfit'),
      evidence: ['tool "refund": myfw.args'],
      hint: expect.stringContaining('record the session again'),
    },
  });
  expect(findingWith([], [{ span: 'refund', attribute: 'myfw.args' }], unfit).outcome.kind).toBe('replayed');
});

test('a message of unknown shape in place of a result, which the model is not given again, makes the recording unfit', () => {
  const messages = [
    { role: 'tool', content: '[tool-result: lookup]' },
    { role: 'user', content: 'hello' },
  ];
  const given = { ...traceWith([]).observations[0], type: 'generation', input: messages };
  const recorded = { output: 'Done.', observations: [given as Recording['observations'][number]] };
  // That the input differs says more than that a value beside it cannot be read.
  for (const unread of [[], [lost]])
    expect(findingWith(unread, [], recorded, { messages, shape: 'chat' }).outcome).toMatchObject({
      kind: 'unverified',
      error: { code: 'TRACE_INPUT_DIFFERS', hint: expect.stringContaining('record the session again') },
    });
});

const HUGE = 'x '.repeat(2 ** 21 + 1);

const ANSWERS = {
  'a huge text': HUGE,
  'a huge log': `[INFO] ${HUGE}`,
  'a huge log with a brace': `{ he said "hello, ${HUGE}`,
  'JSON with a huge text': JSON.stringify({ said: HUGE }),
  'huge JSON of small texts': JSON.stringify(Array.from({ length: 500_000 }, (_, line) => `line ${line}`)),
};

test.each(Object.entries(ANSWERS))('%s is read alike from an answer, a trace and a pin', (_, whole) => {
  const answered = JSON.parse(withoutHugeTextsIn(Buffer.from(JSON.stringify({ output: whole }))).toString());
  const turns = [{ request: { input: 'hello' }, recorded: { output: whole, observations: [] } }];
  const pinned = parsePin(JSON.stringify({ version: 1, stepsVersion: 1, id: 's', turns }), 's.session.json');
  if ('problems' in pinned) throw pinned.problems[0];
  const { recorded } = pinned.session.turns[0]!;
  expect(recorded.output).toMatch(HUGE_STAND_IN);
  const find = (trace: Trace | null) => {
    const outcome = { kind: 'replayed', response: answered, trace } as const;
    const result = { session: 's', turn: 1, run: 1, replayRunId: 'x.t1.r1', attempts: 1, callMs: 1, outcome } as const;
    const config = parseConfig({ agent: { url: 'http://127.0.0.1:1/replay' } }, { folder: '/' });
    const pin = { ...pinned, path: 's.session.json', turns: [{ ok: true }] } as const;
    return findingOf(result, pin, (text) => text, config);
  };
  expect(find(null).outcome).toMatchObject({ kind: 'replayed', recording: recorded });
  const traced = find(withoutHugeTexts({ id: 't', timestamp: AT, metadata: {}, output: whole, observations: [] }));
  expect(traced.warnings).toBeUndefined();
});
