import { expect, test } from 'vitest';
import { type ConfigInput, parseConfig } from '../../src/config/index.ts';
import type { Finding } from '../../src/job/judging/finding.ts';
import { Ledger } from '../../src/job/ledger/ledger.ts';
import type { LedgerPart, Look } from '../../src/job/records/extension-points.ts';
import type { RunScope } from '../../src/job/records/run-scope.ts';
import { settingsOf } from '../../src/job/records/run-settings.ts';
import { aboutRun } from '../../src/job/running/about-run.ts';
import type { Json } from '../../src/json/index.ts';
import { type Report, renderTerminal } from '../../src/report/index.ts';
import { randomFrom } from '../../src/shift/random.ts';
import type { Recording } from '../../src/trace/index.ts';
import { outcomes } from '../outcomes.ts';
import { EVERY } from '../sample.ts';

/** A run by the tools that it calls; its answer is the same each time. */
type Way = readonly string[];

function recordingOf(way: Way, found: (tool: number) => Json = () => 'found'): Recording {
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  const root = { id: 'r', parentId: null, type: 'agent' as const, name: 'turn', input: 'hi', output: 'done' };
  const tools = way.map((name, index) => ({
    id: `t${index}`,
    parentId: 'r',
    type: 'tool' as const,
    name,
    input: {},
    output: found(index),
    startTime: at(index + 1),
    endTime: at(index + 2),
  }));
  return { output: 'done', observations: [{ ...root, startTime: at(0), endTime: at(100) }, ...tools] };
}

const [A, B]: [Way, Way] = [
  ['look', 'pay'],
  ['look', 'look', 'pay'],
];
const TWICE: Way = ['look', 'pay', 'pay'];
/** In turn, so that both sides hold as many of each. */
const mixed = (count: number): Way[] => Array.from({ length: count }, (_, index) => (index % 2 === 0 ? A : B));
const all = (count: number, way: Way): Way[] => Array.from({ length: count }, () => way);

interface Played {
  readonly made: readonly Way[];
  readonly replays: readonly Way[];
}

function scopeOf(sessions: readonly Played[]): RunScope {
  return {
    runs: [1, 2, 3, 4, 5],
    problems: [],
    sessions: sessions.map(({ made }, index) => ({
      pin: {
        path: `replays/s${index}.session.json`,
        session: {
          version: 1,
          stepsVersion: 1,
          id: `s${index}`,
          turns: [
            {
              request: { input: 'hi' },
              recorded: recordingOf(A),
              baselines: made.map((way, run) => ({
                ...recordingOf(way),
                made: { at: '2026-01-01T00:00:00.000Z', run: run + 1, models: ['m-1'] },
              })),
            },
          ],
        },
      },
      turns: [1],
      runs: [1, 2, 3, 4, 5],
      problems: [],
    })),
  };
}

function finding(session: string, run: number, way: Way, found?: (tool: number) => Json): Finding {
  const outcome = { kind: 'replayed', recording: recordingOf(way, found) } as const;
  return { session, turn: 1, run, outcome, replayRunId: 'x', attempts: 1, callMs: 1 };
}

/** A whole run: five replays of each session, then the looks that are asked for. */
function judged(
  sessions: readonly Played[],
  config: Partial<ConfigInput> = {},
  part?: LedgerPart,
  found?: (tool: number) => Json,
): { results: Report['results']; looks: readonly Look[] } {
  const settings = settingsOf(parseConfig({ runs: 5, ...config }, { folder: '/' }));
  const ledger = new Ledger(settings, scopeOf(sessions), part);
  const take = (session: number, run: number) =>
    ledger.take(finding(`s${session}`, run, sessions[session]?.replays[run - 1] ?? A, found));
  for (const session of sessions.keys()) for (let run = 1; run <= 5; run++) take(session, run);
  const ids = sessions.map((_, index) => `s${index}`);
  const looks: Look[] = [];
  for (let more = ledger.nextLooks(ids); more.length > 0; more = ledger.nextLooks(ids)) {
    looks.push(...more);
    for (const { session, from, to } of more)
      for (let run = from; run <= to; run++) take(Number(session.slice(1)), run);
  }
  ledger.close();
  return { looks, results: ledger.report({ about: aboutRun({ agents: [] }), durationMs: 1 }).results };
}

