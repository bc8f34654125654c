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
/** Suites of each cell. Fewer measure faster: `SUITES=10 node bench/gate.ts unchanged`. */
const SUITES = Number(process.env.SUITES ?? 60);

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
  readonly sessions: (suite: number) => readonly SimulatedSession[];
}

function outcomes({ seed, sessions, ...options }: Simulated): Outcome[] {
  return Array.from({ length: SUITES }, (_, suite) =>
    simulate(sessions(suite), { seed: `${seed} ${suite}`, ...options }),
  );
}

function share(found: readonly Outcome[], isRed: (outcome: Outcome) => boolean): Cell {
  return { red: found.filter(isRed).length, suites: found.length };
}

const byTurns = ({ turns }: Outcome): boolean => turns.some(({ state }) => state === 'shifted');
const bySuite = ({ suite }: Outcome): boolean => suite?.state === 'shifted';

/** The mean over sessions. */
function replaysOf(found: readonly Outcome[]): number {
  const sessions = found.reduce((sum, { turns }) => sum + turns.length, 0);
  return found.reduce((sum, { replays }) => sum + replays, 0) / sessions;
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
      };
      return { name: `${recordings}, ${kind}`, cells };
    }),
  );
  return {
    title: 'Nothing changed',
    about: 'Suites of 20 sessions that were red, by recordings and agent. At most 1 % by each test.',
    rows,
  };
}

/** Makes a suite whose first session is changed. */
function withOne(kind: Kind, suite: number, size: number, change: (session: SimulatedSession) => SimulatedSession) {
  return unchanged(kind, size, suite).map((session, index) => (index === 0 ? change(session) : session));
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
  const rows = [0.3, 0.6, 0.8].map((part): Row => {
    const cells = changedCells(`some runs ${part}`, LIVE, (recorded) => planted(recorded, 'call', part));
    return { name: `${part * 100} % of its runs`, cells };
  });
  return {
    title: 'A call left out in some runs of one session of 20',
    about: 'Suites in which that session was red, by agent and recordings, and its replays.',
    rows: withSum(rows),
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
    about: 'Suites in which all sessions together were red, by recordings and agent.',
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
function pairedOutcomes({ seed, sessions }: Pick<Simulated, 'seed' | 'sessions'>): Outcome[] {
  return Array.from({ length: SUITES }, (_, suite) =>
    simulateAgainstBase(sessions(suite), { seed: `${seed} ${suite}`, replays: 5 }),
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
  unchanged: nothingChanged,
  'one-session': oneSession,
  'some-runs': someRuns,
  swapped,
  small,
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
