import { excerpts } from '../../compare/index.ts';
import { cut, firstOf, forMarkdownBlock, forMarkdownCell, forMarkdownProse } from '../../text/index.ts';
import type { Problem, SessionResult } from '../schema.ts';
import { type Cause, toldOf } from '../words/divergence.ts';
import { brief, diffLines, placeOf, tellingName } from '../words/words.ts';
import type { PlacesOf } from './html.ts';

/** Pieces of Markdown, made safe. */

export interface MarkdownOptions {
  /** In UTF-16 units. Default 60,000: GitHub's limit for a comment is 65,536. */
  readonly maxChars?: number;
  /** In UTF-8 bytes, in place of `maxChars`: GitHub's limit for a job summary is 1 MiB. */
  readonly maxBytes?: number;
  /** Names the report, above everything else. Markdown, not escaped here. */
  readonly head?: string;
  /** Address of a pin, such as its file at the commit of the run. Not escaped here. */
  readonly linkTo?: Link;
  /** Whether a heading above it gives the result already. */
  readonly isTitled?: boolean;
  /** Whether it is read on a pull request, before somebody merges it. */
  readonly isOnPull?: boolean;
  /** Whether it stands inside a fold, where GitHub shows no box. */
  readonly isPart?: boolean;
  /** Address of report.html, or, with a fragment, of a place where it is found. Not escaped here. */
  readonly reportUrl?: string;
  /** Files, as `file:line`, that hold a line of a prompt. */
  readonly placesOf?: PlacesOf;
  /** Whether the change that is looked at leaves such a place as it is. */
  readonly isUntouched?: (place: string) => boolean;
  /** What becomes of pins in the change that is looked at: `2 recorded again, 1 removed`. */
  readonly pins?: string;
  /** Why this run could not tell anything, if its surroundings say so. */
  readonly aside?: string;
  /** The result is escaped. */
  readonly say?: Say;
}

/** The address of a pin; undefined if there is none. */
export type Link = (pin: string) => string | undefined;
/** Adapts a sentence that says what to do to the place where it is read. */
export type Say = (sentence: string) => string;

/** Names in the table should fit a phone; the story has the whole name. */
const MAX_CELL_CHARS = 40;
/** Prose in the table; its lines wrap. */
const MAX_CELL_PROSE_CHARS = 90;
/** Further names of one kind of change are counted. */
const MAX_NAMES = 20;
/** Lines of all evidence of a problem, of one piece of it, and characters of a line: what an agent prints fills no comment. */
const MAX_EVIDENCE = 20;
const MAX_FACT_LINES = 3;
const MAX_FACT_CHARS = 300;

/** A phone has no room for a longer word beside the other columns. */
const LONG_WORD = /[^\s<>]{17,}/g;
const foldable = (word: string) => word.replace(/[_.,-](?=\w)/g, '$&<wbr>');

export const nowhere: Link = () => undefined;
export const same: Say = (sentence) => sentence;

/** Its name, linked to its pin if there is an address. */
export function linkedName(session: SessionResult, linkTo: Link): string {
  const name = forMarkdownCell(cut(tellingName(session), MAX_CELL_CHARS));
  const url = linkTo(session.pin);
  return url === undefined ? name : `[${name}](${url})`;
}

/** A text that leads to the session in the report, or to the place where the report is found. */
export function linkInto(reportUrl: string, { id }: SessionResult, text: string): string {
  // A bracket would end the link.
  const name = encodeURIComponent(id.toWellFormed()).replaceAll('(', '%28').replaceAll(')', '%29');
  return `[${text}](${reportUrl}${reportUrl.includes('#') ? '' : `#session=${name}`})`;
}

export function namesOf(sessions: readonly SessionResult[], linkTo: Link = nowhere): string {
  return firstOf(sessions, MAX_NAMES, (session) => linkedName(session, linkTo)).join(', ');
}

/** What was recorded, what replays do, and where; of long texts the part that differs. */
export function sidesOf(difference: Parameters<typeof toldOf>[0]): [was: string, now: string, place: string] {
  const { was, now, place } = toldOf(difference);
  const sides = [
    ...excerpts(was, now, MAX_CELL_CHARS).map(forMarkdownCell),
    forMarkdownProse(cut(place, MAX_CELL_CHARS)),
  ];
  return sides.map((side = '') => side.replace(LONG_WORD, foldable)) as [string, string, string];
}

/** As many whole words as fit. */
export function shortProse(text: string): string {
  if (text.length <= MAX_CELL_PROSE_CHARS) return text;
  const cut = text.slice(0, MAX_CELL_PROSE_CHARS).toWellFormed();
  const end = cut.lastIndexOf(' ');
  return `${(end > 0 ? cut.slice(0, end) : cut).replace(/[,;:]$/, '')} …`;
}

/** An edited line of the model's input. */
export type EditedLine = NonNullable<Cause['line']>;

export function lineDiff(line: EditedLine): string {
  return forMarkdownBlock(diffLines(line).join('\n'), 'diff');
}

/** @param where put before the message */
export function problemBlock(problem: Problem, say: Say, where = ''): string {
  const said = forMarkdownProse(`${brief(say(problem.message))} (${problem.code})`);
  return [`${where}${said}`, ...factsOf(problem, say)].join('\n\n');
}

/** The place of a problem and the beginning of all its evidence, as a block, and what to do. */
export function factsOf({ message, evidence, location, hint }: Problem, say: Say): string[] {
  const linesOf = (fact: string) => fact.split(/\r\n?|\n/, MAX_FACT_LINES).map((line) => cut(line, MAX_FACT_CHARS));
  const told = evidence.filter((fact) => fact !== message && fact !== hint).flatMap(linesOf);
  const facts = [...(location === undefined ? [] : [brief(`at ${placeOf(location)}`)]), ...told.slice(-MAX_EVIDENCE)];
  return [
    ...(facts.length > 0 ? [forMarkdownBlock(facts.join('\n'))] : []),
    ...(hint === undefined || hint === message ? [] : [toDo(hint, say)]),
  ];
}

export function toDo(hint: string, say: Say): string {
  return `**Do this:** ${forMarkdownProse(brief(say(hint)))}`;
}