const verdictsOf = ({ sessions }: Report['results']) => sessions.map(({ verdict, level }) => `${verdict} ${level}`);

test('runs that differ as the recordings do are as recorded in what they did, vary in their path, and are looked at once', () => {
  const { results, looks } = judged([{ made: mixed(10), replays: mixed(5) }]);
  expect(looks).toEqual([]);
  expect(verdictsOf(results)).toEqual(['as-recorded off']);
  expect(results).toMatchObject({ status: 'passed', title: '1 of 1 session as recorded' });
  expect(results.sessions[0]?.turns[0]?.comparison.divergence).toBeNull();
});

/** The last run of each session, and how often it was looked at. */
const lastOf = (looks: readonly Look[], session: string) => looks.findLast((look) => look.session === session)?.to;

test('a turn that shifted is replayed until that is beyond chance, up to 20 times, and fails', () => {
  const { results, looks } = judged([
    { made: mixed(10), replays: all(20, ['look']) },
    { made: mixed(10), replays: mixed(20) },
  ]);
  expect([lastOf(looks, 's0'), lastOf(looks, 's1')]).toEqual([10, undefined]);
  const five = judged([{ made: mixed(5), replays: all(20, ['look']) }]);
  expect(lastOf(five.looks, 's0')).toBe(20);
  expect(verdictsOf(five.results)).toEqual(['changed error']);
  expect(verdictsOf(results)[0]).toBe('changed error');
  expect(results.status).toBe('failed');
  expect(results.sessions[0]?.turns[0]?.shift).toMatchObject({
    state: 'shifted',
    separation: expect.arrayContaining(['no replay calls pay, and all 10 recordings do']),
  });
});

test('where the recordings all agree, one replay that takes another path is told and fails nothing', () => {
  const { results, looks } = judged([{ made: all(10, A), replays: [...all(4, A), B, ...all(15, A)] }]);
  expect(looks).toEqual([]);
  expect(verdictsOf(results)).toEqual(['as-recorded off']);
  expect(results.sessions[0]?.aspects).toEqual({
    did: outcomes.asRecorded,
    said: outcomes.asRecorded,
    path: outcomes.varies,
  });
});

test('where the recordings all agree, one replay that does something else varies, and warns or fails as the policy says', () => {
  const replays = [...all(4, A), TWICE, ...all(15, A)];
  expect(verdictsOf(judged([{ made: all(10, A), replays }]).results)).toEqual(['varies warn']);
  const strict = { failOn: { did: ['changed', 'varies'] } } as const;
  expect(judged([{ made: all(10, A), replays }], strict as never).results.status).toBe('failed');
});

test('of one recording, five replays that all do the same other thing have changed, one is told, and something else in each is doubt', () => {
  const one = (replays: readonly Way[]) =>
    verdictsOf(judged([{ made: all(1, A), replays }], { gate: 'shift' }).results);
  expect(one(all(20, TWICE))).toEqual(['changed error']);
  expect(one([...all(4, A), TWICE, ...all(15, A)])).toEqual(['varies warn']);
  const ways = Array.from({ length: 20 }, (_, at): Way => ['look', 'pay', `create_${at}`]);
  expect(one(ways)).toEqual(['could-not-tell error']);
});

