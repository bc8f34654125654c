import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Diagnosis } from '../../src/doctor/diagnose.ts';
import { diagnose, exitCodeOf, renderDiagnosis } from '../../src/doctor/index.ts';
import { AGENT_RULES } from '../../src/doctor/rules/all.ts';
import { freePort } from '../agent/processes.ts';
import { pinOf } from '../cli/project.ts';
import { folderWith, type TemporaryFolder } from '../config/folder.ts';
import { PATIENCE_MS, withinTime } from '../patience.ts';
import { type Program, startProgram } from '../programs.ts';
import { DEFECTS } from './fixtures/defects.ts';
import { troublesOf } from './troubles.ts';

const SECRETS = { SHOP_API_KEY: 'not-a-real-key-of-a-shop' };

let origin: string;
let folder: TemporaryFolder;
let agent: Program;

beforeAll(async () => {
  Object.assign(process.env, SECRETS);
  folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({
      agent: { id: 'support' },
    }),
    'replays/a.session.json': JSON.stringify(pinOf('a', ['hello'])),
  });
  const program = fileURLToPath(new URL('fixtures/agent.ts', import.meta.url));
  agent = await startProgram([program], { SVC_AGENT_ID: 'support', ...SECRETS });
  origin = `http://127.0.0.1:${agent.line.split(' ').at(-1)}`;
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** A trace that comes at all comes with the answer, on a machine that does nothing else. */
const TRACE_MS = 3_000;

/**
 * What the doctor finds in the agent at a path, whose traces come to a receiver of its own.
 * @param traceMs how long it waits for one; the agent takes its time accordingly
 */
async function found(path: string, traceMs: number, url = `${origin}/${path}/replay`): Promise<Diagnosis> {
  const port = await freePort();
  const secretKey = `sk-lf-${path}`;
  const settings = new Map<string, unknown>([
    ['agent.url', url],
    ['timeouts', { call: 3 * traceMs, trace: traceMs }],
    [
      'headers',
      {
        'x-traces-to': `http://127.0.0.1:${port}`,
        'x-traces-key': secretKey,
        'x-pace': String(traceMs / TRACE_MS),
      },
    ],
    ['tracing.receiver.port', port],
    ['tracing.receiver.publicKey', 'pk-lf-doctor'],
    ['tracing.receiver.secretKey', secretKey],
  ]);
  return diagnose({ cwd: folder.path, settings });
}

// Most of the time of some is waiting for a trace that never comes.
describe.concurrent('an agent with one defect: the doctor names it, and nothing else', () => {
  test.each(Object.entries(DEFECTS))('%s', async (path, { rule, state = 'fail', also }) => {
    const expected = rule === undefined ? [] : [...(also === undefined ? [] : [`${also}: warn`]), `${rule}: ${state}`];
    const diagnosis = await withinTime(
      TRACE_MS,
      (traceMs) => found(path, traceMs),
      (seen) => isDeepStrictEqual(troublesOf(seen), expected),
    );
    expect(troublesOf(diagnosis), JSON.stringify(diagnosis, null, 1)).toEqual(expected);
    const table = renderDiagnosis(diagnosis, { columns: 80 });
    expect(table.split('\n').filter((line) => stringWidth(line) > 80)).toEqual([]);
    expect(table + JSON.stringify(diagnosis)).not.toContain(SECRETS.SHOP_API_KEY);
    expect(exitCodeOf(diagnosis)).toBe(rule === undefined || state === 'warn' ? 0 : state === 'unknown' ? 2 : 1);
  });
});

test('a base URL is taken, and the path that answers is said', async () => {
  const diagnosis = await found('right', PATIENCE_MS, `${origin}/right`);
  expect(troublesOf(diagnosis)).toEqual([]);
  const answers = diagnosis.agents[0]?.rules.find(({ rule }) => rule === 'answers');
  expect(answers?.seen).toEqual(['200 at /right/replay']);
});

test('each rule about an agent is named for one defect at least', () => {
  const named = new Set(Object.values(DEFECTS).map(({ rule }) => rule));
  // That an agent does not start is no defect of its endpoint; wrapped tools are tried where tools are recorded.
  const elsewhere = ['agent', 'tools-wrapped'];
  expect(AGENT_RULES.map(({ id }) => id).filter((id) => !elsewhere.includes(id) && !named.has(id))).toEqual([]);
});
