import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { looksFrom, parseConfig } from '../../src/config/index.ts';
import { AgentReplayError } from '../../src/errors.ts';
import { foldJournals, mergeJournals } from '../../src/job/index.ts';
import type { Finding } from '../../src/job/judging/finding.ts';
import { type Concluded, Ledger } from '../../src/job/ledger/ledger.ts';
import { ThreadText } from '../../src/job/ledger/thread-text.ts';
import type { JournalHeader } from '../../src/job/records/journal-format.ts';
import { type PlannedSession, runNumbers } from '../../src/job/records/run-scope.ts';
import { settingsOf } from '../../src/job/records/run-settings.ts';
import { aboutRun } from '../../src/job/running/about-run.ts';
import { journalHeader } from '../../src/job/running/journal-header.ts';
import { type Plan, partOf, type RunPlan, scopeOf } from '../../src/job/running/plan.ts';
import { shareOf } from '../../src/job/running/share.ts';
import { gateOf, type Report } from '../../src/report/index.ts';
import type { Shard } from '../../src/report/schema.ts';
import type { Pin } from '../../src/session/index.ts';
import { lastOfSuite } from '../../src/shift/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';
import { outcomes } from '../outcomes.ts';
import { renderJson } from '../report/rendered.ts';
import { EVERY } from '../sample.ts';
import { wholeMessage } from '../whole-message.ts';
import { openJournal } from './open-journal.ts';

/** What each run of a turn did: one of several ways, 0 as recorded; or nothing that can be compared. */
type Ways = readonly (number | 'lost')[];
/** By session, by turn. */
type Played = readonly (readonly Ways[])[];

const AT = Date.UTC(2026, 0, 1);

/** For the first run it is now, and for the others a date. */
const FIXED = '2026-01-01T01:00:00.000Z';

/** A run of a minute, `run` hours later; the result of its tool holds the time, which is no difference. */
function recordingOf(way: number, run: number): Recording {
  const at = (ms: number) => new Date(AT + run * 3_600_000 + ms).toISOString();
  const [output, input] = [`way ${way}`, { way }];
  return {
    traceId: `trace-${way}-${run}`,
    output,
    observations: [
      { id: `r${run}`, parentId: null, type: 'agent', name: 'turn', startTime: at(0), endTime: at(60_000), output },
      {
        id: `t${run}`,
        parentId: `r${run}`,
        type: 'tool',
        name: 'look',
        startTime: at(1),
        endTime: at(2),
        input,
        output: { now: at(2), ...(way === 3 && { fixed: FIXED }) },
      },
    ],
  };
}

function planOf(played: Played, runs: number): Plan {
  const sessions = played.map((turns, index): PlannedSession => {
    const id = `s${index}`;
    const pin: Pin = {
      session: { version: 1, stepsVersion: 1, id, turns: turns.map(() => ({ recorded: recordingOf(0, 0) })) },
      path: `replays/${id}.session.json`,
      turns: turns.map(() => ({ ok: true })),
      locate: () => undefined,
    };
    return { pin, turns: turns.map((_, turn) => turn + 1), runs: runNumbers(runs), problems: [] };
  });
  const agents = [{ id: undefined, options: { url: 'http://127.0.0.1:1/replay' } as never, sessions }];
  return {
    agents,
    sessions,
    notReplayed: [],
    problems: [],
    runs: runNumbers(runs),
    calls: 0,
    moreCalls: 0,
    looks: undefined,
    gates: undefined,
    mutatingCalls: new Map(),
    cost: { money: null, unknown: [], words: '' },
    notes: [],
  };
}

