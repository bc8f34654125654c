import { z } from 'zod';
import { counted, forMarkdownProse, jsonIn, STATUS_SIGNS, type Status } from '../src/rims.ts';

// A comment is a board: a head that no reader sees, and a section of each report. One report is the common case; a
// group, or reports of one subject that nothing tells apart, are several.

/** The order of sections: failures first, then doubts. `pending` while it replays. */
const RANKS = ['failed', 'error', 'interrupted', 'pending', 'passed'] as const;

const run = z.object({
  status: z.enum(RANKS),
  /** As people see it. It cannot order runs: a second workflow counts anew. */
  number: z.int().nonnegative(),
  /** Counts reruns of one run, from 1. */
  attempt: z.int().positive(),
  /** In addresses. GitHub raises it with each new run; a rerun keeps it. */
  id: z.int().nonnegative(),
  sha: z.string().regex(/^[0-9a-f]{7}$/),
});
/** One run, as a comment stores it. */
export type Run = z.infer<typeof run>;

const name = z.string().max(300);
const hex = (digits: number) =>
  z
    .string()
    .length(digits)
    .regex(/^[0-9a-f]+$/);
const marked = z.object({
  subject: hex(24),
  /** The title of the subject. */
  name,
  workflow: hex(12),
  job: name,
  step: name,
  by: hex(12),
  /** How many legs of this step report to this board in one run. */
  legs: z.int().positive(),
  /** The result, in a few words; while a run is pending, that of the run before. */
  title: name,
  /** The full SHA of the last run's commit. */
  headSha: z.string().regex(/^[0-9a-f]{7,64}$/),
  reportUrl: z.string().regex(/^https?:\/\/[^\s()<>"]+$/),
  /** Oldest first. */
  runs: z.tuple([run], run),
  /** Of the last run's files, if it left a report. */
  seal: hex(64).optional(),
  /** The commit of an older result that stands here until the run has one. */
  old: run.shape.sha.optional(),
  /** The report is of a failure from before the step knew what it replays. */
  isEarly: z.literal(true).optional(),
});
/** One report on a board. */
export interface Section extends z.infer<typeof marked> {
  /** The report, in Markdown; empty if there is no room for it. */
  readonly text: string;
}

const head = z.object({
  /** 12 hexadecimal digits for a group, else the key of the one subject. */
  key: z.string().regex(/^(?:[0-9a-f]{12}){1,2}$/),
  group: name.optional(),
  /** The latest run that has looked here, even if it reports elsewhere. */
  at: run.pick({ id: true, number: true, sha: true }),
});
export interface Board extends z.infer<typeof head> {
  readonly sections: readonly Section[];
}

/** Renders commit, run and report of a section, or its run alone, in Markdown. */
export type FootOf = (section: Section, part?: 'run') => string;

const MARK = '<!-- agent-replay';
const HEAD = /^<!-- agent-replay board (\{.*\}) -->/;
const SECTION = /^<!-- agent-replay section (\{.*\}) -->$/;
const END = `${MARK} end -->`;
/** A reader takes in no more at a glance: of runs, of open reports, of counts in a heading. */
const MAX_RUNS = 5;
/** How many reports are open, of those that end the worst. If there are more, all are folded. */
const MAX_OPEN = 3;
const MAX_COUNTS = 3;

/**
 * Reads a comment. Its head must be the very start, because reports further down may quote anything. Skips what is not
 * ours, because people can edit comments.
 */
export function parseBoard(body: string): Board | undefined {
  const { data } = head.safeParse(jsonIn(HEAD.exec(body)?.[1] ?? ''));
  if (data === undefined) return undefined;
  const lines = body.split(/\r?\n/);
  const sections = lines.flatMap((line, at) => {
    const own = marked.safeParse(jsonIn(SECTION.exec(line)?.[1] ?? '')).data;
    const end = lines.indexOf(END, at);
    const text = lines.slice(at + 1, end).join('\n');
    return own === undefined || end < 0 ? [] : [{ ...own, text: text.trim() }];
  });
  return { ...data, sections };
}

/** Whether a comment was a board before somebody edited it by hand. */
export function wasBoard(body: string): boolean {
  return body.includes(`${MARK} section`) && parseBoard(body) === undefined;
}

/** Brings together all boards of one key that were ever seen, in whatever order. */
export function joinBoards(boards: readonly [Board, ...Board[]]): Board {
  const sections = boards.flatMap((board) => board.sections);
  const seen = [...boards.map(({ at }) => at), ...sections.map(lastOf)];
  const { id, number, sha } = seen.reduce((one, other) => (other.id > one.id ? other : one));
  return { ...boards[0], at: { id, number, sha }, sections };
}

/** Adds the runs that were shown before to a new section, and, while it is pending, their result. */
export function following(before: readonly Section[], own: Section): Section {
  const run = lastOf(own);
  const [earlier] = before
    .filter((each) => each.subject === own.subject && laterOf(lastOf(each), run) >= 0)
    .sort((a, b) => laterOf(lastOf(a), lastOf(b)) || fullness(b) - fullness(a));
  const runs = earlier?.runs.filter(({ id }) => id !== run.id).slice(1 - MAX_RUNS) ?? [];
  const section: Section = { ...own, runs: [...runs, run] as unknown as Section['runs'] };
  if (own.old === undefined && run.status !== 'pending') return section;
  const { title = '', text = '' } = earlier ?? {};
  // Our own text of a moment ago holds no result.
  const old = earlier?.old ?? (earlier && title !== '' ? lastOf(earlier).sha : undefined);
  return { ...section, title, text, ...(old !== undefined && { old }) };
}

export function checkOf({ name, job }: Section): string {
  return name === '' ? job : name;
}

export function lastOf({ runs }: Section): Run {
  return runs.at(-1)!;
}

/** Orders runs: the later one first. */
function laterOf(a: Run, b: Run): number {
  return b.id - a.id || b.attempt - a.attempt;
}

/** A section as it stands now. */
interface Shown {
  readonly section: Section;
  /** `pending` too if only an older run has a result. */
  readonly status: Run['status'];
  /** The result, or why there is none. */
  readonly said: string;
  /** Whether what the section holds is of an older commit. */
  readonly isOld: boolean;
  /** Whether no report of this run has come. */
  readonly isMissed: boolean;
}

/** The sections that hold: of this commit, and those of which only an older run has a result. Failures come first. */
function shownOn({ at, sections }: Board): Shown[] {
  const each = Map.groupBy(sections, (section) => `${section.subject} ${stepOf(section)}`);
  const latest = [...each.values()].flatMap(latestReports);
  const newest = (workflow: string) =>
    Math.max(...latest.map((each) => (each.workflow === workflow ? lastOf(each).id : 0)));
  const isFresh = (section: Section) =>
    lastOf(section).sha === at.sha && lastOf(section).id === newest(section.workflow);
  const fresh = latest.filter(isFresh);
  const missed = latest.filter(
    (section) =>
      !fresh.some((other) => other === section || other.subject === section.subject) && missingOf(section, fresh) !== 0,
  );
  return [...fresh.map(asShown), ...missed.map((section) => asMissed(section, at))].sort(
    (a, b) => RANKS.indexOf(a.status) - RANKS.indexOf(b.status) || compared(placeOf(a), placeOf(b)),
  );
}

function asShown(section: Section): Shown {
  const { status, sha } = lastOf(section);
  const ended = section.old === undefined ? section.title : `the run of ${sha} ended without a result`;
  const said = status === 'pending' ? `replaying ${sha}` : ended;
  return { section, status, said, isOld: said !== section.title || status === 'pending', isMissed: false };
}

function asMissed(section: Section, { number, sha }: Board['at']): Shown {
  return { section, status: 'pending', said: `no result of run ${number} (${sha}) yet`, isOld: true, isMissed: true };
}

const placeOf = ({ section: { name, subject, job, by } }: Shown) => [name, subject, job, by].join(' ');
const stepOf = ({ workflow, job, step }: Section) => JSON.stringify([workflow, job, step]);

/**
 * The latest reports of one step about one subject. There are several only if a reusable workflow is called several
 * times. A rerun then repeats some of them, and nothing says which: the worst of the attempt before stand until as many
 * have come again, so that no failure is hidden.
 */
function latestReports(reports: readonly Section[]): Section[] {
  const id = Math.max(...reports.map((each) => lastOf(each).id));
  const known = new Map<string, Section>();
  for (const report of reports.filter((each) => lastOf(each).id === id)) {
    const other = known.get(report.by);
    const isLater = other === undefined || laterOf(lastOf(report), lastOf(other)) < 0;
    if (isLater || (laterOf(lastOf(report), lastOf(other)) === 0 && fullness(report) > fullness(other)))
      known.set(report.by, report);
  }
  const found = [...known.values()];
  const counts = [...Map.groupBy(found, (each) => lastOf(each).attempt).values()].map(({ length }) => length);
  return found
    .sort((a, b) => laterOf(lastOf(a), lastOf(b)) || rank(a) - rank(b) || compared(a.by, b.by))
    .slice(0, Math.max(...counts));
}

/**
 * Of two texts of one report the result counts, of two results the one that was not left out for lack of room, and of two
 * whole ones the one that knows where the report itself is.
 */
function fullness({ runs, text, old, reportUrl }: Section): number {
  const isResult = runs.at(-1)!.status !== 'pending' && old === undefined;
  return (isResult ? 2_000_000 : 0) + text.length * 20 + (reportUrl.includes('#') ? 0 : 10) + runs.length;
}

/** How many legs of a step have not reported in this run; undefined if none has. */
function missingOf(section: Section, fresh: readonly Section[]): number | undefined {
  const told = fresh.filter((each) => stepOf(each) === stepOf(section));
  return told.length === 0 ? undefined : Math.max(0, Math.max(...told.map(({ legs }) => legs)) - told.length);
}

const rank = (section: Section) => RANKS.indexOf(lastOf(section).status);
const compared = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
export const signOf = (status: Run['status']) => (status === 'pending' ? '…' : STATUS_SIGNS[status as Status]);

const WORDS = {
  failed: 'failed',
  error: 'could not tell',
  interrupted: 'interrupted',
  pending: 'without a result yet',
  passed: 'passed',
} as const;

/** The text does not depend on the order of the sections or on repeats, so jobs that write at once arrive at the same. */
export function renderBoard(board: Board, footOf: FootOf, maxChars: number): string {
  const { key, group, at } = board;
  const shown = shownOn(board);
  const mark = markOf('board', { key, group, at });
  if (group === undefined && shown.length === 1) return `${mark}\n${alone(shown[0]!, footOf)}`;
  const fresh = shown.filter(({ isMissed }) => !isMissed).map(({ section }) => section);
  const isAlike = new Set(fresh.map(({ subject }) => subject)).size < fresh.length;
  const frame = [`${mark}\n${summed(shown, fresh, { group, footOf })}`, ...(isAlike ? [ALIKE] : [])].join('\n\n');
  // The box names the others.
  const worst = shown.filter(({ status }) => status === shown[0]?.status && !['passed', 'pending'].includes(status));
  const open = worst.length <= MAX_OPEN ? worst : [];
  const blocks = shown.map(
    (each) => (isWhole: boolean) => folded(each, { isWhole, isOpen: open.includes(each), footOf }),
  );
  return [frame, ...fitting(blocks, maxChars - frame.length - LEFT_OUT.length)].join('\n\n');
}

const ALIKE =
  'Several jobs report on the same agent under one name. Give each of them an input `name`: each then has a comment of its own.';

/** The heading, which mails and phones show. Of many counts it holds the first that somebody must look at. */
export function headingOf(status: Run['status'], said: string, about = ''): string {
  const counts = said.split(', ');
  const telling = counts.filter((count) => !count.endsWith(' as recorded'));
  const more = telling.length > MAX_COUNTS ? ['more below'] : [];
  const brief = counts.length > MAX_COUNTS ? [...telling.slice(0, MAX_COUNTS), ...more] : counts;
  const subject = about === '' ? '' : ` for ${forMarkdownProse(about)}`;
  return `### ${signOf(status)} agent-replay${subject}: ${forMarkdownProse(brief.join(', '))}`;
}

/** What an older commit showed is folded and has no sign, so that no old tick looks current. */
function alone({ section, status, said, isOld }: Shown, footOf: FootOf): string {
  const { name, title, old = lastOf(section).sha } = section;
  const kept = keptOf(section, section.text);
  const summary = `<details><summary>Commit ${old}: ${forMarkdownProse(title)}</summary>`;
  const older = title === '' ? [kept] : [`The result below is of ${old}.`, summary, kept, '</details>'];
  return [headingOf(status, said, name), ...(isOld ? older : [kept]), footOf(section)].join('\n\n');
}

/** Of a check that ends so: the kind of the box on top, and what to do first. */
const FIRST: Readonly<Record<Run['status'], readonly string[]>> = {
  failed: ['CAUTION', 'Look before you merge.'],
  error: ['WARNING', 'Fix this and run again before you merge.'],
  interrupted: ['WARNING', 'Run again before you merge.'],
  pending: ['NOTE', 'Wait: not all checks have a result.'],
  passed: [],
};

/** The result of all, `1 of 3 checks failed, 1 without a result yet, 1 passed`, and a line of each that needs somebody. */
function summed(
  shown: readonly Shown[],
  fresh: readonly Section[],
  { group, footOf }: { group: string | undefined; footOf: FootOf },
): string {
  const steps = [...Map.groupBy(fresh, stepOf).values()];
  const unseen = steps.map(([first]) => missingOf(first!, fresh) ?? 0).reduce((sum, count) => sum + count, 0);
  // `unseen` already counts the missing legs of each step that has reported.
  const told = shown.filter(({ section, isMissed }) => !isMissed || missingOf(section, fresh) === undefined);
  const counts = RANKS.map((status) => {
    const count = told.filter((each) => each.status === status).length;
    return { status, count: status === 'pending' ? count + unseen : count };
  }).filter(({ count }) => count > 0);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const [first, ...rest] = counts.map(({ status, count }) => `${count} ${WORDS[status]}`);
  const said = [first!.replace(' ', ` of ${counted(total, 'check')} `), ...rest].join(', ');
  const [kind, todo] = FIRST[counts[0]!.status];
  const lines = shown.filter(({ status }) => status !== 'passed').map((each) => lineOf(each, footOf));
  // Nobody knows the name of a leg that has never reported.
  const unnamed = `${signOf('pending')} ${counted(unseen, 'more check')} without a result yet`;
  const all = [...lines, ...(unseen > 0 ? [`${unnamed}: ${footOf(fresh[0]!, 'run')}`] : [])];
  const box = kind === undefined ? [] : [`> [!${kind}]`, `> **${todo}**`, ...all.map((line) => `> ${line}`)];
  return [headingOf(counts[0]!.status, said, group), ...(box.length > 0 ? [box.join('\n')] : [])].join('\n\n');
}

function lineOf({ section, status, said }: Shown, footOf: FootOf): string {
  const run = status === 'pending' ? `: ${footOf(section, 'run')}` : '';
  return `${signOf(status)} **${forMarkdownProse(checkOf(section))}**: ${forMarkdownProse(said)}${run}`;
}

function folded(
  { section, status, said, isOld }: Shown,
  { isWhole, isOpen, footOf }: { isWhole: boolean; isOpen: boolean; footOf: FootOf },
): string {
  const text = isOld || !isWhole ? '' : section.text;
  const isUnfolded = isOpen && text !== '';
  const about = forMarkdownProse(checkOf(section));
  return [
    // A rule between two open reports shows where the next one begins.
    ...(isUnfolded ? ['---'] : []),
    `<details${isUnfolded ? ' open' : ''}><summary>${signOf(status)} <b>${about}</b>: ${forMarkdownProse(said)}</summary>${isUnfolded ? '<br>' : ''}`,
    keptOf(section, text),
    footOf(section),
    '</details>',
  ].join('\n\n');
}

function keptOf({ text: _, ...section }: Section, text: string): string {
  return [markOf('section', section), ...(text === '' ? [] : ['', text, '']), END].join('\n');
}

function markOf(what: 'board' | 'section', told: object): string {
  // Escaped, so that the text cannot end the HTML comment.
  const inert = JSON.stringify(told).replace(/[-<>]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
  return `${MARK} ${what} ${inert} -->`;
}

const LEFT_OUT = 'This comment has no room for more: see the checks of this commit.';

/** Keeps as many sections whole as fit, while each other one keeps its one line. */
function fitting(blocks: readonly ((isWhole: boolean) => string)[], room: number): string[] {
  const short = blocks.map((render) => render(false));
  let left = room;
  let rest = short.reduce((sum, { length }) => sum + length + 2, 0);
  const shown: string[] = [];
  for (const [at, render] of blocks.entries()) {
    rest -= short[at]!.length + 2;
    const whole = render(true);
    const text = whole.length + 2 + rest <= left ? whole : short[at]!;
    left -= text.length + 2;
    if (left < 0) return [...shown, LEFT_OUT];
    shown.push(text);
  }
  return shown;
}

/** Escapes a report, so that none of its lines looks like the beginning of a section. */
export function asSectionText(markdown: string): string {
  return markdown.trim().replaceAll(MARK, MARK.replace('!', '!\u2060'));
}
