import { markdownTable } from 'markdown-table';
import { isAsRecorded, OUTCOMES } from '../../compare/index.ts';
import type { Json } from '../../json/index.ts';
import { counted, cut, forMarkdownBlock, forMarkdownCell, forMarkdownProse } from '../../text/index.ts';
import { CHANGES, changesSince } from '../changes.ts';
import { gateOf } from '../gate.ts';
import type { Problem, Report, SessionResult, TurnResult } from '../schema.ts';
import { withSeen } from '../seen.ts';
import { adviceFor } from '../words/advice.ts';
import { type Alike, failuresIn, warningsIn } from '../words/alike.ts';
import { type CauseGroup, type CauseRow, causesOf } from '../words/causes.ts';
import { type Divergence, divergenceWords, toldOf, whatOf } from '../words/divergence.ts';
import { runsOf } from '../words/runs-of.ts';
import { gateLines, shiftStory } from '../words/shift-words.ts';
import {
  aspectsLine,
  asRecorded,
  bySeverity,
  capitalised,
  commandOn,
  decisiveTurn,
  forksOf,
  lesserStory,
  lookOf,
  NOT_AS_RECORDED,
  notesOf,
  placeOf,
  placeOfLine,
  replacedNote,
  rerunCommand,
  runNumbers,
  STATUS_SIGNS,
  separationOf,
  sessionName,
  sessionsWithStory,
  tellingName,
  toolsLine,
  usageLine,
  verdictWord,
} from '../words/words.ts';

export interface MarkdownOptions {
  /** In UTF-16 units. Default 60,000: GitHub's limit for a comment is 65,536. */
  readonly maxChars?: number;
  /** In UTF-8 bytes. Default 900 KiB: GitHub's limit for a job summary is 1 MiB. */
  readonly maxBytes?: number;
  /** An earlier report of the base branch: the page says what changed since. */
  readonly baseline?: Report | undefined;
  /** Names the report, above everything else. Markdown, not escaped here. */
  readonly head?: string | undefined;
  /** Address of a pin, such as its file at the commit of the run; undefined if there is none. Not escaped here. */
  readonly linkTo?: ((pin: string) => string | undefined) | undefined;
  /** Whether a heading above it gives the result already. */
  readonly isTitled?: boolean | undefined;
  /** Whether it stands inside a fold, where GitHub shows no box. */
  readonly isPart?: boolean | undefined;
  /** Address where both runs stand side by side. Not escaped here. */
  readonly reportUrl?: string | undefined;
  /** Files, as `file:line`, that hold a line of a prompt. */
  readonly placesOf?: ((clue: { readonly line: string }) => readonly string[]) | undefined;
  /** What becomes of pins in the change that is looked at: `2 recorded anew, 1 removed`. */
  readonly pins?: string | undefined;
  /** Why this run could not tell anything, if its surroundings say so. */
  readonly aside?: string | undefined;
  /** Adapts a sentence that says what to do to the place where it is read. The result is escaped. */
  readonly say?: ((sentence: string) => string) | undefined;
}

type Link = NonNullable<MarkdownOptions['linkTo']>;
type Say = NonNullable<MarkdownOptions['say']>;
const same: Say = (sentence) => sentence;

const MAX_CHARS = 60_000;
const MAX_BYTES = 900 * 1024;
/** Reserved for the last lines: the count of what was left out, and the figures. */
const TAIL_CHARS = 500;
/** The table is an overview; the stories below it need room too. */
const TABLE_SHARE = 0.5;
/** The fold and the name alone take this much. */
const MIN_STORY_CHARS = 100;
/** Names in the table should fit a phone; the story has the whole name. */
const MAX_CELL_CHARS = 40;
/** Prose in the table; its lines wrap. */
const MAX_CELL_PROSE_CHARS = 90;
/** Further names of one kind of change are counted. */
const MAX_NAMES = 20;
/** Shorter values are already in the sentence. */
const MAX_SAID_CHARS = 60;
const MAX_EVIDENCE_LINES = 20;
/** Kinds of failure above the table, and of warnings below it. The report has all of them. */
const MAX_FAILURES = 3;

