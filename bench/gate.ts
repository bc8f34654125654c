/**
 * Measures the gate for live agents on simulated agents: how often it is red when nothing changed, and how often it
 * finds a planted change. `node bench/gate.ts` measures everything, in eight minutes on a free core; `SUITES=60 node
 * bench/gate.ts` six times as much; `node bench/gate.ts swapped small` some parts; `node bench/gate.ts page` nothing. Results
 * go to gate.json, from which gate.md is written. The figures are seeded, and the same every time.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { markdownTable } from 'markdown-table';
import { costTest } from '../src/shift/cost-test.ts';
import { randomFrom } from '../src/shift/random.ts';
import { type Agent, agentOf, KINDS, type Kind, PLANTS, planted } from '../test/shift/agents.ts';
import { suite as costSuite, runs, unit } from '../test/shift/costs.ts';
import { type Outcome, type SimulatedSession, simulate, simulateAgainstBase, unchanged } from '../test/shift/gate.ts';
import { alarmAt, nights } from '../test/shift/nights.ts';

const FILE = path.join(import.meta.dirname, 'gate.json');
const PAGE = path.join(import.meta.dirname, 'gate.md');
/** Suites of each cell. Fewer measure faster: `SUITES=2 node bench/gate.ts unchanged`. */
const SUITES = Number(process.env.SUITES ?? 10);

/** One cell of a table: in how many of how many suites it happened. */
interface Cell {
  readonly red: number;
  readonly suites: number;
}
interface Row {
  readonly name: string;
  readonly cells: Readonly<Record<string, Cell | number>>;
}
interface Section {
  readonly title: string;
  readonly about: string;
  /** The commit that was measured; added when the result is stored. */
  readonly commit?: string;
  readonly rows: readonly Row[];
}

interface Simulated {
  readonly recordings: number;
  readonly seed: string;
  readonly counted?: number;
  readonly suites?: number;
  readonly sessions: (suite: number) => readonly SimulatedSession[];
}

function outcomes({ seed, sessions, suites = SUITES, ...options }: Simulated): Outcome[] {
  return Array.from({ length: suites }, (_, suite) =>
    simulate(sessions(suite), { seed: `${seed} ${suite}`, ...options }),
  );
}

function share(found: readonly Outcome[], isRed: (outcome: Outcome) => boolean): Cell {
  return { red: found.filter(isRed).length, suites: found.length };
}

const byTurns = ({ turns }: Outcome): boolean => turns.some(({ state }) => state === 'shifted');
const bySuite = ({ suite }: Outcome): boolean => suite?.state === 'shifted';

/** The mean over sessions. */
function replaysOf(found: readonly Outcome[], of: (outcome: Outcome) => number = ({ replays }) => replays): number {
  const sessions = found.reduce((sum, { turns }) => sum + turns.length, 0);
  return found.reduce((sum, outcome) => sum + of(outcome), 0) / sessions;
}

/** A further row for all of them together. */
function withSum(rows: readonly Row[]): Row[] {
  const columns = Object.keys(rows[0]?.cells ?? {});
  const sum = (of: readonly number[]) => of.reduce((all, each) => all + each, 0);
  const cells = columns.map((column): [string, Cell | number] => {
    const own = rows.flatMap((row) => row.cells[column] ?? []);
    const counted = own.filter((cell) => typeof cell === 'object');
    if (counted.length === 0) return [column, sum(own as number[]) / own.length];
    return [column, { red: sum(counted.map(({ red }) => red)), suites: sum(counted.map(({ suites }) => suites)) }];
  });
  return [...rows, { name: 'all', cells: Object.fromEntries(cells) }];
}

const SUITE = 20;

