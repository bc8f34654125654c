import { z } from 'zod';
import { forMarkdownProse, STATUS_SIGNS, type Status } from '../src/rims.ts';
import { isNewer, laterOf, parseRuns, type Run, type Runs, renderRuns, type Stamp, withRun } from './stamp.ts';

/** The section of one leg (a job, a leg of a matrix, or a step) in the comment of its group. */
export interface Section extends Stamp {
  /** The key that the legs of one job or matrix share: 12 hexadecimal digits. */
  readonly kind: string;
  /** How many legs of this kind report in one run. */
  readonly legs: number;
  /** The name that people see. */
  readonly name: string;
  /** The result, in a few words. */
  readonly title: string;
  /** The full SHA of the last run's commit. */
  readonly headSha: string;
  /** Address of the leg's report. */
  readonly reportUrl: string;
  /** The report, in Markdown; empty if there is no room for it, or if another leg has a newer run. */
  readonly text: string;
}

/** Renders commit, run and report of a section, in Markdown. */
type FootOf = (section: Section) => string;

const MARK = '<!-- agent-replay';
const HEAD = /^<!-- agent-replay group=([0-9a-f]{12}) -->/;
const SECTION = /^<!-- agent-replay section (\{.*\}) -->$/;
/** How many reports are open. Those of further failing legs are folded. */
const MAX_OPEN = 3;

