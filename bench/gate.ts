/**
 * Measures the gate for live agents on simulated agents: how often it is red when nothing changed, and how often it
 * finds a planted change. `node bench/gate.ts` measures everything, in half an hour on a free core and in hours on a
 * busy one; `node bench/gate.ts swapped small` measures some parts; `node bench/gate.ts page` measures nothing. Results
 * go to gate.json, from which gate.md is written. The figures are seeded, and the same every time.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { markdownTable } from 'markdown-table';
import { type Agent, agentOf, KINDS, type Kind, PLANTS, planted } from '../test/shift/agents.ts';
import { type Outcome, type SimulatedSession, simulate, simulateAgainstBase, unchanged } from '../test/shift/gate.ts';

const FILE = path.join(import.meta.dirname, 'gate.json');
const PAGE = path.join(import.meta.dirname, 'gate.md');
/**
 * Numbers of joint draws, and of relabelings in a first and a second look. They are fewer than in a real run, and the
 * tests stay exact.
 */
const FEWER = { draws: 2_000, limits: [4_000, 20_000] } as const;

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
  readonly suites: number;
  readonly recordings: number;
  readonly replays: number;
  readonly seed: string;
  readonly only?: 'turns' | 'suite';
  readonly counted?: number;
  readonly sessions: (suite: number) => readonly SimulatedSession[];
}

function outcomes({ suites, seed, sessions, ...options }: Simulated): Outcome[] {
  return Array.from({ length: suites }, (_, suite) =>
    simulate(sessions(suite), { seed: `${seed} ${suite}`, ...options, ...FEWER }),
  );
}

function share(found: readonly Outcome[], isRed: (outcome: Outcome) => boolean): Cell {
  return { red: found.filter(isRed).length, suites: found.length };
}

const byTurns = ({ turns }: Outcome): boolean => turns.some(({ state }) => state === 'shifted');
const bySuite = ({ suite }: Outcome): boolean => suite === 'shifted';

/** The sizes of suites, and how many suites of each size. */
type Sizes = Readonly<Record<number, number>>;

function unchangedAgents(about: string, test: 'turns' | 'suite', recordings: readonly number[], sizes: Sizes): Section {
  const isRed = test === 'turns' ? byTurns : bySuite;
  const rows = recordings.flatMap((recordings) =>
    [5, 10].flatMap((replays) =>
      KINDS.map((kind): Row => {
        const cells: Record<string, Cell | number> = {};
        let [extra, sessions] = [0, 0];
        for (const [size, suites] of Object.entries(sizes)) {
          const found = outcomes({
            suites,
            recordings,
            replays,
            only: test,
            seed: `unchanged ${kind} ${recordings} ${replays} ${size}`,
            sessions: (suite) => unchanged(kind, Number(size), suite),
          });
          cells[size] = share(found, isRed);
          extra += found.reduce((sum, outcome) => sum + outcome.extra, 0);
          sessions += suites * Number(size);
        }
        if (test === 'turns') cells['replays more a session'] = extra / sessions;
        progress(`${test}, ${recordings} + ${replays}, ${kind}`);
        return { name: `${recordings} + ${replays}, ${kind}`, cells };
      }),
    ),
  );
  return { title: `Nothing changed, by ${test === 'turns' ? 'a turn' : 'the suite'}`, about, rows };
}

function unchangedTurns(): Section {
  return unchangedAgents(
    'Suites of 5, 20 and 100 sessions in which a turn was red, by recordings + replays and agent. At most 1 %. With one recording none can be.',
    'turns',
    [5, 10, 3],
    { 5: 100, 20: 30, 100: 5 },
  );
}

function unchangedSuites(): Section {
  return unchangedAgents(
    'Suites of 5, 20 and 100 sessions that were red as a whole, by recordings + replays and agent. At most 1 %.',
    'suite',
    [1, 3, 5, 10],
    { 5: 200, 20: 100, 100: 20 },
  );
}

/** Makes a suite whose first session is changed. */
function withOne(kind: Kind, suite: number, size: number, change: (session: SimulatedSession) => SimulatedSession) {
  return unchanged(kind, size, suite).map((session, index) => (index === 0 ? change(session) : session));
}