function findingsOf(played: Played, plan: Plan): Finding[] {
  return scopeOf(plan).sessions.flatMap(({ pin: { session }, turns }) =>
    turns.flatMap((turn) =>
      plan.runs.map((run): Finding => {
        const way = played[Number(session.id.slice(1))]?.[turn - 1]?.[run - 1] ?? 'lost';
        const error = new AgentReplayError('CALL_FAILED', 'gone', { evidence: [`turn ${turn}`] });
        const outcome: Finding['outcome'] =
          way === 'lost' ? { kind: 'unverified', error } : { kind: 'replayed', recording: recordingOf(way, run) };
        return { session: session.id, turn, run, outcome, replayRunId: 'x', attempts: 1, callMs: 1 };
      }),
    ),
  );
}

const SETTINGS = settingsOf(parseConfig({ runs: 1 }, { folder: '/' }));

/** The report of one job that made it all. */
function reportOf(played: Played, settings = SETTINGS): Report {
  const runs = played[0]?.[0]?.length ?? 0;
  const plan = planOf(played, runs);
  const ledger = new Ledger({ ...settings, runs }, scopeOf(plan));
  for (const finding of findingsOf(played, plan)) ledger.take(finding);
  ledger.close();
  return ledger.report({ about: aboutRun(plan), durationMs: 1 });
}

async function folder() {
  const dir = await mkdtemp(path.join(tmpdir(), 'agent-replay-merge-'));
  return { path: dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}

interface Written {
  readonly header?: Partial<JournalHeader>;
  readonly end?: boolean;
  /** Only so many findings. */
  readonly findings?: number;
}

function sessionsOf(plan: Plan, shard: Shard): Plan {
  const { sessions } = scopeOf(plan);
  const own = shareOf(
    sessions.map(({ turns, runs }) => turns.length * runs.length),
    shard,
  ).map((place) => sessions[place]?.pin.path);
  return partOf(plan, (session) => (own.includes(session.pin.path) ? session : undefined));
}

/** Writes the journal of one shard, as its job would. */
async function writeShard(
  file: string,
  played: Played,
  shard: Shard | undefined,
  { header, end = true, findings }: Written = {},
): Promise<void> {
  const runs = played[0]?.[0]?.length ?? 0;
  const whole = planOf(played, runs);
  const part = shard === undefined ? whole : sessionsOf(whole, shard);
  const plan: RunPlan = {
    ...part,
    part: shard && { shard, whole: 'the same', sessions: whole.sessions.length, tested: 0, budget: {} },
  };
  const settings = { ...SETTINGS, runs, ...header?.settings };
  const about = { ...journalHeader(aboutRun(plan), settings, plan), ...header };
  const ledger = new Ledger(settings, scopeOf(plan));
  await using journal = await openJournal(file, about);
  const pins = new Map(scopeOf(plan).sessions.map(({ pin }) => [pin.session.id, pin.session]));
  for (const finding of findingsOf(played, plan).slice(0, findings)) {
    // What is not needed any more is not made.
    if (ledger.isOver(finding.session)) continue;
    journal.write(finding, pins.get(finding.session)!);
    ledger.take(finding);
  }
  if (end) journal.end({ durationMs: 5 }, [...pins.values()]);
}

const way = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 3 }) },
  { weight: 1, arbitrary: fc.constant('lost' as const) },
);
const ANY: fc.Arbitrary<Played> = fc.integer({ min: 1, max: 8 }).chain((runs) => {
  const turn = fc.array(way, { minLength: runs, maxLength: runs });
  return fc.array(fc.array(turn, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 4 });
});

test('whatever runs did, and however they were shared, shards come to the results of one run', async () => {
  await using dir = await folder();
  let place = 0;
  await fc.assert(
    fc.asyncProperty(ANY, fc.integer({ min: 1, max: 4 }), async (played, most) => {
      const runs = played[0]?.[0]?.length ?? 1;
      const settings = { ...SETTINGS, runs };
      const count = Math.min(most, played.length);
      const root = path.join(dir.path, String(place++));
      for (let index = 1; index <= count; index++) {
        const file = path.join(root, String(index), 'journal.ndjson');
        await writeShard(file, played, { index, count }, { header: { settings } });
      }
      const merged = await mergeJournals([root]);
      const bytes = (report: Report) => JSON.stringify(JSON.parse(renderJson(report)).results);
      expect(bytes(merged)).toBe(bytes(reportOf(played, settings)));
    }),
    { numRuns: Math.ceil(40 / EVERY) },
  );
});

