import { isDoubt } from '../../compare/index.ts';
import { counted, cut, firstOf, forMarkdownCell, forMarkdownProse } from '../../text/index.ts';
import { choicesFor } from '../choices.ts';
import type { Report, SessionResult } from '../schema.ts';
import { gateOf } from '../status.ts';
import { noEditWords } from '../words/advice.ts';
import type { Alike } from '../words/alike.ts';
import type { CauseGroup, CauseRow } from '../words/causes.ts';
import { whatOf } from '../words/divergence.ts';
import { acceptedAfter, capitalised, STATUS_SIGNS, separationOf } from '../words/words.ts';
import {
  type EditedLine,
  factsOf,
  lineDiff,
  linkedName,
  linkInto,
  type MarkdownOptions,
  namesOf,
  nowhere,
  same,
  sidesOf,
} from './markdown-parts.ts';

/** What passed needs no box. */
const ALERTS = { passed: undefined, failed: 'CAUTION', error: 'WARNING', interrupted: 'WARNING' } as const;

interface VerdictOptions extends MarkdownOptions {
  readonly groups: readonly CauseGroup[];
  readonly failures: readonly Alike[];
}

/** What happened and why, and what to do. */
export function verdictBlocks(report: Report, options: VerdictOptions): string[] {
  const {
    groups,
    failures,
    head,
    isTitled = head !== undefined,
    isPart = false,
    isOnPull,
    aside,
    say = same,
  } = options;
  const { status, title, message } = gateOf(report);
  const alert = ALERTS[status];
  const sign = alert === undefined ? `${STATUS_SIGNS[status]} ` : '';
  const named = isTitled || isPart ? '' : `${sign}**${capitalised(title)}.** `;
  const boxed = (text: string, kind: string | undefined = alert) =>
    kind === undefined || isPart ? text : `> [!${kind}]\n> ${text}`;
  const told = (text: string) => forMarkdownProse(say(text));
  const [group] = groups;
  const isBlamed = report.results.base?.blame != null;
  const isInterrupted = status === 'interrupted';
  if ((status === 'failed' || isInterrupted) && group !== undefined && !isBlamed) {
    const { line } = group.cause ?? {};
    const turns = groups.flatMap(({ rows }) => rows.map(({ turn }) => turn));
    const wanted = report.evidence.offline ? 'run without `--offline`, and accept that' : acceptedAfter(report, turns);
    const within = { sessions: report.results.sessions, pins: options.pins, wanted };
    const noEdit = isOnPull === true && !isInterrupted && noEditWords(turns, within, 'this pull request');
    const byModel = noEdit && `**${noEdit.replace(':', ':**')} Merging makes no difference to that. `;
    const lead = byModel || (isOnPull && !isPart ? LOOK : '');
    const why = byModel ? '' : whyIn(group, options);
    // Another run does not take away what differs so far.
    const rest = isInterrupted ? ` **${told(message)}**` : '';
    // What an interrupted run has found cannot be accepted.
    const choices = isInterrupted ? [] : choicesFor(turns, within);
    return [
      boxed(`${named}${lead}${headlineOf(group)}${why}${rest}`),
      ...(line === undefined ? [] : [lineDiff(line)]),
      choicesOf(choices, group.rows[0]!.session, options),
    ];
  }
  const [first] = report.results.problems;
  const [failure] = failures;
  const problem = first ?? failure?.problem;
  if (status !== 'error' || problem === undefined) {
    const pass = status === 'passed' && isOnPull ? ' **Nothing here speaks against merging.**' : '';
    return [boxed(`${named}${told(message)}${pass}`)];
  }
  const { code, message: said, evidence } = problem;
  const where = first === undefined ? `, ${counted(failure!.count, 'replay')} of ${namesOf(failure!.sessions)}` : '';
  const until = isOnPull && aside === undefined ? ': fix this and run again before you merge' : '';
  // What names a key says more than the failure that came of it.
  const key = evidence.find((line) => MISSING_KEY.test(line));
  const lead = key === undefined ? '' : `${cut(key, MAX_HEADLINE_CHARS)}. `;
  const next = aside === undefined ? '' : ` **Do this:** ${forMarkdownProse(aside)}`;
  const what = forMarkdownProse(lead + say(said)).replace(/[.:]$/, '');
  // An agent that does not start may have been broken by the very change.
  const cause =
    until !== '' && code === 'AGENT_EXITED'
      ? 'Nothing was compared; your change may be the cause'
      : report.results.sessions.every(({ verdict }) => isDoubt(verdict))
        ? NOTHING
        : 'Not everything was compared';
  const isEmpty = code === 'NO_SESSIONS';
  const says = isEmpty ? `**${NOTHING}:** ${EMPTY}` : `**${cause}${until}.**${next}`;
  return [
    boxed(`${named}**${what}** (${code}${where}). ${says}`, isEmpty ? 'NOTE' : alert),
    ...factsOf({ ...problem, evidence: evidence.filter((line) => line !== key) }, say),
  ];
}