const SUITE = 20;

/** The changed session of a suite. The other sessions matter only through their number. */
function firstOf(kind: Kind, suite: number, change: (recorded: Agent) => Agent): SimulatedSession[] {
  return unchanged(kind, 1, suite).map(({ recorded }) => ({ recorded, replayed: change(recorded) }));
}

const LIVE: readonly Kind[] = ['mild', 'wild', 'long'];

function oneSession(): Section {
  const rows = PLANTS.map((plant): Row => {
    const cells: Record<string, Cell> = {};
    for (const recordings of [5, 10]) {
      for (const kind of LIVE) {
        const found = outcomes({
          suites: 60,
          recordings,
          replays: 5,
          only: 'turns',
          seed: `one session ${plant} ${kind} ${recordings}`,
          counted: SUITE,
          sessions: (suite) => firstOf(kind, suite, (recorded) => planted(recorded, plant, 1)),
        });
        cells[`${kind}, ${recordings}`] = share(found, ({ turns }) => turns[0]?.state === 'shifted');
      }
    }
    progress(plant);
    return { name: plant, cells };
  });
  return {
    title: 'One session of 20 changed in all of its replays',
    about: [
      'Suites in which that session was red, by what was planted, agent and recordings; 5 replays, 20 in the second look.',
      'A wild agent whose first call is left out still calls that tool in 53 % of its replays: it makes calls twice and in another order. A test that is told which tool to look at finds 7 % with five recordings, and 56 % with ten.',
    ].join('\n\n'),
    rows,
  };
}

function someRuns(): Section {
  const rows = [0.3, 0.6, 0.8, 1].map((part): Row => {
    const cells: Record<string, Cell> = {};
    for (const recordings of [5, 10]) {
      for (const kind of ['deterministic', ...LIVE] as const) {
        const found = outcomes({
          suites: 60,
          recordings,
          replays: 5,
          only: 'turns',
          seed: `some runs ${part} ${kind} ${recordings}`,
          // Turns whose runs are all alike do not count.
          counted: kind === 'deterministic' ? 1 : SUITE,
          sessions: (suite) => firstOf(kind, suite, (recorded) => planted(recorded, 'call', part)),
        });
        cells[`${kind}, ${recordings}`] = share(found, ({ turns }) => turns[0]?.state === 'shifted');
      }
    }
    progress(`${part}`);
    return { name: `${part * 100} % of its runs`, cells };
  });
  return {
    title: 'A call left out in some runs of one session of 20',
    about: 'Suites in which that session was red, by agent and recordings.',
    rows,
  };
}