test('whatever runs did, shards that are folded, once or twice, come to the report of all of them', async () => {
  await using dir = await folder();
  let place = 0;
  await fc.assert(
    fc.asyncProperty(ANY, fc.boolean(), async (played, isCut) => {
      const count = Math.min(3, played.length);
      const root = path.join(dir.path, String(place++));
      const at = (name: string | number) => path.join(root, String(name));
      for (let index = 1; index <= count; index++) {
        const written = isCut && index === 1 ? { end: false, findings: 1 } : {};
        await writeShard(path.join(at(index), 'journal.ndjson'), played, { index, count }, written);
        if (isCut && index === 1) await appendFile(path.join(at(1), 'journal.ndjson'), '{"type":"res');
      }
      const all = Array.from({ length: count }, (_, index) => at(index + 1));
      const merged = renderJson(await mergeJournals(all, { command: 'merge' }));
      expect(await foldJournals(all.slice(0, 2), at('folded'))).toBe(Math.min(2, count));
      await foldJournals([at('folded')], at('again'));
      for (const folded of ['folded', 'again']) {
        expect(renderJson(await mergeJournals([at(folded), ...all.slice(2)], { command: 'merge' }))).toBe(merged);
      }
      await expect(mergeJournals([at('folded'), at(1)])).rejects.toMatchObject({ code: 'SHARD_DUPLICATE' });
    }),
    { numRuns: Math.ceil(20 / EVERY) },
  );
});

test('a shard that cannot be read costs no other shard that it is folded with; a fold never replaces what it reads', async () => {
  await using dir = await folder();
  const at = (name: string | number) => path.join(dir.path, String(name));
  for (const index of [1, 2]) await writeShard(path.join(at(index), 'journal.ndjson'), STEADY, { index, count: 2 });
  const broken = path.join(at(1), 'journal.ndjson');
  await appendFile(broken, '{"type":"unheard of"}\n');
  await foldJournals([at(1), at(2)], at('folded'));
  const { results } = await mergeJournals([at('folded')]);
  expect(results.problems.map(({ code }) => code)).toEqual(['SHARD_MISSING', 'INPUT_INVALID']);
  expect(results.sessions.map(({ verdict }) => verdict)).toEqual([outcomes.asRecorded]);
  const before = await readFile(broken, 'utf8');
  const refused = await foldJournals([at(1), at(2)], at(1)).catch((error: unknown) => error);
  expect(wholeMessage(refused as AgentReplayError)).toMatchInlineSnapshot(`
    "The output folder holds one of the shards that are folded into it. (USAGE)
      at <folder>/1/journal.ndjson
      -> Name another folder: --output-dir."
  `);
  expect(await readFile(broken, 'utf8')).toBe(before);

  // What begins as no journal does is not folded: nothing would say where the next shard begins, and it would be lost.
  for (const text of ['', '{"type":"jour', '{"type":"unheard of"}\n']) {
    await writeFile(broken, text);
    const error = { code: 'INPUT_INVALID', location: { file: broken, line: 1 } };
    await expect(foldJournals([at(1), at(2)], at('refolded'))).rejects.toMatchObject(error);
  }
  await expect(readFile(path.join(at('refolded'), 'journal.ndjson'))).rejects.toThrow('ENOENT');

  // Only a fold holds several: a journal that somebody else put after another would not be checked against it.
  await writeFile(broken, `${await readFile(path.join(at(2), 'journal.ndjson'), 'utf8')}`.repeat(2));
  await expect(mergeJournals([at(1)])).rejects.toMatchObject({
    evidence: ['it holds the first line of a journal twice'],
  });
});