const marked = z.object({
  key: z.string().regex(/^[0-9a-f]{12,24}$/),
  kind: z.string().regex(/^[0-9a-f]{12}$/),
  legs: z.int().positive(),
  name: z.string().max(300),
  title: z.string().max(300),
  headSha: z.string().regex(/^[0-9a-f]{7,64}$/),
  reportUrl: z.string().regex(/^https?:\/\/[^\s()<>"]+$/),
  runs: z.string().max(1_000),
  seal: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});

/** The group that a comment belongs to. Reads only the very start, because reports further down may quote anything. */
export function groupIn(body: string): string | undefined {
  return HEAD.exec(body)?.[1];
}

/** All sections of a comment. Skips what is not ours, because people can edit comments. */
export function sectionsIn(body: string): Section[] {
  const lines = body.split(/\r?\n/);
  const starts = lines.flatMap((line, at) => (SECTION.test(line) ? [at] : []));
  return starts.flatMap((start, at) => sectionOf(lines.slice(start, starts[at + 1])) ?? []);
}

function sectionOf([mark = '', , , ...lines]: readonly string[]): Section | undefined {
  const { data } = marked.safeParse(jsonOf(SECTION.exec(mark)?.[1] ?? ''));
  const runs = parseRuns(data?.runs ?? '');
  if (data === undefined || runs === undefined) return undefined;
  return { ...data, runs, text: lines.slice(0, Math.max(0, lines.lastIndexOf('</details>') - 3)).join('\n') };
}

/**
 * Renders the comment of a group from all sections that were ever seen, and takes the latest run of each leg. The text
 * does not depend on the order of the sections or on repeats, so legs that write at once arrive at the same text.
 */
export function renderGroup(
  { key, name, maxChars }: { readonly key: string; readonly name: string; readonly maxChars: number },
  seen: readonly Section[],
  footOf: FootOf,
): string {
  const sections = latestOfEach(seen);
  const run = sections.map(({ runs }) => runs.at(-1)!).sort(laterOf)[0]!;
  const isStale = ({ runs }: Section) => runs.at(-1)!.id < run.id;
  const fresh = sections.filter((section) => !isStale(section));
  const missed = sections.filter(isStale).filter(({ kind }) => missingOf(kind, fresh) !== 0);
  const isOpen = openAmong(fresh);
  const ranked = [...fresh, ...missed.map((section) => ({ ...section, text: '' }))].sort(
    (a, b) => rank(a, run) - rank(b, run) || (a.name < b.name ? -1 : a.name > b.name ? 1 : a.key < b.key ? -1 : 1),
  );
  const render = (section: Section) => renderSection(section, { run, isOpen: isOpen(section), footOf });
  const head = [`${MARK} group=${key} -->`, `### agent-replay: ${forMarkdownProse(name)}`, '', alertOf(fresh, missed)];
  const frame = head.join('\n');
  return [frame, ...fitting(ranked, render, maxChars - frame.length - LEFT_OUT.length), ''].join('\n\n');
}

/**
 * Keeps the latest section of each leg. Of two texts of one run it keeps the longer, because the other was left out for
 * lack of room.
 */
function latestOfEach(seen: readonly Section[]): Section[] {
  const latest = new Map<string, Section>();
  for (const section of seen) {
    const other = latest.get(section.key);
    const order = other === undefined ? -1 : laterOf(section.runs.at(-1)!, other.runs.at(-1)!);
    if (order < 0 || (order === 0 && section.text.length > other!.text.length)) latest.set(section.key, section);
  }
  return [...latest.values()];
}

/** How many legs of a kind have not reported in this run; undefined if none has. */
function missingOf(kind: string, fresh: readonly Section[]): number | undefined {
  const told = fresh.filter((section) => section.kind === kind);
  return told.length === 0 ? undefined : Math.max(0, Math.max(...told.map(({ legs }) => legs)) - told.length);
}

/** The order of sections: failures first, then doubts. */
const RANKS: readonly (Status | 'missed')[] = ['failed', 'error', 'interrupted', 'missed', 'passed'];

function rank({ runs }: Section, { id }: Run): number {
  const last = runs.at(-1)!;
  return RANKS.indexOf(last.id < id ? 'missed' : last.status);
}

function openAmong(fresh: readonly Section[]): (section: Section) => boolean {
  const failing = fresh.filter(({ runs }) => runs.at(-1)!.status !== 'passed');
  return (section) => failing.length <= MAX_OPEN && failing.some(({ key }) => key === section.key);
}

const ALERTS = { failed: 'CAUTION', error: 'WARNING', interrupted: 'WARNING', missed: 'NOTE', passed: 'TIP' } as const;
const WORDS = {
  failed: 'diverged',
  error: 'could not tell',
  interrupted: 'interrupted',
  missed: 'without a result yet',
  passed: 'passed',
} as const;

/** The result of the group: `1 of 3 legs diverged, 1 without a result yet, 1 passed.` */
function alertOf(fresh: readonly Section[], missed: readonly Section[]): string {
  const statuses = fresh.map(({ runs }) => runs.at(-1)!.status);
  const kinds = new Set(fresh.map(({ kind }) => kind));
  const expected = [...kinds].map((kind) => missingOf(kind, fresh) ?? 0).reduce((sum, count) => sum + count, 0);
  // `expected` already counts the missing legs of each kind that has reported.
  const others = missed.filter(({ kind }) => !kinds.has(kind)).length;
  const counts = RANKS.map((status) => {
    const count = status === 'missed' ? expected + others : statuses.filter((each) => each === status).length;
    return { status, count };
  }).filter(({ count }) => count > 0);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const [first, ...rest] = counts.map(({ status, count }) => ({ status, said: `${count} ${WORDS[status]}` }));
  const legs = `${counts[0]!.count} of ${total} ${total === 1 ? 'leg' : 'legs'} ${WORDS[first!.status]}`;
  return `> [!${ALERTS[first!.status]}]\n> **${[legs, ...rest.map(({ said }) => said)].join(', ')}.**`;
}

function renderSection(
  section: Section,
  { run, isOpen, footOf }: { readonly run: Run; readonly isOpen: boolean; readonly footOf: FootOf },
): string {
  const { name, title, runs, text } = section;
  const last = runs.at(-1)!;
  const isMissed = last.id < run.id;
  const said = isMissed ? `no result of run ${run.number} yet (run ${last.number}: ${last.status})` : title;
  const sign = isMissed ? '…' : STATUS_SIGNS[last.status];
  const summary = `${sign} <b>${forMarkdownProse(name)}</b>: ${forMarkdownProse(said)}`;
  const isUnfolded = isOpen && text !== '';
  const inside = text === '' ? [] : [text, ''];
  return [
    // A rule between two open reports shows where the next one begins.
    ...(isUnfolded ? ['---', ''] : []),
    markOf(section),
    `<details${isUnfolded ? ' open' : ''}><summary>${summary}</summary>`,
    '',
    ...inside,
    footOf(section),
    '',
    '</details>',
  ].join('\n');
}

function markOf({ text: _, runs, ...section }: Section): string {
  const json = JSON.stringify({ ...section, runs: renderRuns(runs) });
  // Escaped, so that the text cannot end the HTML comment.
  const inert = json.replace(/[-<>]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `${MARK} section ${inert} -->`;
}

const LEFT_OUT = 'This comment has no room for more legs: see the checks of this commit.';

/** Keeps as many sections whole as fit, while each other one keeps its one line. */
function fitting(sections: readonly Section[], render: (section: Section) => string, room: number): string[] {
  const short = sections.map((section) => `\n\n${render({ ...section, text: '' })}`.length);
  let left = room;
  let rest = short.reduce((sum, length) => sum + length, 0);
  const shown: string[] = [];
  for (const [at, section] of sections.entries()) {
    rest -= short[at]!;
    const whole = render(section);
    const isWhole = whole.length + 2 + rest <= left;
    if (!isWhole && short[at]! > left) return [...shown, LEFT_OUT];
    shown.push(isWhole ? whole : render({ ...section, text: '' }));
    left -= isWhole ? whole.length + 2 : short[at]!;
  }
  return shown;
}

/** Escapes a report, so that none of its lines looks like the beginning of a section. */
export function asSectionText(markdown: string): string {
  return markdown.trim().replaceAll(MARK, MARK.replace('!', '!\u2060'));
}

/** Adds the runs that a leg showed before to its new section. */
export function after(seen: readonly Section[], own: Omit<Section, 'runs'>, run: Run): Section {
  const [before] = seen
    .filter(({ key, runs }) => key === own.key && !isNewer({ runs }, run))
    .sort((a, b) => laterOf(a.runs.at(-1)!, b.runs.at(-1)!));
  return { ...own, runs: withRun(before, run) satisfies Runs };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