function nothingChanged(): Section {
  const rows = [1, 5, 10].flatMap((recordings) =>
    KINDS.map((kind): Row => {
      const seed = `unchanged ${kind} ${recordings}`;
      const found = outcomes({ recordings, seed, sessions: (suite) => unchanged(kind, SUITE, suite) });
      progress(`${recordings}, ${kind}`);
      const cells = {
        'by a turn': share(found, byTurns),
        together: share(found, bySuite),
        'replays a session': replaysOf(found),
        'for its turn': replaysOf(found, ({ forTurns = 0 }) => forTurns),
      };
      return { name: `${recordings}, ${kind}`, cells };
    }),
  );
  return {
    title: 'Nothing changed',
    about:
      'Suites of 20 sessions that were red, by recordings and agent. At most 1 % by each test. Replays: all, and those that the looks at its turn alone ask for.',
    rows,
  };
}

/** The changed session of a suite. The other sessions matter only through their number. */
function firstOf(kind: Kind, suite: number, change: (recorded: Agent) => Agent): SimulatedSession[] {
  return unchanged(kind, 1, suite).map(({ recorded }) => ({ recorded, replayed: change(recorded) }));
}

const LIVE: readonly Kind[] = ['mild', 'wild', 'long'];

/** Cells of the first session of 20, changed: how often it is red, and its replays. */
function changedCells(name: string, kinds: readonly Kind[], change: (recorded: Agent) => Agent): Row['cells'] {
  const cells: Record<string, Cell | number> = {};
  for (const recordings of [5, 10]) {
    let replays = 0;
    for (const kind of kinds) {
      const found = outcomes({
        recordings,
        seed: `${name} ${kind} ${recordings}`,
        counted: SUITE,
        sessions: (suite) => firstOf(kind, suite, change),
      });
      cells[`${kind}, ${recordings}`] = share(found, byTurns);
      replays += replaysOf(found) / kinds.length;
    }
    cells[`replays, ${recordings}`] = replays;
  }
  progress(name);
  return cells;
}

function oneSession(): Section {
  const rows = PLANTS.map((plant): Row => {
    const cells = changedCells(`one session ${plant}`, LIVE, (recorded) => planted(recorded, plant, 1));
    return { name: plant, cells };
  });
  return {
    title: 'One session of 20 changed in all of its replays',
    about: [
      'Suites in which that session was red, by what was planted, agent and recordings, and its replays.',
      'A wild agent whose first call is left out still calls that tool in 53 % of its replays: it makes calls twice and in another order. A test that is told which tool to look at finds 7 % with five recordings, and 56 % with ten.',
    ].join('\n\n'),
    rows: withSum(rows),
  };
}

function someRuns(): Section {
  const rows = [0.5, 0.65, 0.8].flatMap((part) =>
    PLANTS.map((plant): Row => {
      const cells = changedCells(`some runs ${plant} ${part}`, LIVE, (recorded) => planted(recorded, plant, part));
      return { name: `${plant}, ${part * 100} % of its runs`, cells };
    }),
  );
  return {
    title: 'One session of 20 changed in some of its replays',
    about: 'Suites in which that session was red, by what was planted, agent and recordings, and its replays.',
    rows: withSum(rows),
  };
}

/** One changed turn among so many, which are counted and not replayed. */
function ceiling(): Section {
  const rows = (
    [
      [600, 5],
      [600, 10],
      [5_000, 5],
      [5_000, 10],
    ] as const
  ).map(([turns, recordings]): Row => {
    const all = LIVE.map((kind) => {
      const found = outcomes({
        recordings,
        seed: `ceiling ${turns} ${kind} ${recordings}`,
        counted: turns,
        // Each takes up to three million relabelings.
        suites: Math.ceil(SUITES / 5),
        sessions: (suite) => firstOf(kind, suite, (recorded) => planted(planted(recorded, 'argument', 1), 'not', 1)),
      });
      return [kind, share(found, byTurns)] as const;
    });
    progress(`${turns} turns, ${recordings} recordings`);
    return { name: `${turns.toLocaleString('en')} turns, ${recordings} recordings`, cells: Object.fromEntries(all) };
  });
  return {
    title: 'One changed turn among very many',
    about:
      'How often the one turn was red in which every replay gives another argument and says one word more. No others were replayed; the correction counts them. `test/shift/many-turns.slow.test.ts` has one among 24,000.',
    rows,
  };
}