test('whatever runs did, what a ledger tells of sessions that are over is all that a report needs of them', () => {
  fc.assert(
    fc.property(ANY, (played) => {
      const runs = played[0]?.[0]?.length ?? 1;
      const [plan, settings] = [planOf(played, runs), { ...SETTINGS, runs }];
      const text = new ThreadText('a mark');
      const [one, other] = [new Ledger(settings, scopeOf(plan)), new Ledger(settings, scopeOf(plan))];
      for (const finding of findingsOf(played, plan)) one.take(finding);
      for (const { pin } of scopeOf(plan).sessions) {
        other.takeConcluded(text.read(text.of(one.concluded(pin.session.id)) as string) as Concluded);
      }
      const about = aboutRun(plan);
      const bytes = (ledger: Ledger) => renderJson(ledger.report({ about, durationMs: 1 }));
      expect(bytes(other)).toBe(bytes(one));
    }),
    { numRuns: Math.ceil(40 / EVERY) },
  );
});

test('every session is in exactly one shard, and shards differ by one session at most', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 6 }),
      (turns, most) => {
        const count = Math.min(most, turns.length);
        const plan = planOf(
          turns.map((length) => Array.from({ length }, () => [0])),
          1,
        );
        const shuffled = {
          ...plan,
          agents: plan.agents.map((agent) => ({ ...agent, sessions: agent.sessions.toReversed() })),
        };
        const idsOf = (of: Plan, index: number) =>
          scopeOf(sessionsOf(of, { index, count }))
            .sessions.map(({ pin }) => pin.path)
            .sort();
        const shards = Array.from({ length: count }, (_, place) => idsOf(plan, place + 1));
        expect(shards.flat().sort()).toEqual(
          scopeOf(plan)
            .sessions.map(({ pin }) => pin.path)
            .sort(),
        );
        expect(shards.map((_, place) => idsOf(shuffled, place + 1))).toEqual(shards);
        const load = (paths: string[]) =>
          paths.reduce((sum, each) => sum + (turns[Number(/s(\d+)/.exec(each)?.[1])] ?? 0), 0);
        const loads = shards.map(load);
        // No shard could give its shortest session to the lightest one, and be better for it.
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(Math.max(...turns));
      },
    ),
  );
});

/** Two sessions, six runs each, all as recorded. */
const STEADY: Played = [[[0, 0, 0, 0, 0, 0]], [[0, 0, 0, 0, 0, 0]]];
const DIVERGED: Played = [[[0, 0, 0, 0, 0, 0]], [[1, 1, 1, 1, 1, 1]]];

test.each([
  [
    'as recorded, it could not be verified',
    STEADY,
    'error',
    'could not tell in 1 of 2 sessions, 1 as recorded, and 1 problem',
  ],
  ['diverged, it diverged', DIVERGED, 'failed', '1 of 2 sessions changed, 1 could not tell, and 1 problem'],
] as const)('a shard that is missing is never passed over: where the rest is %s', async (_, played, status, title) => {
  await using dir = await folder();
  await writeShard(path.join(dir.path, '2', 'journal.ndjson'), played, { index: 2, count: 2 });
  const { results } = await mergeJournals([dir.path]);
  expect(results).toMatchObject({ status, title });
  expect(results.problems.map(wholeMessage).join('\n')).toMatchInlineSnapshot(`
    "Shard 1 of 2 is missing. (SHARD_MISSING)
      shard 2: <folder>/2/journal.ndjson
      -> Check whether a job failed before it wrote its files, or did not upload its output folder. The sessions of a missing shard are "could not tell"."
  `);
});