/** Further rows are folded, because they would bury what is below. */
const MAX_ROWS = 10;
/** More commands that replay one session each become one that replays all. */
const MAX_RERUNS = 5;

/** What passed needs no box. */
const ALERTS = { passed: undefined, failed: 'CAUTION', error: 'WARNING', interrupted: 'WARNING' } as const;
/** Causes that stand above the table, each with its diff. */
const MAX_CAUSES = 3;

/**
 * The report for a pull request or a job summary, for a reader with five seconds: what the agent does otherwise and why,
 * what to do, and a table of the sessions that are not as recorded. All that needs an expert is folded: figures, gates, and
 * a story of each session. Within its budget nothing is cut: rows and stories that do not fit are counted.
 */
export function renderMarkdown(report: Report, options: MarkdownOptions = {}): string {
  const { maxChars = MAX_CHARS, maxBytes = MAX_BYTES, baseline, head, linkTo = nowhere, say = same, isPart } = options;
  // Each part would say of the whole that it changes no pin.
  const pins = isPart && options.pins === '' ? undefined : options.pins;
  const page = new Page(maxChars - TAIL_CHARS, maxBytes - TAIL_CHARS);
  const results = withSeen(report).results;
  const groups = causesOf(results.sessions.filter(({ level }) => level === 'error'));
  if (head !== undefined) page.add(head);
  const failures = failuresIn(sessionsWithStory(results)).slice(0, MAX_FAILURES);
  for (const block of verdictBlocks(report, { groups, failures, ...options })) page.add(block);
  const isTold = gateOf(report).status === 'error';

  const causes = new Set<string>();
  for (const [at, group] of groups.slice(0, MAX_CAUSES).entries()) {
    const { line } = group.cause ?? {};
    if (line === undefined || (at > 0 && !page.add(causeOfGroup(group, results.sessions.length, options)))) continue;
    for (const { divergence } of group.rows) if (divergence) causes.add(keyOfLine(divergence));
  }
  const problems = results.problems.slice(isTold ? 1 : 0).filter((problem) => !page.add(problemBlock(problem, say)));
  const isFirstTold = isTold && results.problems.length === 0;
  const before = new Set(
    failures
      .filter((failure, at) => (isFirstTold && at === 0) || page.add(alikeBlock(failure, say)))
      .map(({ problem }) => keyOf(problem)),
  );
  const [sound, told] = [true, false].map((is) =>
    bySeverity(results.sessions).filter((session) => isPlain(session, report) === is),
  ) as [SessionResult[], SessionResult[]];
  const lines = told.map((session) => sessionRow(session, report, linkTo));
  const [first, others] = [lines.slice(0, MAX_ROWS), lines.slice(MAX_ROWS)];
  const cut = page.addTable(first);
  // If a row above is left out, no row below it is shown.
  const rows = cut > 0 ? cut + others.length : page.addTable(others, `more that are ${NOT_AS_RECORDED}`);
  if (pins !== undefined && pins !== '') page.add(`**Pins changed in this pull request:** ${forMarkdownProse(pins)}.`);
  if (sound.length > 0) page.add(soundBlock(sound, told.length === 0, { linkTo, pins }));
  for (const warning of warningsIn(results.sessions).slice(0, MAX_FAILURES)) page.add(alikeBlock(warning, say));
  if (baseline !== undefined) page.add(changesBlock(changesSince(baseline, report)));

  const stories = bySeverity(sessionsWithStory(results));
  const inside = page.room();
  const untold = stories.filter(
    (session) => inside.isFull || !inside.add(sessionBlock(session, { linkTo, say, before, causes }, report)),
  );
  page.addFolded(inside);
  if (stories.length > 0) page.add(details('Replay on your machine', [forMarkdownBlock(reruns(stories, report))]));
  const judged = [aspectsLine(report.results.sessions), ...gateLines(report)].filter((line) => line !== '');
  if (judged.length > 0)
    page.add(details('How it was judged', [judged.map((line) => forMarkdownProse(say(line))).join('  \n')]));

  const left = [
    ...(problems.length > 0 ? [counted(problems.length, 'problem')] : []),
    ...(rows > 0 ? [counted(rows, 'row')] : []),
    ...(untold.length > 0 ? [counted(untold.length, 'story', 'stories')] : []),
  ];
  return page.end([
    ...(left.length > 0 ? [`${left.join(', ')} more, see the report.`] : []),
    ...notesOf(report),
    `<sub>${isPart ? '' : `${ABOUT} · `}${usageLine(report)}</sub>`,
  ]);
}