const NIGHTS = 40;

function drift(): Section {
  const changes = [
    ['nothing', undefined],
    ['a call left out in 30 % of runs', () => 0.3],
    ['a call left out in all runs', () => 1],
    ['a call left out in 3 % more each night', (since: number) => Math.min(1, 0.03 * since)],
  ] as const;
  const from = 10;
  const rows = changes.map(([name, part]): Row => {
    const alarms = Array.from({ length: SUITES }, (_, suite) =>
      alarmAt(
        nights(NIGHTS, `drift ${name} ${suite}`, {
          sessions: SUITE,
          from,
          ...(part && { change: (agent: Agent, since: number) => planted(agent, 'call', part(since)) }),
        }),
      ),
    );
    const delays = alarms.map((night) => (night === -1 ? Number.POSITIVE_INFINITY : night - from + 1));
    progress(`drift, ${name}`);
    const inOrder = delays.toSorted((a, b) => a - b);
    // What no suite saw within all nights is no number.
    const nightsAt = (column: string, share: number) => {
      const nightsOf = inOrder[Math.ceil(SUITES * share) - 1] as number;
      return Number.isFinite(nightsOf) ? { [column]: nightsOf } : {};
    };
    const seen = { red: alarms.filter((night) => night !== -1).length, suites: SUITES };
    return { name, cells: { alarms: seen, ...nightsAt('nights, median', 0.5), ...nightsAt('nine in ten', 0.9) } };
  });
  return {
    title: 'Drift over nights',
    about: `Suites of 20 sessions of a mild agent with five recordings that alarmed within ${NIGHTS} nights, of which the first ${from} changed nothing, and how many nights after the change half of them and nine in ten had.`,
    rows,
  };
}

/** How often something was dearer in suites of 20, with five recordings and five replays each. */
function cost(): Section {
  const many = SUITES * 20;
  const oneOf = (replays: number) => (seed: string) => {
    const random = randomFrom(seed);
    const dearer = unit('x', runs(5, random), runs(replays, random, { times: 2 }));
    return [...costSuite(seed, { sessions: SUITE - 1 }), dearer];
  };
  const cases = [
    ['nothing', (seed: string) => costSuite(seed)],
    ['25 % more in every session', (seed: string) => costSuite(seed, { times: 1.25 })],
    ['twice as much in one session', oneOf(5)],
    ['twice as much in one session, which has 20 replays', oneOf(20)],
  ] as const;
  const rows = cases.map(([name, suiteOf]): Row => {
    const found = Array.from({ length: many }, (_, index) => costTest(suiteOf(`cost ${name} ${index}`)));
    const cell = (isRed: (told: ReturnType<typeof costTest>) => boolean | undefined) => ({
      red: found.filter(isRed).length,
      suites: many,
    });
    progress(`cost, ${name}`);
    return {
      name,
      cells: {
        together: cell((told) => told?.suites.some(({ state }) => state === 'changed')),
        'by a session': cell((told) => told?.sessions.some(({ state }) => state === 'changed')),
      },
    };
  });
  return {
    title: 'Cost',
    about:
      'Suites of 20 sessions that were dearer, five recordings and five replays each, whose cost varies by 30 % (one deviation). At most 1 % by each test where nothing changed.',
    rows,
  };
}

/** Cells of suites in which every session is changed: how often all together are red. */
function togetherCells(
  name: string,
  kinds: readonly Kind[],
  {
    recordings,
    size,
    change,
  }: { recordings: number; size: number; change: (kind: Kind, session: string) => SimulatedSession },
): Row['cells'] {
  const found = kinds.map((kind) =>
    outcomes({
      recordings,
      seed: `${name} ${size} ${kind} ${recordings}`,
      sessions: (suite) => Array.from({ length: size }, (_, session) => change(kind, `${suite} ${session}`)),
    }),
  );
  progress(`${name} ${size} ${recordings}`);
  return {
    ...Object.fromEntries(kinds.map((kind, index) => [kind, share(found[index] ?? [], bySuite)])),
    'replays a session': replaysOf(found.flat()),
    'for all together': replaysOf(found.flat(), ({ turns, together = 0 }) => turns.length * together),
  };
}