test('a shard that was killed is not verified from there on, and the whole is interrupted', async () => {
  await using dir = await folder();
  const file = (index: number) => path.join(dir.path, String(index), 'journal.ndjson');
  await writeShard(file(1), STEADY, { index: 1, count: 2 });
  await writeShard(file(2), STEADY, { index: 2, count: 2 }, { end: false, findings: 4 });
  const { results, evidence } = await mergeJournals([dir.path]);
  expect(results.status).toBe('interrupted');
  expect(evidence.interruptedBy).toBe('unknown');
  expect(results.sessions.map(({ verdict }) => verdict)).toEqual([outcomes.asRecorded, outcomes.couldNotTell]);
  expect(results.sessions[1]?.turns[0]?.problems).toMatchObject([{ code: 'INTERRUPTED', runs: [5, 6] }]);
});

test('a run that was killed after its last replay is not said to lack any', async () => {
  await using dir = await folder();
  await writeShard(path.join(dir.path, 'journal.ndjson'), STEADY, undefined, { end: false });
  const { results } = await mergeJournals([dir.path]);
  expect(results).toMatchObject({
    title: 'interrupted: 2 of 2 sessions as recorded',
    message: 'Run again: nothing says that the run came to its end. All replays that it had begun are compared.',
  });
});

test('a run that was interrupted by a signal is told of as it told itself, with the exit code of the signal', async () => {
  await using dir = await folder();
  const file = path.join(dir.path, 'journal.ndjson');
  await writeShard(file, STEADY, undefined, { end: false, findings: 6 });
  const reason = { code: 'INTERRUPTED', message: 'The run was interrupted by SIGTERM.', evidence: [] };
  await appendFile(file, `${JSON.stringify({ type: 'end', durationMs: 7, interruptedBy: 'SIGTERM', reason })}\n`);
  const report = await mergeJournals([dir.path]);
  const { results, evidence } = report;
  expect(evidence).toMatchObject({ interruptedBy: 'SIGTERM', durationMs: 7 });
  expect(gateOf(report).exitCode).toBe(143);
  expect(results.sessions[1]?.turns[0]?.problems).toMatchObject([{ code: 'INTERRUPTED', message: reason.message }]);
});

test('a shard that cannot be read is a problem of the whole; when none can, there is no report', async () => {
  await using dir = await folder();
  const file = (index: number) => path.join(dir.path, String(index), 'journal.ndjson');
  for (const index of [1, 2]) await writeShard(file(index), STEADY, { index, count: 2 });
  await writeFile(file(2), (await readFile(file(2), 'utf8')).replace('"behaviour"', '"behavio'));
  const { results } = await mergeJournals([dir.path]);
  expect(results.status).toBe('error');
  expect(results.problems.map(({ code }) => code)).toEqual(['SHARD_MISSING', 'INPUT_INVALID']);
  expect(results.sessions).toHaveLength(1);
  await truncate(file(1), 10);
  await expect(mergeJournals([dir.path])).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  await expect(mergeJournals([path.join(dir.path, 'nowhere')])).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringContaining('nowhere'),
  });
});

test('the same shard twice is refused; the same file twice is one', async () => {
  await using dir = await folder();
  const file = (name: string) => path.join(dir.path, name, 'journal.ndjson');
  for (const name of ['a', 'b']) await writeShard(file(name), STEADY, { index: 1, count: 1 });
  expect(await mergeJournals([dir.path]).catch(wholeMessage)).toMatchInlineSnapshot(`
    "Shard 1 was given more than once. (SHARD_DUPLICATE)
      <folder>/a/journal.ndjson
      <folder>/b/journal.ndjson
      -> Leave out all but one of them."
  `);
  const { results } = await mergeJournals([path.join(dir.path, 'a'), file('a'), '*a'], { cwd: dir.path });
  expect(results.status).toBe('passed');
  for (const name of ['a', 'b']) await writeShard(file(name), STEADY, undefined);
  expect(await mergeJournals([dir.path]).catch(wholeMessage)).toMatchInlineSnapshot(`
    "These are whole runs, not shards of one. (SHARD_DUPLICATE)
      <folder>/a/journal.ndjson
      <folder>/b/journal.ndjson
      -> Merge one of them, or run them with --shard."
  `);
});