function swapped(): Section {
  const rows = [4, 8, 20].flatMap((size) =>
    [1, 5].map((recordings): Row => {
      const cells: Record<string, Cell> = {};
      for (const kind of KINDS) {
        const found = outcomes({
          suites: 60,
          recordings,
          replays: 5,
          only: 'suite',
          seed: `swapped ${size} ${kind} ${recordings}`,
          sessions: (suite) =>
            Array.from({ length: size }, (_, session) => ({
              recorded: agentOf(kind, `${suite} ${session}`),
              replayed: agentOf(kind, `${suite} ${session}`, 'another'),
            })),
        });
        cells[kind] = share(found, bySuite);
      }
      progress(`${size} ${recordings}`);
      return { name: `suites of ${size}, ${recordings} + 5`, cells };
    }),
  );
  return {
    title: 'Another model in every session',
    about: 'Suites that were red by the suite’s test, by recordings + replays and agent.',
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
  const rows = changes.map(([name, plant, part]): Row => {
    const cells: Record<string, Cell> = {};
    for (const recordings of [1, 5]) {
      for (const kind of LIVE) {
        const found = outcomes({
          suites: 60,
          recordings,
          replays: 5,
          only: 'suite',
          seed: `small ${name} ${kind} ${recordings}`,
          sessions: (suite) =>
            unchanged(kind, 20, suite).map(({ recorded }) => ({ recorded, replayed: planted(recorded, plant, part) })),
        });
        cells[`${kind}, ${recordings}`] = share(found, bySuite);
      }
    }
    progress(name);
    return { name, cells };
  });
  return {
    title: 'A little of every session of 20',
    about:
      'Suites that were red by the suite’s test, by agent and recordings. Below 3 % a shift is too small to matter.',
    rows,
  };
}

function longAnswers(): Section {
  const rows = (['word', 'not', 'exchange'] as const).map((plant): Row => {
    const found = outcomes({
      suites: 20,
      recordings: 10,
      replays: 5,
      only: 'turns',
      seed: `long answers ${plant}`,
      sessions: (suite) =>
        unchanged('long', 10, suite).map(({ recorded }) => ({ recorded, replayed: planted(recorded, plant, 1) })),
    });
    const turns = found.flatMap((outcome) => outcome.turns);
    progress(plant);
    const red = turns.filter(({ first }) => first < 0.05).length;
    return { name: plant, cells: { 'p below .05': { red, suites: turns.length } } };
  });
  return { title: 'Answers of 150 words, ten recordings', about: 'Sessions with p below .05 at five replays.', rows };
}

/** Against a base: five replays of each side, and ten fresh ones of each where a turn looks odd. */
function pairedOutcomes({ suites, seed, sessions, only }: Omit<Simulated, 'recordings' | 'replays'>): Outcome[] {
  return Array.from({ length: suites }, (_, suite) =>
    simulateAgainstBase(sessions(suite), { seed: `${seed} ${suite}`, replays: 5, only, ...FEWER }),
  );
}

function baseUnchanged(): Section {
  const sizes = { 5: 200, 20: 100 } as const;
  const rows = KINDS.map((kind): Row => {
    const cells: Record<string, Cell | number> = {};
    let [extra, sessions] = [0, 0];
    for (const [size, suites] of Object.entries(sizes)) {
      const seed = `base unchanged ${kind} ${size}`;
      const found = pairedOutcomes({ suites, seed, sessions: (suite) => unchanged(kind, Number(size), suite) });
      cells[`${size}, by a turn`] = share(found, byTurns);
      cells[`${size}, by the suite`] = share(found, bySuite);
      extra += found.reduce((sum, outcome) => sum + outcome.extra, 0);
      sessions += suites * Number(size);
    }
    cells['replays more a session, of each side'] = extra / sessions;
    progress(`base, ${kind}`);
    return { name: kind, cells };
  });
  return {
    title: 'Against a base (`--base`), nothing changed',
    about: 'Suites of 5 and 20 sessions that were red, by agent; 5 runs of each side. At most 1 % by each test.',
    rows,
  };
}

function baseChanged(): Section {
  const rows = PLANTS.map((plant): Row => {
    const cells: Record<string, Cell> = {};
    for (const kind of LIVE) {
      const found = pairedOutcomes({
        suites: 60,
        only: 'turns',
        seed: `base one session ${plant} ${kind}`,
        sessions: (suite) =>
          withOne(kind, suite, 20, ({ recorded }) => ({ recorded, replayed: planted(recorded, plant, 1) })),
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
  'unchanged-turns': unchangedTurns,
  'unchanged-suites': unchangedSuites,
  'one-session': oneSession,
  'some-runs': someRuns,
  swapped,
  small,
  'long-answers': longAnswers,
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

function write(sections: Readonly<Record<string, Section>>): void {
  writeFileSync(FILE, `${JSON.stringify(sections, null, 1)}\n`);
  const parts = Object.entries(sections).map(([key, section]) => {
    const { title, about, commit, rows } = section;
    const columns = Object.keys(rows[0]?.cells ?? {});
    const lines = rows.map(({ name, cells }) => [name, ...columns.map((column) => told(cells[column]))]);
    const table = markdownTable([['', ...columns], ...lines], { alignDelimiters: false });
    return `## ${title}\n\n${about}${commit === undefined ? '' : ` Measured at ${commit}.`}\n\n${table}\n${key.startsWith('unchanged') ? `\n${kept(section)}` : ''}`;
  });
  const head =
    '# The gate for live agents, simulated\n\nMade by `node bench/gate.ts`. Agents are those of `test/shift/agents.ts`; alpha is .01, minShift 3 %.\n';
  writeFileSync(PAGE, `${head}\n${parts.join('\n')}`);
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