function swapped(): Section {
  const change = (kind: Kind, session: string): SimulatedSession => ({
    recorded: agentOf(kind, session),
    replayed: agentOf(kind, session, 'another'),
  });
  const rows = [4, 8, 20].flatMap((size) =>
    [1, 5].map((recordings): Row => {
      const cells = togetherCells('swapped', LIVE, { recordings, size, change });
      return { name: `suites of ${size}, ${recordings}`, cells };
    }),
  );
  return {
    title: 'Another model in every session',
    about:
      'Suites in which all sessions together were red, by recordings and agent. Replays: all, and those up to the look at all together that was red; the others name the sessions.',
    rows,
  };
}

function small(): Section {
  const changes = [
    ['a word in every answer', 'word', 1],
    ['a word in 30 % of answers', 'word', 0.3],
    ['a call left out in 30 % of runs', 'call', 0.3],
    ['a call left out in 10 % of runs', 'call', 0.1],
  ] as const;
  const rows = changes.flatMap(([name, plant, part]) =>
    [1, 5].map((recordings): Row => {
      const change = (kind: Kind, session: string): SimulatedSession => {
        const recorded = agentOf(kind, session);
        return { recorded, replayed: planted(recorded, plant, part) };
      };
      const cells = togetherCells(name, LIVE, { recordings, size: SUITE, change });
      return { name: `${name}, ${recordings}`, cells };
    }),
  );
  return {
    title: 'A little of every session of 20',
    about:
      'Suites in which all sessions together were red, by recordings and agent. Below 3 % a shift is too small to matter.',
    rows,
  };
}

/** Against a base: five replays of each side, and ten fresh ones of each where a turn looks odd. */
function pairedOutcomes({ seed, sessions, counted }: Omit<Simulated, 'recordings'>): Outcome[] {
  return Array.from({ length: SUITES }, (_, suite) =>
    simulateAgainstBase(sessions(suite), { seed: `${seed} ${suite}`, replays: 5, counted }),
  );
}

function baseUnchanged(): Section {
  const rows = KINDS.map((kind): Row => {
    const found = pairedOutcomes({
      seed: `base unchanged ${kind}`,
      sessions: (suite) => unchanged(kind, SUITE, suite),
    });
    progress(`base, ${kind}`);
    const cells = {
      'by a turn': share(found, byTurns),
      together: share(found, bySuite),
      'runs a session, of each side': replaysOf(found),
    };
    return { name: kind, cells };
  });
  return {
    title: 'Against a base (`--base`), nothing changed',
    about: 'Suites of 20 sessions that were red, by agent; 5 runs of each side at first. At most 1 % by each test.',
    rows,
  };
}

function baseChanged(): Section {
  const rows = PLANTS.map((plant): Row => {
    const cells: Record<string, Cell> = {};
    for (const kind of LIVE) {
      const found = pairedOutcomes({
        seed: `base one session ${plant} ${kind}`,
        counted: SUITE,
        sessions: (suite) => firstOf(kind, suite, (recorded) => planted(recorded, plant, 1)),
      });
      cells[kind] = share(found, ({ turns }) => turns[0]?.state === 'shifted');
    }
    progress(`base, ${plant}`);
    return { name: plant, cells };
  });
  return {
    title: 'Against a base, one session of 20 changed in all of its replays',
    about: 'Suites in which that session was red, by what was planted and agent.',
    rows,
  };
}