const nowhere: Link = () => undefined;

/** For those who meet the tool in somebody else's pull request. */
const ABOUT = 'agent-replay replays recorded conversations and compares what the agent does';

interface VerdictOptions extends MarkdownOptions {
  readonly groups: readonly CauseGroup[];
  readonly failures: readonly Alike[];
}

/** What happened and why, and what to do. */
function verdictBlocks(report: Report, options: VerdictOptions): string[] {
  const { groups, failures, head, isTitled = head !== undefined, isPart = false, aside, say = same } = options;
  const { status, title, message } = gateOf(report);
  const alert = ALERTS[status];
  const sign = alert === undefined ? `${STATUS_SIGNS[status]} ` : '';
  const named = isTitled || isPart ? '' : `${sign}**${capitalised(title)}.** `;
  const boxed = (text: string) => (alert === undefined || isPart ? text : `> [!${alert}]\n> ${text}`);
  const [group] = groups;
  const isBlamed = report.results.base?.blame != null;
  if (status === 'failed' && group !== undefined && !isBlamed) {
    const { line } = group.cause ?? {};
    return [
      boxed(`${named}${headlineOf(group)}${whyIn(group, options)}`),
      ...(line === undefined ? [] : [lineDiff(line)]),
      choicesOf(groups, options),
    ];
  }
  const [first] = report.results.problems;
  const [failure] = failures;
  const problem = first ?? failure?.problem;
  if (status !== 'error' || problem === undefined) return [boxed(`${named}${forMarkdownProse(say(message))}`)];
  const where = first === undefined ? `, ${counted(failure!.count, 'replay')} of ${namesOf(failure!.sessions)}` : '';
  const not = `**No verdict on this change.**${aside === undefined ? '' : ` ${forMarkdownProse(capitalised(aside))}`}`;
  const { message: said, hint, ...rest } = problem;
  return [
    boxed(`${named}**${forMarkdownProse(say(said)).replace(/[.:]$/, '')}** (${rest.code}${where}). ${not}`),
    ...factsOf(rest),
    ...(hint === undefined ? [] : [`**Do this:** ${forMarkdownProse(say(hint))}`]),
  ];
}

/** `**create_ticket instead of refund_order**, in every replay of a and b.` */
function headlineOf({ rows }: CauseGroup): string {
  const [first] = rows;
  const what = whatIn(first!);
  const alike = rows.filter((row) => whatIn(row) === what);
  const isEvery = alike.every(({ divergence }) => divergence === null || divergence.runs === divergence.of);
  const often = isEvery ? 'every replay' : alike.length === 1 ? runsIn(alike[0]!) : 'some replays';
  const others = rows.length - alike.length;
  const more =
    others === 0 ? '' : ` ${counted(others, 'more session differs', 'more sessions differ')}, see the table.`;
  const names = alike.slice(0, MAX_HEADLINE_NAMES).map(({ session }) => linkedName(session, nowhere));
  const all = enumerated(alike.length > names.length ? [...names, `${alike.length - names.length} more`] : names);
  return first!.divergence === null ? `**${what}** (${all}).${more}` : `**${what}**, in ${often} of ${all}.${more}`;
}

const MAX_HEADLINE_NAMES = 3;

/** `a, b and c` */
function enumerated(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' and ');
}

function runsIn({ divergence }: CauseRow): string {
  return divergence === null ? '' : `${divergence.runs} of ${counted(divergence.of, 'replay')}`;
}

/** What sets the replays apart, in Markdown. */
function whatIn({ turn, divergence }: CauseRow): string {
  if (divergence === null) return forMarkdownProse(capitalised(separationOf(turn) ?? ''));
  if (divergence.kind !== 'call-name') return forMarkdownProse(whatOf(divergence));
  const [was, now] = sidesOf(divergence);
  return `${now} instead of ${was}`;
}