const OR_PINS = ', or the recordings that this pull request changes (below).';
const LOOK = '**Look before you merge:** ';
const NOTHING = 'This says nothing about your change';
const EMPTY = 'there is nothing to compare yet; this check is red until there is.';

/** `**create_ticket instead of refund_order**, in every replay of a and b.` Each thing that sessions do otherwise, once. */
function headlineOf({ rows }: CauseGroup): string {
  const kinds = [...Map.groupBy(rows, whatIn)];
  // A thing that few sessions do stands in the table.
  const told = kinds
    .filter(([, alike], at) => at === 0 || alike.length > MAX_HEADLINE_NAMES)
    .slice(0, MAX_HEADLINE_KINDS);
  const left = kinds.filter((kind) => !told.includes(kind)).flatMap(([, alike]) => alike);
  const named = left.length === 1 ? namesOf(left.map(({ session }) => session)) : `${left.length} more sessions`;
  const more = left.length === 0 ? [] : [`${named} ${left.length === 1 ? 'differs' : 'differ'}, too`];
  return `${[...told.map(([what, alike]) => kindWords(what, alike, kinds.length > 1)), ...more].join('; ')}.`;
}

/** @param isCounted whether many sessions are counted instead of named, since others do something else */
function kindWords(what: string, alike: readonly CauseRow[], isCounted: boolean): string {
  const [differing, all] = (['runs', 'of'] as const).map((count) =>
    alike.reduce((sum, { divergence }) => sum + (divergence?.[count] ?? 0), 0),
  ) as [number, number];
  const often = differing === all ? 'every replay' : `${differing} of ${counted(all, 'replay')}`;
  const names = firstOf(alike, MAX_HEADLINE_NAMES, ({ session }) => linkedName(session, nowhere));
  const whose =
    isCounted && alike.length > MAX_HEADLINE_NAMES
      ? counted(alike.length, 'session')
      : new Intl.ListFormat('en-GB').format(names);
  return alike[0]!.divergence === null ? `**${what}** (${whose})` : `**${what}**, in ${often} of ${whose}`;
}

const MISSING_KEY =
  /\b[A-Z]\w*_(?:KEY|TOKEN) (?:is |was |must )?(?:missing|required|unset|not |be set)|missing [A-Z]\w*_(?:KEY|TOKEN)\b/i;
const MAX_HEADLINE_NAMES = 3;
const MAX_HEADLINE_KINDS = 3;
const MAX_HEADLINE_CHARS = 200;

/** What sets the replays apart, in Markdown. */
function whatIn({ turn, divergence }: CauseRow): string {
  if (divergence === null) return forMarkdownProse(capitalised(separationOf(turn) ?? ''));
  if (divergence.kind !== 'call-name' || divergence.ways.length > 1)
    return forMarkdownProse(cut(whatOf(divergence), MAX_HEADLINE_CHARS));
  const [was, now] = sidesOf(divergence);
  return `${now} instead of ${was}`;
}

function whyIn({ cause }: CauseGroup, options: MarkdownOptions): string {
  if (cause === undefined || cause.kind === 'unknown') return '';
  const { line, kind, detail } = cause;
  const why =
    line === undefined
      ? `${forMarkdownProse(kind === 'agent' ? detail : `the ${kind} (${detail})`)}${kind === 'model' && options.pins ? OR_PINS : '.'}`
      : `${editedLine(line, options)}:`;
  return ` **Likely cause:** ${why}`;
}

/** `line 5 of the system prompt (<code>prompts/nora.md:8</code>)` */
function editedLine(line: EditedLine, { placesOf, isUntouched }: MarkdownOptions): string {
  const text = line.replayed ?? line.recorded;
  const all = text === null ? [] : (placesOf?.({ line: text }) ?? []);
  const touched = all.filter((place) => !isUntouched?.(place));
  const places = (touched.length > 0 ? touched : all).map(forMarkdownCell).join(' or ');
  const told = `line ${line.number} of the ${forMarkdownProse(line.of)}`;
  if (places === '') return told;
  return `${told} (${places}${touched.length > 0 ? '' : ', which this pull request does not change'})`;
}

/** What a person can do, the most important first; last to look. */
function choicesOf(
  choices: ReturnType<typeof choicesFor>,
  session: SessionResult,
  { reportUrl, say = same }: MarkdownOptions,
): string {
  const look =
    reportUrl === undefined
      ? 'see report.html'
      : linkInto(reportUrl, session, 'see recording and replays side by side');
  return [
    ...choices.map(([when, what]) => [when, forMarkdownProse(say(what))]),
    [choices.length === 0 ? 'To read it' : 'If unsure', look],
  ]
    .map(([when, what]) => `**${when}:** ${what}`)
    .join(' · ');
}

/** What sessions do otherwise by a further cause, told once above all of them. */
export function causeOfGroup(group: CauseGroup, total: number, options: MarkdownOptions): string {
  const { line } = group.cause ?? {};
  const told = `**Besides, ${group.rows.length} of ${counted(total, 'session')}:** ${headlineOf(group)}${whyIn(group, options)}`;
  return [told, ...(line === undefined ? [] : [lineDiff(line)])].join('\n\n');
}