const SECTIONS: Readonly<Record<string, () => Section>> = {
  unchanged: nothingChanged,
  'one-session': oneSession,
  'some-runs': someRuns,
  swapped,
  small,
  ceiling,
  drift,
  cost,
  'base-unchanged': baseUnchanged,
  'base-changed': baseChanged,
};

const started = performance.now();

function progress(text: string): void {
  console.log(`${((performance.now() - started) / 60_000).toFixed(1)} min: ${text}`);
}

function head(): string {
  return execFileSync('git', ['rev-parse', '--short=9', 'HEAD'], { encoding: 'utf8' }).trim();
}

function noted(): Record<string, Section> {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
}

const ALPHA = 0.01;
/** The chance of more red suites than this among unchanged agents, if the gate keeps to alpha. */
const ONCE_IN = 0.001;

/** The most red suites that alpha allows among so many, binomial error included. */
function mostAllowed(suites: number): number {
  let [chance, sum, red] = [(1 - ALPHA) ** suites, 0, 0];
  for (; 1 - (sum + chance) > ONCE_IN && red < suites; red++) {
    sum += chance;
    chance *= ((suites - red) / (red + 1)) * (ALPHA / (1 - ALPHA));
  }
  return red;
}

/** Compares the rate of red suites among unchanged agents with alpha, for each test and size. */
function kept({ rows }: Section): string {
  const columns = Object.keys(rows[0]?.cells ?? {}).filter((column) => typeof rows[0]?.cells[column] === 'object');
  const lines = columns.map((column) => {
    const cells = rows.map(({ cells }) => cells[column] as Cell);
    const [red, suites] = (['red', 'suites'] as const).map((name) => cells.reduce((sum, cell) => sum + cell[name], 0));
    const above = cells.filter((cell) => cell.red > mostAllowed(cell.suites)).length;
    return [column, `${red} of ${suites}`, `${mostAllowed(suites as number)}`, `${above} of ${cells.length}`];
  });
  const table = markdownTable([['all rows together', 'red', 'at most', 'rows above theirs'], ...lines], {
    alignDelimiters: false,
  });
  return `${table}\n\nAt most: what alpha allows with binomial error, exceeded once in ${1 / ONCE_IN}.\n`;
}

function write(sections: Sections): void {
  writeFileSync(FILE, `${JSON.stringify(sections, null, 1)}\n`);
  const parts = Object.entries(sections).map(([key, section]) => {
    const { title, about, commit, rows } = section;
    const columns = [...new Set(rows.flatMap(({ cells }) => Object.keys(cells)))];
    const lines = rows.map(({ name, cells }) => [name, ...columns.map((column) => told(cells[column]))]);
    const table = markdownTable([['', ...columns], ...lines], { alignDelimiters: false });
    return `## ${title}\n\n${about}${commit === undefined ? '' : ` Measured at ${commit}.`}\n\n${table}\n${key.startsWith('unchanged') ? `\n${kept(section)}` : ''}`;
  });
  const head =
    '# The gate for live agents, simulated\n\nMade by `node bench/gate.ts`. Agents are those of `test/shift/agents.ts`; alpha is .01, minShift 3 %.\n';
  writeFileSync(PAGE, `${head}\n${againstAims(sections)}\n${parts.join('\n')}`);
}

type Sections = Readonly<Record<string, Section>>;

interface Aim {
  readonly what: string;
  readonly aim: string;
  /** Undefined if its part was not measured. */
  readonly of: (sections: Sections) => number | undefined;
  /** Why it is missed, if it is. */
  readonly because?: string;
  readonly isMet: (found: number, sections: Sections) => boolean;
  /** How the number is written. */
  readonly told: (found: number) => string;
}

/** The share over cells of a part, in percent. @param name of rows @param column of the cells */
function shareIn(sections: Sections, part: string, name: RegExp, column: RegExp): number | undefined {
  const [red, suites] = countedIn(sections, part, name, column);
  return suites === 0 ? undefined : (red / suites) * 100;
}

