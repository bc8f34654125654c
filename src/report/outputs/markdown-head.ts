import { counted, cut, firstOf, forMarkdownCell, forMarkdownProse } from '../../text/index.ts';
import { choicesFor } from '../choices.ts';
import type { Report } from '../schema.ts';
import { gateOf } from '../status.ts';
import type { Alike } from '../words/alike.ts';
import type { CauseGroup, CauseRow } from '../words/causes.ts';
import { whatOf } from '../words/divergence.ts';
import { capitalised, STATUS_SIGNS, separationOf } from '../words/words.ts';
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

export interface VerdictOptions extends MarkdownOptions {
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
  const boxed = (text: string) => (alert === undefined || isPart ? text : `> [!${alert}]\n> ${text}`);
  const [group] = groups;
  const isBlamed = report.results.base?.blame != null;
  const isInterrupted = status === 'interrupted';
  if ((status === 'failed' || isInterrupted) && group !== undefined && !isBlamed) {
    const { line } = group.cause ?? {};
    const again = isInterrupted ? `${forMarkdownProse(say(message))} ` : '';
    return [
      boxed(
        `${named}${again}${isOnPull ? '**Look before you merge:** ' : ''}${headlineOf(group)}${whyIn(group, options)}`,
      ),
      ...(line === undefined ? [] : [lineDiff(line)]),
      choicesOf(groups, report, options),
    ];
  }
  const [first] = report.results.problems;
  const [failure] = failures;
  const problem = first ?? failure?.problem;
  if (status !== 'error' || problem === undefined) return [boxed(`${named}${forMarkdownProse(say(message))}`)];
  const where = first === undefined ? `, ${counted(failure!.count, 'replay')} of ${namesOf(failure!.sessions)}` : '';
  const { code, message: said, evidence } = problem;
  const until = isOnPull ? ': fix this and run again before you merge' : '';
  const isEmpty = code === 'NO_SESSIONS';
  const not = isEmpty
    ? 'Nothing to compare yet.'
    : `This says nothing about your change${aside === undefined ? until : ''}.`;
  // What names a key says more than the failure that came of it.
  const key = evidence.find((line) => MISSING_KEY.test(line));
  const lead = key === undefined ? '' : `${cut(key, MAX_HEADLINE_CHARS)}. `;
  const told = forMarkdownProse(lead + say(said));
  const next = aside === undefined || isEmpty ? '' : ` **Do this:** ${forMarkdownProse(aside)}`;
  return [
    boxed(`${named}**${told.replace(/[.:]$/, '')}** (${code}${where}). **${not}**${next}`),
    ...factsOf(problem, say),
  ];
}

/** `**create_ticket instead of refund_order**, in every replay of a and b.` */
function headlineOf({ rows }: CauseGroup): string {
  const [first] = rows;
  const what = whatIn(first!);
  const alike = rows.filter((row) => whatIn(row) === what);
  const [differing, all] = (['runs', 'of'] as const).map((count) =>
    alike.reduce((sum, { divergence }) => sum + (divergence?.[count] ?? 0), 0),
  ) as [number, number];
  const often = differing === all ? 'every replay' : `${differing} of ${counted(all, 'replay')}`;
  const others = rows.length - alike.length;
  const more =
    others === 0 ? '' : ` ${counted(others, 'more session differs', 'more sessions differ')}, see the table.`;
  const names = firstOf(alike, MAX_HEADLINE_NAMES, ({ session }) => linkedName(session, nowhere));
  const whose = new Intl.ListFormat('en-GB').format(names);
  return first!.divergence === null ? `**${what}** (${whose}).${more}` : `**${what}**, in ${often} of ${whose}.${more}`;
}

const MISSING_KEY =
  /\b[A-Z]\w*_(?:KEY|TOKEN) (?:is |was |must )?(?:missing|required|unset|not |be set)|missing [A-Z]\w*_(?:KEY|TOKEN)\b/i;
const MAX_HEADLINE_NAMES = 3;
const MAX_HEADLINE_CHARS = 200;

/** What sets the replays apart, in Markdown. */
function whatIn({ turn, divergence }: CauseRow): string {
  if (divergence === null) return forMarkdownProse(capitalised(separationOf(turn) ?? ''));
  if (divergence.kind !== 'call-name' || divergence.ways.length > 1)
    return forMarkdownProse(cut(whatOf(divergence), MAX_HEADLINE_CHARS));
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
function choicesOf(
  groups: readonly CauseGroup[],
  { results: { sessions } }: Report,
  { reportUrl, pins, say = same }: MarkdownOptions,
): string {
  const rows = groups.flatMap((group) => group.rows);
  const [first] = rows;
  const look =
    reportUrl === undefined ? 'see report.html' : linkInto(reportUrl, first!.session, 'see both runs side by side');
  const turns = rows.map(({ turn }) => turn);
  const choices = choicesFor(turns, { sessions, pins }).map(([when, what]) => [when, forMarkdownProse(say(what))]);
  return [...choices, ['If unsure', look]].map(([when, what]) => `**${when}:** ${what}`).join(' · ');
}

/** A further edit with its diff, told once above all sessions that it changed. */
export function causeOfGroup(group: CauseGroup, total: number, { placesOf }: MarkdownOptions): string {
  const line = group.cause!.line!;
  const count = `${group.rows.length} of ${counted(total, 'session')}`;
  const changed = `**Another edit changed ${count}**: ${editedLine(line, placesOf)}, ${headlineOf(group)}`;
  return [changed, lineDiff(line)].join('\n\n');
}
