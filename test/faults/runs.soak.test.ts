import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseReport } from '../../src/report/index.ts';
import { processesWith } from '../agent/processes.ts';
import { command } from '../cli/command.ts';
import { pinOf } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';
import fc from '../fast-check.ts';
import { outcomes } from '../outcomes.ts';
import { mutated } from './mutate.ts';

/** Ten minutes in `npm run test:soak`. */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 60);
/** Broken at once, beside one that is whole. */
const SIDE_BY_SIDE = 12;
const SEED = Number(process.env.FUZZ_SEED ?? Date.now());
const AGENT = `"${process.execPath}" "${fileURLToPath(new URL('./fixtures/told-agent.js', import.meta.url))}"`;

const TRACE = Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: spansOf() }] }] }));
const ANSWER = Buffer.from('{"output":"answer to good","replay_trace_id":null}');
const PIN = Buffer.from(JSON.stringify(pinOf('good', ['good'])));
const CONFIG = Buffer.from(
  JSON.stringify({
    runs: 1,
    retries: 0,
    workers: 4,
    sessions: 'replays/*.session.json',
    agent: { url: 'http://127.0.0.1:{port}/replay', timeout: 20_000 },
    timeouts: { call: 20_000, trace: 3_000 },
    compare: { strictness: 'behaviour', ignore: ['tool:lookup/args/requestId'], tools: { lookup: { readOnly: true } } },
    failOn: { did: ['changed'] },
    redact: { values: ['a secret value'], env: ['NAME'] },
  }),
);

/** What is broken of each of the sessions; the one that is whole must be told of as ever. */
const BROKEN = {
  traces: (id: string, bytes: Buffer) => ({ [`trace-${id}`]: bytes }),
  answers: (id: string, bytes: Buffer) => ({ [`answer-${id}`]: bytes }),
  pins: (id: string, bytes: Buffer) => ({ [`replays/${id}.session.json`]: bytes }),
};
const SEEDS = { traces: TRACE, answers: ANSWER, pins: PIN };

test.for(['traces', 'answers', 'pins'] as const)(
  'fault 103: whole runs beside broken %s tell of what is whole as ever, of the rest with a code, and leave nothing',
  async (what) => {
    for (const cases of inputs(SEEDS[what])) {
      const files = cases.map((bytes, index) => BROKEN[what](`case-${index}`, named(bytes, `case-${index}`)));
      const ran = await run(Object.assign({}, ...files));
      expect(ran.story).toBe('');
      expect(ran.report?.results.sessions.find(({ id }) => id === 'good')?.verdict, ran.shown).toBe(
        outcomes.asRecorded,
      );
    }
  },
);

test('fault 103: whole runs of broken configurations are made, or refused with a code, and leave nothing', async () => {
  for (const [bytes] of inputs(CONFIG)) {
    expect((await run({ 'agent-replay.config.json': bytes as Buffer })).story).toBe('');
  }
});

/** As long as there is time, many at once. */
function* inputs(seed: Buffer): Generator<readonly Buffer[]> {
  const deadline = performance.now() + (SECONDS * 1_000) / 4;
  const arbitrary = fc.array(mutated([seed]), { minLength: SIDE_BY_SIDE, maxLength: SIDE_BY_SIDE });
  for (let round = 0; performance.now() < deadline; round++) {
    yield* fc.sample(arbitrary, { numRuns: 1, seed: SEED + round });
  }
}

/** @returns what nobody may ever see, with the inputs that brought it; nothing when all is well */
async function run(broken: Readonly<Record<string, Buffer>>) {
  const marker = crypto.randomUUID();
  const ids = Array.from({ length: SIDE_BY_SIDE }, (_, index) => `case-${index}`);
  await using folder = await folderWith({
    'agent-replay.config.json': CONFIG.toString(),
    'replays/good.session.json': '',
  });
  const whole = Object.fromEntries(
    [...ids, 'good'].flatMap((id) => [
      [`trace-${id}`, named(TRACE, id)],
      [`answer-${id}`, named(ANSWER, id)],
      [`replays/${id}.session.json`, named(PIN, id)],
    ]),
  );
  for (const [name, bytes] of Object.entries({ ...whole, ...broken }))
    await writeFile(path.join(folder.path, name), bytes);
  const { code, stdout, stderr } = await command(['run', '--start', AGENT], {
    cwd: folder.path,
    env: { MARKER: marker },
  });
  const text = await readFile(path.join(folder.path, '.agent-replay/report.json'), 'utf8').catch(() => undefined);
  const shown = `FUZZ_SEED=${SEED}\n${stderr}\n${stdout}`;
  const wrong = [
    ...(code === null || code > 2 ? [`exit ${code}`] : []),
    ...(processesWith(marker).length > 0 ? ['processes left'] : []),
    ...(/\bINTERNAL\b|defect (?:in|of) agent-replay|^ +at .*(?:file:|node:|\().*:\d+:\d+\)?$/m.exec(
      `${stderr}${stdout}${text}`,
    ) ?? []),
  ];
  const inputs = Object.entries(broken).map(([name, bytes]) => `${name}: ${bytes.toString('latin1')}`);
  return {
    report: text === undefined ? undefined : parseReport(text),
    story: wrong.length === 0 ? '' : [...wrong, shown, ...inputs].join('\n'),
    shown: [shown, ...inputs].join('\n'),
  };
}

/** The same of another session. */
function named(bytes: Buffer, id: string): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll('good', id), 'latin1');
}

function spansOf(): object[] {
  const span = (
    name: string,
    spanId: string,
    parentSpanId: string | undefined,
    [from, to]: number[],
    attributes: object,
  ) => ({
    traceId: 'TRACE',
    spanId,
    ...(parentSpanId && { parentSpanId }),
    name,
    startTimeUnixNano: `17671428000${from}000000`,
    endTimeUnixNano: `17671428000${to}000000`,
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } })),
  });
  return [
    span('lookup', 'TOOL', 'ROOT', [10, 20], {
      'langfuse.observation.type': 'tool',
      'langfuse.observation.input': '{"text":"good"}',
      'langfuse.observation.output': 'found',
    }),
    span(
      'turn',
      'ROOT',
      undefined,
      [0, 30].map((ms) => ms + 10),
      {
        'langfuse.observation.type': 'agent',
        'langfuse.observation.input': 'good',
        'langfuse.observation.output': 'answer to good',
        'langfuse.trace.metadata.svc_replay_run_id': 'RUN',
      },
    ),
  ];
}