function countedIn(sections: Sections, part: string, name: RegExp, column: RegExp): [red: number, suites: number] {
  const cells = cellsIn(sections, part, name, column).filter((cell) => typeof cell === 'object');
  return [cells.reduce((sum, { red }) => sum + red, 0), cells.reduce((sum, { suites }) => sum + suites, 0)];
}

/** That unchanged suites are red as often as alpha allows, binomial error included. */
function withinAlpha(...[part, name, column]: [part: string, name: RegExp, column: RegExp]): Omit<Aim, 'what'> {
  return {
    aim: '1 %, within chance',
    told: percent,
    of: (of) => shareIn(of, part, name, column),
    isMet: (_, of) => {
      const [red, suites] = countedIn(of, part, name, column);
      return red <= mostAllowed(suites);
    },
  };
}

function meanIn(sections: Sections, part: string, name: RegExp, column: RegExp): number | undefined {
  const cells = cellsIn(sections, part, name, column).filter((cell) => typeof cell === 'number');
  return cells.length === 0 ? undefined : cells.reduce((sum, cell) => sum + cell, 0) / cells.length;
}

function cellsIn(sections: Sections, part: string, name: RegExp, column: RegExp): (Cell | number)[] {
  const rows = sections[part]?.rows.filter((row) => name.test(row.name)) ?? [];
  return rows.flatMap(({ cells }) => Object.entries(cells).flatMap(([key, cell]) => (column.test(key) ? cell : [])));
}

const percent = (found: number) => `${found.toFixed(1)} %`;
const number = (found: number) => found.toFixed(1);
const atLeast = (least: number) => ({
  aim: `at least ${least} %`,
  told: percent,
  isMet: (found: number) => found >= least,
});
const atMost = (most: number, told = percent) => ({
  aim: `at most ${told === percent ? `${most} %` : most}`,
  told,
  isMet: (found: number) => found <= most,
});
const LIVE_ROWS = (recordings: number) => new RegExp(`^${recordings}, (?!deterministic)`);