test('two pins of one session, which no shard has read both, are refused with their files', async () => {
  await using dir = await folder();
  const file = (index: number) => path.join(dir.path, String(index), 'journal.ndjson');
  for (const index of [1, 2]) await writeShard(file(index), STEADY, { index, count: 2 });
  const [own, other] = await Promise.all([1, 2].map(async (index) => (await firstLine(file(index))).sessions[0]));
  const text = await readFile(file(2), 'utf8');
  await writeFile(file(2), text.replaceAll(`"id":"${other?.id}"`, `"id":"${own?.id}"`));
  const refused = await mergeJournals([dir.path]).catch(wholeMessage);
  expect(refused).toContain(`Two pins are of the session "${own?.id}". (SHARD_DUPLICATE)`);
  expect(refused).toContain(`${own?.path}\n  ${other?.path}\n`);
});

test.each<[string, Partial<JournalHeader>, string]>([
  ['another version (fault 144)', { tool: '0.0.1' }, 'version of agent-replay: '],
  ['another commit', { commit: 'c0ffee' }, 'commit: '],
  ['another number of runs', { settings: { ...SETTINGS, runs: 9 } }, 'runs: 6 in '],
  ['other rules', { settings: { ...SETTINGS, runs: 6, minAgreement: 0.5 } }, 'minAgreement: '],
  ['other pins', { whole: 'another' }, 'pinned sessions: '],
  ['another count of shards', { shard: { index: 2, count: 3 } }, 'shards: 2 in '],
])('shards of %s are not pooled', async (_, header, evidence) => {
  await using dir = await folder();
  const file = (index: number) => path.join(dir.path, String(index), 'journal.ndjson');
  await writeShard(file(1), STEADY, { index: 1, count: 2 }, { header: { commit: 'cafe' } });
  await writeShard(file(2), STEADY, { index: 2, count: 2 }, { header: { commit: 'cafe', ...header } });
  await expect(mergeJournals([dir.path])).rejects.toMatchObject({
    code: 'SHARDS_DIFFER',
    evidence: [expect.stringContaining(evidence)],
  });
});

test('shards of different runs are refused with all that differs', async () => {
  await using dir = await folder();
  const file = (index: number) => path.join(dir.path, String(index), 'journal.ndjson');
  await writeShard(file(1), STEADY, { index: 1, count: 2 }, { header: { commit: 'cafe' } });
  await writeShard(file(2), STEADY, { index: 2, count: 3 }, { header: { commit: 'c0ffee' } });
  expect(await mergeJournals([dir.path]).catch(wholeMessage)).toMatchInlineSnapshot(`
    "These are not shards of one run. (SHARDS_DIFFER)
      at <folder>/2/journal.ndjson
      commit: cafe in <folder>/1/journal.ndjson, c0ffee in <folder>/2/journal.ndjson
      shards: 2 in <folder>/1/journal.ndjson, 3 in <folder>/2/journal.ndjson
      -> Merge the output folders of one workflow run, all with the same commit and configuration."
  `);
});