test('whatever tools return in the replays, verdict, p, number of replays and ways stay', () => {
  const number = randomFrom('results');
  const hex = (chars: number) => Array.from({ length: chars }, () => number(16).toString(16)).join('');
  const kinds: readonly (() => Json)[] = [
    () => number(5),
    () => `price ${number(100)}`,
    () => null,
    () => ({
      id: [hex(8), hex(4), hex(4), hex(4), hex(12)].join('-'),
      at: new Date(number(2_000_000_000) * 1_000).toISOString(),
    }),
    () => Array.from({ length: number(4) }, () => ({ [`key ${number(3)}`]: hex(number(40)) })),
  ];
  const found = () => (kinds[number(kinds.length)] as () => Json)();
  const way = (): Way => Array.from({ length: number(4) }, () => ['look', 'pay'][number(2)] as string);
  const config = { compare: { tools: { pay: { mutating: true } } } } as const;
  const told = ({ results, looks }: ReturnType<typeof judged>) => ({
    looks,
    status: results.status,
    title: results.title,
    shift: results.shift,
    turns: results.sessions.flatMap(({ verdict, level, turns: [turn] }) => ({
      verdict,
      level,
      shift: turn?.shift,
      events: turn?.events,
      note: turn?.comparison.note,
      figures: turn?.comparison.figures,
      runs: turn?.comparison.clusters.map(({ runs }) => runs),
    })),
  });
  for (let round = 0; round < 40; round += EVERY) {
    const kept = [A, B, way()].slice(0, 1 + number(3));
    const drawn = (count: number) => Array.from({ length: count }, () => kept[number(kept.length)] as Way);
    const other = way();
    const replays = drawn(20).map((own) => (round % 3 === 0 && number(2) === 0 ? other : own));
    const sessions = [{ made: drawn(10), replays }];
    expect(told(judged(sessions, config, undefined, found))).toEqual(told(judged(sessions, config)));
  }
});

test('where further looks replay one turn of two, the cost of the runs that replayed both is compared', () => {
  const scope = scopeOf([{ made: mixed(10), replays: [] }]);
  const [session] = scope.sessions as [RunScope['sessions'][number]];
  const [turn] = session.pin.session.turns as [(typeof session.pin.session.turns)[number]];
  const usage = [{ calls: 1, inputTokens: 100, outputTokens: 10 }];
  const told = { ...turn, baselines: turn.baselines?.map((each) => ({ ...each, usage })) };
  const pin = { ...session.pin, session: { ...session.pin.session, turns: [told, told] } };
  const settings = settingsOf(parseConfig({ runs: 5 }, { folder: '/' }));
  const ledger = new Ledger(settings, { ...scope, sessions: [{ ...session, pin, turns: [1, 2] }] });
  const take = (number: number, run: number) => {
    const recording = { ...recordingOf(number === 1 ? (mixed(5)[run - 1] as Way) : ['look']), usage };
    ledger.take({ ...finding('s0', run, A), turn: number, outcome: { kind: 'replayed', recording } });
  };
  for (let run = 1; run <= 5; run++) for (const number of [1, 2]) take(number, run);
  const looks: Look[] = [];
  for (let more = ledger.nextLooks(['s0']); more.length > 0; more = ledger.nextLooks(['s0'])) {
    looks.push(...more);
    for (const { turns, from, to } of more)
      for (let run = from; run <= to; run++) for (const number of turns) take(number, run);
  }
  ledger.close();
  expect(looks.flatMap(({ turns }) => turns)).not.toContain(1);
  expect(looks.at(-1)?.to).toBe(10);
  const { cost } = ledger.report({ about: aboutRun({ agents: [] }), durationMs: 1 }).results;
  expect(cost?.sessions).toMatchObject([{ state: 'as-recorded', ratio: 1 }]);
});

test('a session is judged by shift from five recordings on that runs made, unless its gate is set', () => {
  const gates = (made: number, config: Partial<ConfigInput> = {}) =>
    judged([{ made: mixed(made), replays: mixed(5) }], config).results;
  expect(gates(4).gates).toBeUndefined();
  expect(gates(4).sessions[0]).not.toHaveProperty('gate');
  expect(gates(5)).toMatchObject({
    gates: '1 session by shift (whether replays differ from 5 or more recordings by more than chance).',
    sessions: [{ gate: 'shift', recordings: { oldest: '2026-01-01T00:00:00.000Z', models: ['m-1'] } }],
  });
  expect(gates(5, { gate: 'every-run' })).toMatchObject({
    gates: '1 session run by run (gate: every-run is set).',
    sessions: [{ verdict: outcomes.asRecorded }],
  });
  expect(gates(0, { gate: 'shift' }).gates).toContain('only the original, which somebody chose');
});