/** Figures that were aimed at when the looks were chosen, by simulation before there was code. */
const AIMS: readonly Aim[] = [
  { what: 'suites of an unchanged agent that are red, by a turn', ...withinAlpha('unchanged', /./, /^by a turn$/) },
  { what: 'the same, together', ...withinAlpha('unchanged', /./, /^together$/) },
  {
    what: 'replays of an unchanged session of 20, ten recordings',
    ...atMost(3.4, number),
    of: (of) => meanIn(of, 'unchanged', LIVE_ROWS(10), /^replays/),
  },
  {
    what: 'replays of an unchanged turn by its own looks, five',
    ...atMost(4, number),
    of: (of) => meanIn(of, 'unchanged', LIVE_ROWS(5), /^for its turn$/),
  },
  {
    what: 'one session of 20 changed in all replays, red, ten recordings',
    ...atLeast(93.1),
    of: (of) => shareIn(of, 'one-session', /^all$/, /^(?!replays).*, 10$/),
    because:
      'Of these suites and 135 others, the p above which turns end finds 203 of 219, and the earlier ones, which took a tenth more replays of an unchanged turn, 204. Most misses are calls left out by wild agents.',
  },
  {
    what: 'its replays',
    ...atMost(12, number),
    of: (of) => meanIn(of, 'one-session', /^all$/, /^replays, 10$/),
  },
  {
    what: 'the same, five, red',
    ...atLeast(75.2),
    of: (of) => shareIn(of, 'one-session', /^all$/, /^(?!replays).*, 5$/),
  },
  {
    what: 'one session of 20 changed in 50 to 80 % of its replays, red, ten recordings',
    ...atLeast(15.6),
    of: (of) => shareIn(of, 'some-runs', /^all$/, /, 10$/),
  },
  {
    what: 'another model in every session, five recordings, red together',
    ...atLeast(100),
    of: (of) => shareIn(of, 'swapped', /, 5$/, /^(?!replays)/),
  },
  {
    what: 'the same, replays a session until then',
    ...atMost(2.3, number),
    of: (of) => meanIn(of, 'swapped', /, 5$/, /^for all together$/),
  },
  {
    what: 'a word in 30 % of the answers of 20 sessions, five recordings, red together',
    ...atLeast(31),
    of: (of) => shareIn(of, 'small', /^a word in 30 %.*, 5$/, /^(?!replays)/),
    because:
      'Replays of wild and long agents are 1.4 and .3 % further from their recordings then than these are from each other, which is below minShift. A lower minShift would change nothing: without it none of ten such suites was red by its p either, because the word stands among hundreds that vary by chance. Those of mild agents are 6 % further, and 18 of 40 such suites were red.',
  },
  {
    what: 'one changed turn among 600 and among 5,000, red',
    ...atLeast(100),
    of: (of) => shareIn(of, 'ceiling', /./, /./),
  },
  {
    what: 'nights until a change of 30 % of the runs alarms, median',
    ...atMost(6, number),
    of: (of) => meanIn(of, 'drift', /30 %/, /^nights/),
  },
  { what: 'the same, of all runs', ...atMost(4, number), of: (of) => meanIn(of, 'drift', /all runs/, /^nights/) },
  {
    what: 'alarms within 30 nights of 3 % more each night',
    ...atLeast(50),
    of: (of) => shareIn(of, 'drift', /3 % more/, /^alarms$/),
  },
  { what: 'suites of an unchanged agent that are dearer', ...withinAlpha('cost', /^nothing$/, /^together$/) },
  {
    what: '25 % more in every session of 20, dearer together',
    ...atLeast(99),
    of: (of) => shareIn(of, 'cost', /^25 %/, /^together$/),
  },
  {
    what: 'twice as much in one session of 20, after five replays',
    ...atLeast(75),
    of: (of) => shareIn(of, 'cost', /^twice as much in one session$/, /^by a session$/),
    because:
      'Ten runs have 252 ways to be divided into five and five, so that no p is below 2 / 252, which corrected for 20 sessions is .16.',
  },
  {
    what: 'the same, after 20',
    ...atLeast(75),
    of: (of) => shareIn(of, 'cost', /20 replays$/, /^by a session$/),
  },
];

function againstAims(sections: Sections): string {
  const found = AIMS.flatMap(({ of, ...aim }) => {
    const measured = of(sections);
    return measured === undefined ? [] : [{ ...aim, measured, met: aim.isMet(measured, sections) }];
  });
  const lines = found.map(({ what, aim, told, measured, met }) => [what, aim, told(measured), met ? 'yes' : 'no']);
  const table = markdownTable([['', 'aim', 'measured', 'met'], ...lines], { alignDelimiters: false });
  const reasons = found.flatMap(({ what, met, because }) =>
    met || because === undefined ? [] : `- ${what}: ${because}\n`,
  );
  const missed = reasons.length === 0 ? '' : `\nWhy some are missed:\n\n${reasons.join('')}`;
  return `## Against what was aimed at\n\nThe mean of mild, wild and long agents, from the tables below, which say how many suites each figure rests on.\n\n${table}\n${missed}`;
}

function told(cell: Cell | number | undefined): string {
  if (cell === undefined) return '';
  if (typeof cell === 'number') return cell.toFixed(2);
  return `${Math.round((cell.red / cell.suites) * 1_000) / 10} % of ${cell.suites}`;
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in SECTIONS) && name !== 'page');
if (unknown.length > 0) throw new Error(`no such part: ${unknown}; there are ${Object.keys(SECTIONS)}`);
if (asked.includes('page')) write(noted());
for (const [name, measure] of Object.entries(SECTIONS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const section = { ...measure(), commit: head() };
  const sections = { ...noted(), [name]: section };
  write(
    Object.fromEntries(
      Object.keys(SECTIONS).flatMap((key) => (sections[key] === undefined ? [] : [[key, sections[key]]])),
    ),
  );
}