function whyIn({ cause }: CauseGroup, { placesOf }: MarkdownOptions): string {
  if (cause === undefined || cause.kind === 'unknown') return '';
  const { line, kind, detail } = cause;
  const why = line === undefined ? forMarkdownProse(`the ${kind} (${detail}).`) : `${editedLine(line, placesOf)}:`;
  return ` **Likely cause:** ${why}`;
}

/** `line 5 of the system prompt (<code>prompts/nora.md:8</code>)` */
function editedLine(line: EditedLine, placesOf: MarkdownOptions['placesOf']): string {
  const text = line.replayed ?? line.recorded;
  const [place] = text === null ? [] : (placesOf?.({ line: text }) ?? []);
  return `line ${line.number} of the ${forMarkdownProse(line.of)}${place === undefined ? '' : ` (${forMarkdownCell(place)})`}`;
}

/** What a person can do, as the three choices that there are. */
function choicesOf(groups: readonly CauseGroup[], { reportUrl, say = same }: MarkdownOptions): string {
  const failing = groups.flatMap(({ rows }) => rows).map(({ turn }) => turn);
  const isMixed = failing.every((turn) => turn.shift !== undefined || turn.comparison.figures.behaviours > 1);
  const accept = say(`\`agent-replay accept${isMixed ? ' --as-recordings' : ''}\``);
  const look = reportUrl === undefined ? 'See report.html' : `[See both runs side by side](${reportUrl})`;
  return `**Meant to change it?** ${forMarkdownProse(accept)} · **Not meant?** Fix it and push · **Unsure?** ${look}`;
}

function reruns(sessions: readonly SessionResult[], report: Report): string {
  return sessions.length > MAX_RERUNS
    ? commandOn(report, ['run'])
    : sessions.map((session) => rerunCommand(session, report)).join('\n');
}

/** Adds whole blocks as long as there is room. */
class Page {
  readonly #blocks: string[] = [];
  #chars: number;
  #bytes: number;

  constructor(chars: number, bytes: number) {
    this.#chars = chars;
    this.#bytes = bytes;
  }