test('what fails whatever the tests say, fails in one replay; of a mutating tool it is an alarm', () => {
  const once = [A, B, [...A, 'pay'], A, B];
  const tools = (rules: object) => ({ compare: { tools: { pay: rules } } });
  const critical = judged([{ made: mixed(10), replays: once }], tools({ critical: true })).results;
  expect(verdictsOf(critical)).toEqual(['changed error']);
  expect(critical.sessions[0]?.turns[0]?.events).toMatchObject([{ kind: 'more-often', fails: true, runs: [3] }]);
  const alarm = judged([{ made: mixed(10), replays: [...once, ...mixed(15)] }], tools({ mutating: true }));
  expect(alarm.looks).toEqual([]);
  const always = judged([{ made: mixed(10), replays: all(20, [...A, 'pay']) }], tools({ mutating: true }));
  expect(verdictsOf(always.results)).toEqual(['changed error']);
  expect(verdictsOf(alarm.results)).toEqual(['varies warn']);
  expect(alarm.results.title).toBe('1 of 1 session raises an alarm');
});

test('a part of a run leaves to the merge what has shifted by its p', () => {
  const shifted = [{ made: mixed(10), replays: all(20, ['look']) }];
  const { results, looks } = judged(shifted, {}, { isPart: true });
  // How small a p must be is known from the plan of all parts, so that no replay is made in vain.
  expect(lastOf(looks, 's0')).toBe(10);
  expect(verdictsOf(results)).toEqual(['varies warn']);
  expect(results.shift).toMatchObject({ isPart: true, suites: [] });
});

test('with three recordings of many turns no turn can be red by its p, and that is said', () => {
  const { results } = judged(
    Array.from({ length: 18 }, () => ({ made: mixed(3), replays: mixed(5) })),
    { gate: 'shift' },
  );
  expect(results.shift?.reach).toMatchObject({ recordings: 4 });
});

/** An order that is refunded, with the calls of the model that the agent asks. */
function refundOf(
  refunded: number,
  {
    prompt = 'Be kind.',
    looksAt,
    says = 'are on their way',
    amount = 79,
  }: { prompt?: string; looksAt?: string; says?: string; amount?: number } = {},
): Recording {
  const calls: [string, Json, Json][] = [
    ['lookup_order', { id: 'A-2' }, { id: 'A-2', status: 'delivered', amount: 79 }],
    ...(looksAt === undefined
      ? []
      : [['check_policy', { topic: looksAt }, { text: 'Within 30 days.' }] as [string, Json, Json]]),
    ['refund_order', { id: 'A-2', amount }, { ok: true, id: 'A-2', refunded }],
  ];
  const answer = `Order A-2 is delivered. ${refunded} EUR ${says}.`;
  const messages: Json[] = [
    { role: 'system', content: prompt },
    { role: 'user', content: 'hi' },
  ];
  let ms = 0;
  const at = () => new Date(Date.UTC(2026, 0, 1) + ms++).toISOString();
  const root = {
    id: 'r',
    parentId: null,
    type: 'agent' as const,
    name: 'turn',
    input: 'hi',
    output: answer,
    startTime: at(),
  };
  const observations: Recording['observations'][number][] = [];
  const asks = (output: Json) => {
    const id = `g${observations.length}`;
    const input = { messages: [...messages] };
    observations.push({
      id,
      parentId: 'r',
      type: 'generation',
      name: 'chat',
      input,
      output,
      startTime: at(),
      endTime: at(),
    });
    messages.push(output);
  };
  for (const [index, [name, args, result]] of calls.entries()) {
    const call = { id: `c${index}`, type: 'function', function: { name, arguments: JSON.stringify(args) } };
    asks({ role: 'assistant', content: null, tool_calls: [call] });
    observations.push({
      id: `t${index}`,
      parentId: 'r',
      type: 'tool',
      name,
      input: args,
      output: result,
      startTime: at(),
      endTime: at(),
    });
    messages.push({ role: 'tool', tool_call_id: `c${index}`, content: JSON.stringify(result) });
  }
  asks({ role: 'assistant', content: answer });
  return { output: answer, observations: [{ ...root, endTime: at() }, ...observations] };
}

