import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/index.ts';
import { findingOf } from '../../src/job/judging/finding.ts';
import type { ReplayResult } from '../../src/replay/index.ts';
import type { Pin } from '../../src/session/index.ts';
import type { Trace } from '../../src/trace/index.ts';

test('fault 92: a trace that cannot be compared is a doubt about its replay, and throws nothing', () => {
  const turns = [{ request: { input: 'hello' }, recorded: { output: 'hi', observations: [] } }];
  const pin = { session: { version: 1, stepsVersion: 1, id: 's', turns }, path: 's.session.json' } as unknown as Pin;
  const trace = { id: 't', timestamp: '', metadata: {}, observations: [null] } as unknown as Trace;
  const result = { session: 's', turn: 1, run: 1, replayRunId: 'x.t1.r1', attempts: 1 };
  const outcome = { kind: 'replayed', response: null, trace } as const;
  const finding = findingOf(
    { ...result, outcome } as ReplayResult,
    pin,
    (text) => text,
    parseConfig({}, { folder: '/' }),
  );
  expect(finding).toMatchObject({ ...result, outcome: { kind: 'unverified', error: { code: 'TRACE_INVALID' } } });
});