  /** No story fits what is left, so none needs to be rendered any more. */
  get isFull(): boolean {
    return Math.min(this.#chars, this.#bytes) < MIN_STORY_CHARS;
  }

  /** @returns false if there is no room for the block */
  add(block: string): boolean {
    const chars = block.length + SEPARATOR.length;
    const bytes = Buffer.byteLength(block) + SEPARATOR.length;
    if (chars > this.#chars || bytes > this.#bytes) return false;
    this.#blocks.push(block);
    this.#chars -= chars;
    this.#bytes -= bytes;
    return true;
  }

  /**
   * @param fold heads the folded rows, with their number
   * @returns how many rows did not fit
   */
  addTable(rows: readonly string[][], fold?: string): number {
    if (rows.length === 0) return 0;
    const [head, line, ...lines] = markdownTable([HEADS, ...rows], { alignDelimiters: false }).split('\n');
    const room = { chars: this.#chars * TABLE_SHARE, bytes: this.#bytes * TABLE_SHARE };
    const table = [head!, line!];
    let chars = head!.length + line!.length + 2;
    let bytes = chars;
    for (const row of lines) {
      chars += row.length + 1;
      bytes += Buffer.byteLength(row) + 1;
      if (chars > room.chars || bytes > room.bytes) break;
      table.push(row);
    }
    const shown = table.length - 2;
    const block = fold === undefined ? table.join('\n') : details(`${shown} ${fold}`, [table.join('\n')]);
    return shown > 0 && this.add(block) ? rows.length - shown : rows.length;
  }

  /** The room that is left, for blocks inside one fold. */
  room(): Page {
    return new Page(this.#chars - FOLD_CHARS, this.#bytes - FOLD_CHARS);
  }

  /** Adds the stories that were put into that room. */
  addFolded(room: Page): void {
    const stories = room.#blocks;
    if (stories.length > 0) this.add(details(`${counted(stories.length, 'session')} in detail`, stories));
  }

  /** Adds the last blocks, whose room was reserved. */
  end(blocks: readonly string[]): string {
    return `${[...this.#blocks, ...blocks].join(SEPARATOR)}\n`;
  }
}

const SEPARATOR = '\n\n';
/** Of a fold around other blocks. */
const FOLD_CHARS = 100;
const HEADS = ['session', 'was', 'is now', 'runs'];

function sessionRow(session: SessionResult, report: Report, linkTo: Link): string[] {
  const turn = decisiveTurn(session);
  const asked = turn?.asked ?? session.title;
  const place = session.turns.length > 1 && turn !== undefined ? `turn ${turn.turn}` : '';
  const about = [place, ...(asked === undefined ? [] : [forMarkdownProse(shortProse(asked))])].filter(Boolean);
  const name = `${lookOf(session).sign}&nbsp;${linkedName(session, linkTo)}`;
  return [
    about.length === 0 ? name : `${name}<br><sub>${about.join(': ')}</sub>`,
    ...wasAndNow(session, turn),
    howOftenIn(session, turn, report),
  ];
}

/** `5/5 differ`; where nothing diverged, the verdict, or how many runs are as recorded. */
function howOftenIn(session: SessionResult, turn: TurnResult | undefined, report: Report): string {
  const divergence = turn?.comparison.divergence;
  if (!divergence) return isAsRecorded(session.verdict) ? asRecorded(session, report) : verdictWord(session);
  const allowed = session.level === 'error' ? '' : ` (${verdictWord(session)})`;
  return [`${divergence.runs}/${divergence.of} differ${allowed}`, ...replacedNote(runsOf(report, session.id))].join(
    ', ',
  );
}

/** As recorded, with nothing to report besides: no problem, no minor difference, no replaced replay. */
function isPlain({ id, verdict, level, problems, turns }: SessionResult, report: Report): boolean {
  if (!isAsRecorded(verdict) || level !== 'off' || problems.length > 0) return false;
  const isEqual = turns.every(({ comparison: { figures } }) => figures.minor === 0 && figures.reworded === 0);
  return isEqual && replacedNote(runsOf(report, id)).length === 0;
}

/** The sessions that need no words. @param isAll true if there are no others; the first line has said so then */
function soundBlock(
  sessions: readonly SessionResult[],
  isAll: boolean,
  { linkTo, pins }: Pick<MarkdownOptions, 'linkTo' | 'pins'>,
): string {
  const count = counted(sessions.length, 'session');
  const which = sessions.length === 1 ? 'Which session' : 'Which sessions';
  const told = isAll ? which : `${OUTCOMES['as-recorded'].sign} ${count} ${OUTCOMES['as-recorded'].plural}`;
  return details(pins === '' ? `${told} · no pin changed in this pull request` : told, [namesOf(sessions, linkTo)]);
}

/** Its name, linked to its pin if there is an address. */
function linkedName(session: SessionResult, linkTo: Link): string {
  const name = forMarkdownCell(cut(tellingName(session), MAX_CELL_CHARS));
  const url = linkTo(session.pin);
  return url === undefined ? name : `[${name}](${url})`;
}

/** Two cells: what was recorded and what replays do; or the reason for doubt. */
function wasAndNow({ problems }: SessionResult, turn: TurnResult | undefined): [string, string] {
  const separation = separationOf(turn);
  if (separation !== undefined) return ['', forMarkdownProse(shortProse(separation))];
  const divergence = turn?.comparison.divergence;
  if (divergence) {
    const [was, now] = sidesOf(divergence);
    const { place } = toldOf(divergence);
    return [place === '' ? was : `<sub>${forMarkdownProse(breakable(place))}</sub><br>${was}`, now];
  }
  const problem = problems[0] ?? turn?.problems[0];
  const note = turn?.comparison.note ?? '';
  return ['', problem === undefined ? forMarkdownProse(shortProse(note)) : forMarkdownCell(problem.code)];
}

/** A phone breaks it after the name of the tool. */
function breakable(place: string): string {
  return cut(place, MAX_CELL_CHARS).replace(/(?<=.)(?=[.[])/, ' ');
}

function sidesOf(divergence: Divergence): [string, string] {
  const { was, now } = toldOf(divergence);
  return [was, now].map((text) => forMarkdownCell(cut(text, MAX_CELL_CHARS))) as [string, string];
}

/** As many whole words as fit. */
function shortProse(text: string): string {
  if (text.length <= MAX_CELL_PROSE_CHARS) return text;
  const cut = text.slice(0, MAX_CELL_PROSE_CHARS).toWellFormed();
  const end = cut.lastIndexOf(' ');
  return `${(end > 0 ? cut.slice(0, end) : cut).replace(/[,;:]$/, '')} …`;
}

/** What changed since an earlier report, folded. */
function changesBlock(changes: ReturnType<typeof changesSince>): string {
  const groups = CHANGES.map((label) => [label, changes.get(label) ?? []] as const);
  const present = groups.filter(([, sessions]) => sessions.length > 0);
  const unchanged = `${changes.get('unchanged')?.length ?? 0} ${OUTCOMES['as-recorded'].plural} as before`;
  const counts = [...present.map(([label, { length }]) => `${length} ${label}`), unchanged];
  const lines = present.map(([label, sessions]) => `- ${label}: ${namesOf(sessions)}`);
  const headline = `Since the base branch: ${counts.join(', ')}`;
  return lines.length === 0 ? headline : details(headline, [lines.join('\n')]);
}

function namesOf(sessions: readonly SessionResult[], linkTo: Link = nowhere): string {
  const names = sessions.slice(0, MAX_NAMES).map((session) => linkedName(session, linkTo));
  const left = sessions.length - names.length;
  return [...names, ...(left > 0 ? [`${left} more`] : [])].join(', ');
}

/** Shown once for all sessions that it concerns. */
function alikeBlock({ problem, count, sessions }: Alike, say: Say): string {
  return problemBlock(problem, say, `${counted(count, 'replay')} of ${namesOf(sessions)}: `);
}

interface StoryOptions {
  readonly linkTo: Link;
  readonly say: Say;
  /** Problems that are shown in full above the stories. */
  readonly before: ReadonlySet<string>;
  /** Changed lines that an open story above already shows. */
  readonly causes: ReadonlySet<string>;
}

function sessionBlock(session: SessionResult, options: StoryOptions, report: Report): string {
  const { linkTo, say } = options;
  const url = linkTo(session.pin);
  const text = forMarkdownCell(sessionName(session));
  // A summary element is HTML, in which Markdown is not read.
  const name = url === undefined ? text : `<a href="${url}">${text}</a>`;
  const told = verdictWord(session);
  const story = [
    ...(session.title === undefined ? [] : [`_${forMarkdownProse(session.title)}_`]),
    ...turnsTold(session, options),
    ...session.problems.map((problem) => problemBlock(problem, say)),
    ...toolsLine(report, session),
  ];
  return details(`${OUTCOMES[session.verdict].sign} ${name}: ${told}`, story);
}

/** The divergences, and folded below them the turns that differ in words only. */
function turnsTold(session: SessionResult, options: StoryOptions): string[] {
  const isDivergent = ({ comparison, problems }: TurnResult) => comparison.divergence !== null || problems.length > 0;
  const blocksOf = (turns: readonly TurnResult[]) => turns.flatMap((turn) => turnBlocks(turn, session, options));
  const main = blocksOf(session.turns.filter(isDivergent));
  const others = blocksOf(session.turns.filter((turn) => !isDivergent(turn)));
  return main.length === 0 || others.length === 0 ? [...main, ...others] : [...main, details('Other turns', others)];
}

function details(summary: string, blocks: readonly string[]): string {
  return [`<details><summary>${summary}</summary>`, ...blocks, '</details>'].join(SEPARATOR);
}

function turnBlocks(turn: TurnResult, session: SessionResult, { say, before, causes }: StoryOptions): string[] {
  const { divergence, note, verdict } = turn.comparison;
  const advice = adviceFor(turn, session);
  const where = `Turn ${turn.turn}`;
  return [
    ...shiftStory(turn).map((line) => forMarkdownProse(`${capitalised(line)}.`)),
    ...(divergence
      ? [
          forMarkdownProse(`${where}, ${divergenceWords(turn.comparison, { isLineShown: true })}`),
          ...causeBlock(divergence, causes),
          ...valueBlocks(divergence),
        ]
      : []),
    ...turn.problems.map(({ runs, ...problem }) =>
      problemBlock(before.has(keyOf(problem)) ? sentenceOf(problem) : problem, say, `${where}, ${runNumbers(runs)}: `),
    ),
    ...forksOf(turn).map(forkTable),
    ...lesserStory(turn).map((line) => forMarkdownProse(`${where}, ${line}`)),
    ...(note === null || isAsRecorded(verdict) ? [] : [`${where}: ${forMarkdownProse(note)}`]),
    ...(advice === undefined ? [] : [`${where}: ${forMarkdownProse(say(advice))}`]),
  ];
}

/** A further edit with its diff, told once above all sessions that it changed. */
function causeOfGroup(group: CauseGroup, total: number, { placesOf }: MarkdownOptions): string {
  const line = group.cause!.line!;
  const count = `${group.rows.length} of ${counted(total, 'session')}`;
  const changed = `**Another edit changed ${count}**: ${editedLine(line, placesOf)}, ${headlineOf(group)}`;
  return [changed, lineDiff(line)].join(SEPARATOR);
}

type EditedLine = NonNullable<Divergence['cause']['line']>;

function keyOfLine({ cause: { line } }: Divergence): string {
  return JSON.stringify(line);
}

/** The changed line of the model's input as a diff; shown once if many sessions share it. */
function causeBlock(divergence: Divergence, causes: ReadonlySet<string>): string[] {
  const { line } = divergence.cause;
  if (line === undefined) return [];
  if (causes.has(keyOfLine(divergence))) return [`${placeOfLine(line)}: the same change as above.`];
  return [`${placeOfLine(line)}:`, lineDiff(line)];
}

function lineDiff({ recorded, replayed }: EditedLine): string {
  const sides = [...(recorded === null ? [] : [`- ${recorded}`]), ...(replayed === null ? [] : [`+ ${replayed}`])];
  return forMarkdownBlock(sides.join('\n'), 'diff');
}

/** Both sides in full, if the sentence had to cut one. */
function valueBlocks({ recorded, replayed }: Divergence): string[] {
  const blocks = [
    ['Recorded', recorded],
    ['Replayed', replayed],
  ] as const;
  const isSaid = blocks.every(([, value]) => value === undefined || JSON.stringify(value).length <= MAX_SAID_CHARS);
  return isSaid ? [] : blocks.flatMap(([label, value]) => valueBlock(label, value));
}

function valueBlock(label: string, value: Json | undefined): string[] {
  if (value === undefined) return [];
  const block =
    typeof value === 'string' ? forMarkdownBlock(value) : forMarkdownBlock(JSON.stringify(value, null, 2), 'json');
  return [`${label}:`, block];
}

function forkTable({ step, branches }: TurnResult['comparison']['forks'][number]): string {
  const total = branches.reduce((sum, { runs }) => sum + runs.length, 0);
  const rows = branches.map(({ label, runs, recorded }) => [
    `${runs.length}&nbsp;of&nbsp;${total}`,
    `${forMarkdownCell(label)}${recorded ? ' (as recorded)' : ''}`,
  ]);
  return markdownTable([['runs', `step ${step}`], ...rows], { alignDelimiters: false });
}

function keyOf({ code, message }: Problem): string {
  return `${code}: ${message}`;
}

/** Evidence and hint are already shown above. */
function sentenceOf({ code, message }: Problem): Problem {
  return { code, message, evidence: [] };
}

/** @param where put before the message */
function problemBlock({ code, message, hint, ...rest }: Problem, say: Say, where = ''): string {
  return [
    `${where}${forMarkdownProse(`${code}: ${say(message)}`)}`,
    ...factsOf(rest),
    ...(hint === undefined ? [] : [`→ ${forMarkdownProse(say(hint))}`]),
  ].join(SEPARATOR);
}

/** The place of a problem and its evidence, as a block. */
function factsOf({ evidence, location }: Pick<Problem, 'evidence' | 'location'>): string[] {
  const facts = [
    ...(location === undefined ? [] : [`at ${placeOf(location)}`]),
    ...evidence.slice(-MAX_EVIDENCE_LINES),
  ];
  return facts.length > 0 ? [forMarkdownBlock(facts.join('\n'))] : [];
}