/** The divergence of a turn that was judged, what the gate says of it, and whether more recordings are advised. */
function toldOf(made: readonly Recording[], replays: readonly Recording[]) {
  const scope = scopeOf([{ made: [], replays: [] }]);
  const [session] = scope.sessions as [RunScope['sessions'][number]];
  const baselines = made.map((each, run) => ({ ...each, made: { at: '2026-01-01T00:00:00.000Z', run: run + 1 } }));
  const turn = { request: { input: 'hi' }, recorded: made[0] as Recording, baselines };
  const pin = { ...session.pin, session: { ...session.pin.session, turns: [turn] } };
  const ledger = new Ledger(settingsOf(parseConfig({ runs: 5 }, { folder: '/' })), {
    ...scope,
    sessions: [{ ...session, pin }],
  } as RunScope);
  const take = (run: number) =>
    ledger.take({ ...finding('s0', run, A), outcome: { kind: 'replayed', recording: replays[run - 1] as Recording } });
  for (let run = 1; run <= 5; run++) take(run);
  for (let more = ledger.nextLooks(['s0']); more.length > 0; more = ledger.nextLooks(['s0']))
    for (const { from, to } of more) for (let run = from; run <= to; run++) take(run);
  ledger.close();
  const report = ledger.report({ about: aboutRun({ agents: [] }), durationMs: 1 });
  const [told] = report.results.sessions;
  const { comparison, shift } = told?.turns[0] ?? {};
  const more = renderTerminal(report, { isVerbose: true }).includes('pin --runs 10 --more');
  const { aspect, kind, runs, of, cause } = comparison?.divergence ?? {};
  return { says: shift?.separation[0], verdict: comparison?.verdict, aspect, kind, runs, of, cause: cause?.kind, more };
}

const times = <T>(count: number, of: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => of(index));

test('where a tool returns something else, the divergence is what has shifted, and its cause the tool, whatever else some runs do', () => {
  const made = times(10, (index) => refundOf(79, index === 3 ? { looksAt: 'refund' } : {}));
  const replays = times(20, (index) => refundOf(78, index % 3 === 0 ? { looksAt: 'refund' } : {}));
  expect(toldOf(made, replays)).toEqual({
    says: expect.stringContaining("'78' appears in"),
    verdict: 'changed',
    aspect: 'said',
    kind: 'final-text',
    runs: 10,
    of: 10,
    cause: 'environment',
    more: false,
  });
});

test('more recordings are advised where chance may be the cause, and not where they would hold the edit', () => {
  const made = times(10, () => refundOf(79));
  const replays = (prompt: string) => times(20, () => refundOf(79, { prompt, looksAt: 'refund' }));
  expect(toldOf(made, replays('Be kind.'))).toMatchObject({ verdict: 'changed', cause: 'model', more: true });
  expect(toldOf(made, replays('Be very kind.'))).toMatchObject({ verdict: 'changed', cause: 'agent', more: false });
});

test('where the words have shifted, the divergence is one of words, although one run alone calls a new tool', () => {
  const made = times(10, () => refundOf(79));
  const says = (index: number) => (index === 1 ? 'are on their way' : 'will come, my dear friend, soon');
  const replays = times(20, (index) =>
    refundOf(79, { prompt: 'Be very kind.', says: says(index), ...(index === 2 && { looksAt: 'refund' }) }),
  );
  expect(toldOf(made, replays)).toMatchObject({
    verdict: 'changed',
    aspect: 'said',
    kind: 'final-text',
    cause: 'agent',
    more: false,
  });
});

test('a replay that does what a recording does, and says it in words of its own, does not vary in what it did', () => {
  const either = (index: number) => ({ amount: index % 2 === 0 ? 79 : 78 });
  const made = times(10, (index) => refundOf(79, either(index)));
  const replaysWith = (third: object) => times(20, (index) => refundOf(79, index === 2 ? third : either(index)));
  const words = { amount: 78, says: 'were sent off' };
  expect(toldOf(made, replaysWith(words))).toMatchObject({ verdict: 'as-recorded', aspect: undefined });
  expect(toldOf(made, replaysWith({ ...words, amount: 77 }))).toMatchObject({ verdict: 'varies', aspect: 'did' });
});