test('why an agent failed is told once, however many shards it failed in', async () => {
  await using dir = await folder();
  const file = (index: number) => path.join(dir.path, String(index), 'journal.ndjson');
  for (const index of [1, 2]) {
    await writeShard(file(index), STEADY, { index, count: 2 }, { end: false, findings: 0 });
    const error = { code: 'AGENT_EXITED', message: 'It exited.', evidence: ['no database'] };
    const lines = [
      { type: 'failure', error, sessions: ['s0', 's1'] },
      { type: 'end', durationMs: 1 },
    ];
    await appendFile(file(index), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
  const { results } = await mergeJournals([dir.path]);
  expect(results.status).toBe('error');
  expect(results.problems).toMatchObject([{ code: 'AGENT_EXITED', evidence: ['no database'] }]);
  expect(results.sessions[0]?.turns[0]?.problems).toMatchObject([{ code: 'AGENT_EXITED', runs: [1, 2, 3, 4, 5, 6] }]);
});

/** A session by its ways: of its recordings, and of the replays that it would make. */
interface Shifting {
  readonly made: readonly number[];
  readonly replays: readonly number[];
  /** Of its own. */
  readonly runs?: number;
}

const BY_SHIFT = settingsOf(parseConfig({ gate: 'shift' }, { folder: '/' }));

function shiftingPlan(sessions: readonly Shifting[]): Plan {
  const plan = planOf(
    sessions.map(() => [[0]]),
    1,
  );
  const planned = plan.sessions.map((session, place) => {
    const { made = [], runs: own } = sessions[place] ?? {};
    const baselines = made.map((way, run) => ({ ...recordingOf(way, 50 + run), made: { at: FIXED, run: run + 1 } }));
    const turns = session.pin.session.turns.map((turn) => ({ ...turn, baselines }));
    const pin = { ...session.pin, session: { ...session.pin.session, turns } };
    // As a plan has it: two replays tell nothing beside fewer than five recordings.
    const runs = runNumbers(own ?? (made.length < 5 ? 5 : 2));
    return { ...session, pin, runs, ...(own !== undefined && { own: { runs: own } }) };
  });
  return { ...plan, agents: plan.agents.map((agent) => ({ ...agent, sessions: planned })), sessions: planned };
}

/** Replays until no look is asked for. */
function looked(sessions: readonly Shifting[], plan: Plan, part?: ConstructorParameters<typeof Ledger>[2]) {
  const ledger = new Ledger(BY_SHIFT, scopeOf(plan), part);
  const findings: Finding[] = [];
  const take = (session: string, run: number) => {
    const recording = recordingOf(sessions[Number(session.slice(1))]?.replays[run - 1] ?? 0, run);
    const outcome = { kind: 'replayed', recording } as const;
    const finding = { session, turn: 1, run, outcome, replayRunId: 'x', attempts: 1, callMs: 1 };
    findings.push(finding);
    ledger.take(finding);
  };
  for (const { pin, runs } of plan.sessions) for (const run of runs) take(pin.session.id, run);
  const ids = plan.sessions.map(({ pin }) => pin.session.id);
  for (let looks = ledger.nextLooks(ids); looks.length > 0; looks = ledger.nextLooks(ids))
    for (const { session, from, to } of looks) for (let run = from; run <= to; run++) take(session, run);
  ledger.close();
  return { ledger, findings };
}

async function mergedLooks(sessions: readonly Shifting[], count: number, lastLook: boolean): Promise<Report> {
  await using dir = await folder();
  const whole = shiftingPlan(sessions);
  for (let index = 1; index <= count; index++) {
    const part = {
      shard: { index, count },
      whole: 'the same',
      sessions: sessions.length,
      tested: sessions.length,
      budget: {},
    };
    const own = partOf(whole, (session) =>
      Number(session.pin.session.id.slice(1)) % count === index - 1 ? session : undefined,
    );
    const plan = { ...own, part };
    const ranges = sessions.map(({ runs }) => (runs === undefined ? BY_SHIFT.looks : looksFrom(runs)));
    const last = lastLook ? lastOfSuite(ranges) : undefined;
    const { findings } = looked(sessions, plan, { isPart: true, planned: part.tested, lastLook: last });
    const file = path.join(dir.path, `${index}`, 'journal.ndjson');
    await using journal = await openJournal(file, journalHeader(aboutRun(plan), BY_SHIFT, plan));
    const pins = new Map(plan.sessions.map(({ pin }) => [pin.session.id, pin.session]));
    for (const finding of findings) journal.write(finding, pins.get(finding.session)!);
    journal.end({ durationMs: 1 }, [...pins.values()]);
  }
  return await mergeJournals([dir.path]);
}

/** All that decides: one job may have fewer replays of a session that ended as recorded. */
function decided(report: Report) {
  const { sessions, shift } = report.results;
  const turns = sessions.flatMap((session) => session.turns.map((turn) => [turn.shift?.state, turn.shift?.adjusted]));
  return {
    exitCode: gateOf(report).exitCode,
    suites: shift?.suites,
    red: sessions.map(({ level }) => level === 'error'),
    turns,
  };
}

function ofOneJob(sessions: readonly Shifting[]) {
  const { ledger } = looked(sessions, shiftingPlan(sessions));
  return decided(ledger.report({ about: aboutRun({ agents: [] }), durationMs: 1 }));
}

test('where five replays leave the test of all sessions open, the merge says so, and ten come to the verdict of one job', async () => {
  const replays = Array.from({ length: 40 }, (_, run) => (run === 4 ? 0 : 1));
  const sessions = Array.from({ length: 4 }, () => ({ made: [], replays }));
  const first = await mergedLooks(sessions, 2, false);
  expect(first.results.problems.map(wholeMessage).join('')).toMatchInlineSnapshot(`
    "The test of all sessions together is open: it needs 10 replays of each. (LOOK_OPEN)
      -> Start the same shards again, with their output folders and --set lastLook=true, and merge them again."
  `);
  expect(gateOf(first).exitCode).toBe(2);
  const merged = await mergedLooks(sessions, 2, true);
  expect(merged.results.problems).toEqual([]);
  expect(merged.results.shift?.suites).toMatchObject([{ state: 'shifted' }]);
  expect(decided(merged)).toEqual(ofOneJob(sessions));
});

test('a session with more runs of its own delays the last look of all, and the merge says to how many replays', async () => {
  const replays = Array.from({ length: 40 }, (_, run) => (run === 4 ? 0 : 1));
  const sessions = [{ made: [], replays, runs: 12 }, ...Array.from({ length: 3 }, () => ({ made: [], replays }))];
  const first = await mergedLooks(sessions, 2, false);
  expect(first.results.problems.map(({ message }) => message)).toEqual([
    'The test of all sessions together is open: it needs 12 replays of each.',
  ]);
  const merged = await mergedLooks(sessions, 2, true);
  expect(merged.results.problems).toEqual([]);
  expect(decided(merged)).toEqual(ofOneJob(sessions));
});

test('whatever runs did, shards under shift come to the verdict of one job, with the last look where the merge asks for it', async () => {
  const ways = (least: number, most: number, by: number) =>
    fc
      .array(fc.constantFrom(0, 0, 1, 1, 2), { minLength: least, maxLength: most })
      .map((all) => all.map((each) => Math.min(3, each + by)));
  const session = (by: number) => fc.record({ made: ways(0, 12, 0), replays: ways(40, 40, by) });
  const any = fc
    .constantFrom(0, 0, 1, 2)
    .chain((by) => fc.array(fc.oneof(session(0), session(by)), { minLength: 2, maxLength: 8 }));
  await fc.assert(
    fc.asyncProperty(any, fc.integer({ min: 2, max: 3 }), async (sessions, count) => {
      const first = await mergedLooks(sessions, count, false);
      const isOpen = first.results.problems.some(({ code }) => code === 'LOOK_OPEN');
      const merged = isOpen ? await mergedLooks(sessions, count, true) : first;
      expect(merged.results.problems).toEqual([]);
      expect(decided(merged)).toEqual(ofOneJob(sessions));
    }),
    { numRuns: Math.ceil(40 / EVERY) },
  );
});

async function firstLine(file: string): Promise<{ sessions: { id: string; path: string }[] }> {
  const [first = ''] = (await readFile(file, 'utf8')).split('\n');
  return JSON.parse(first);
}
