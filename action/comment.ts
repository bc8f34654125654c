import { endingIn } from '../src/rims.ts';
import { type Board, type FootOf, following, joinBoards, lastOf, renderBoard, type Section, signOf } from './board.ts';
import { Comments, isSame, type OwnComment } from './comments.ts';
import { type Access, GitHub, isWorthAnotherLook, reasonOf } from './github.ts';
import { pageOf, withReport } from './pages.ts';
import { digest, isNamedAlike } from './subject.ts';

/** GitHub takes 65,536 characters. */
export const MAX_CHARS = 60_000;
/** The time for everything about the comment. Nobody should wait long for it. */
const BUDGET_MS = 45_000;
/** How often the comments are read again and corrected. */
const MAX_LOOKS = 6;

/** What a step tells on a pull request. It fits into a file, so that the post step can look at it again. */
export interface Told {
  /** `owner/name`. */
  readonly repository: string;
  readonly pull: number;
  /** Of reports that share one comment. */
  readonly group?: string;
  readonly section: Section;
}

/** The key of a board, and the id of its comment. */
export interface Place {
  readonly key: string;
  readonly id: number;
}

interface CommentOptions extends Omit<Access, 'repository'> {
  /** Where the step told it before: nothing is made anew there if a person has removed it. */
  readonly places?: readonly Place[];
}

/** The result of showing something on GitHub: its address, or one sentence on why it is not there. */
export interface Shown {
  readonly url?: string;
  readonly trouble?: string;
  /** Whether a comment that somebody had edited by hand was replaced. */
  readonly isReplaced?: boolean;
  readonly places?: readonly Place[];
  /** Whether the text may stand there. */
  readonly isSent?: boolean;
}

/**
 * Shows a section in the comment of its subject or group, and marks our other comments of an older commit: a job that
 * was renamed or removed leaves no tick. A failure to do so is data, and changes no verdict.
 */
export async function commentOn(found: Told, options: CommentOptions): Promise<Shown> {
  const section = { ...found.section, text: withReport(found.section.text, found.section.reportUrl) };
  const told = { ...found, section };
  const { places: before } = options;
  const places: Place[] = [];
  const isInPlace = (each: Section) =>
    each.subject === section.subject || (each.isEarly === true && isOfStep(each, section));
  const shown = await onPull(told, options, async (comments, footOf) => {
    const present = await comments.own();
    const urls: string[] = [];
    for (const board of before ? before.map(({ key }) => boardOf(told, key)) : boardsFor(told, present)) {
      const made = before?.find(({ key }) => key === board.key)?.id;
      const comment = await settle(comments, board, present, { footOf, made });
      if (comment === undefined) continue;
      places.push({ key: board.key, id: comment.id });
      urls.push(comment.html_url);
    }
    const others = present.filter(({ board }) => !places.some(({ key }) => key === board.key));
    await markOlder(comments, others, { at: atOf(section), isInPlace, footOf });
    await comments.removeBroken();
    return urls[0];
  });
  return { ...shown, ...(places.length > 0 && { places }) };
}

/** Marks what our comments show as of an older commit, where this run does not report itself. */
export async function markComments(
  told: Pick<Told, 'repository' | 'pull'>,
  at: Board['at'],
  options: CommentOptions,
): Promise<Shown> {
  return onPull(told, options, async (comments, footOf) => {
    await markOlder(comments, await comments.own(), { at, isInPlace: () => false, footOf });
    return undefined;
  });
}

async function onPull(
  { repository, pull }: Pick<Told, 'repository' | 'pull'>,
  { token, env, signal }: CommentOptions,
  work: (comments: Comments, footOf: FootOf) => Promise<string | undefined>,
): Promise<Shown> {
  const within = endingIn(BUDGET_MS, signal);
  const comments = new Comments(new GitHub({ repository, token, env, signal: within }), pull);
  try {
    const url = await work(comments, (section, part) => footIn(section, { repository, env, part }));
    const { isBlind, isReplaced, isSent } = comments;
    return { isSent, ...(url && { url }), ...(isBlind && { trouble: BLIND }), ...(isReplaced && { isReplaced }) };
  } catch (error) {
    const reason = reasonOf(error, 'pull-requests: write');
    const trouble = `The comment is not up to date: ${reason} See the job summary.`;
    return { ...(!signal.aborted && { trouble }), isSent: comments.isSent };
  }
}

const BLIND =
  'The edit history of the comment cannot be read, so a report that another job wrote at the same moment may be missing until the post step of that job has looked again.';

function boardOf({ group, section }: Told, key = group === undefined ? section.subject : digest(group)): Board {
  const own = group === undefined ? { ...section, subject: key } : section;
  return { key, group, at: atOf(section), sections: [own] };
}

function atOf(section: Section): Board['at'] {
  const { id, number, sha } = lastOf(section);
  return { id, number, sha };
}

/**
 * A failure from before the step knew its agents goes to all boards that this step has written in an earlier run,
 * unless it has one under the name alone.
 */
function boardsFor(told: Told, present: readonly OwnComment[]): Board[] {
  const { group, section } = told;
  const own = boardOf(told);
  if (!section.isEarly || group !== undefined || present.some(({ board }) => board.key === own.key)) return [own];
  const others = present.filter(
    ({ board }) => board.group === undefined && board.sections.some((each) => isOfStep(each, section)),
  );
  const keys = [...new Set(others.map(({ board }) => board.key))];
  return keys.length === 0 ? [own] : keys.map((key) => boardOf(told, key));
}

/** Whether the same step wrote it, under the same name, in an earlier run. */
function isOfStep(other: Section, own: Section): boolean {
  const isSame = (['workflow', 'job', 'step'] as const).every((key) => other[key] === own[key]);
  return isSame && isNamedAlike(other.subject, own.subject) && lastOf(other).id < lastOf(own).id;
}

/**
 * Says in comments of an older commit that they are, or removes them if this one stands in their place: a subject that
 * came into a group or left it, and a failure of this step from before it knew its agents.
 */
async function markOlder(
  comments: Comments,
  present: readonly OwnComment[],
  { at, isInPlace, footOf }: { at: Board['at']; isInPlace: (section: Section) => boolean; footOf: FootOf },
): Promise<void> {
  for (const { board, id } of present) {
    if (board.at.id >= at.id || board.at.sha === at.sha) continue;
    if (board.sections.every(isInPlace)) await comments.remove(id);
    else await settle(comments, { ...board, at }, present, { footOf, made: id });
  }
}

/**
 * Leaves one comment of a board, the oldest, with the text that follows from all of them. Looks again after each
 * change: other jobs do the same, a failed call may have had an effect, and a list may be out of date.
 * @param present what was listed just now
 * @param before the comment that was made before; if it is gone, none is made
 */
async function settle(
  comments: Comments,
  own: Board,
  present: readonly OwnComment[],
  { footOf, made: before }: { footOf: FootOf; made?: number },
): Promise<OwnComment | undefined> {
  let made = before;
  let failure: unknown;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    try {
      const isListed = looks === 0 && (made === undefined || present.some(({ id }) => id === made));
      const listed = isListed ? present : await comments.own(made);
      const [oldest, ...extras] = listed.filter(({ board }) => board.key === own.key);
      if (oldest === undefined) {
        if (before !== undefined) return undefined;
        made = (await comments.create(textOf(own, [], footOf))).id;
        continue;
      }
      await write(comments, oldest, (boards) => textOf(own, [...extras.map(({ board }) => board), ...boards], footOf));
      for (const { id } of extras) await comments.remove(id);
      return oldest;
    } catch (error) {
      if (!isWorthAnotherLook(error)) throw error;
      failure = error;
    }
  }
  throw failure ?? new Error('The comments change faster than they can be read.');
}

/**
 * The text of a board, computed from all boards of its key that were ever seen. It depends on these alone, not on who
 * asks, when or how often. So jobs that write at the same time arrive at the same text, and none loses the latest run of
 * another.
 */
function textOf(own: Board, seen: readonly Board[], footOf: FootOf): string {
  const before = seen.flatMap(({ sections }) => sections);
  const sections = own.sections.map((section) => following(before, section));
  return renderBoard(joinBoards([{ ...own, sections }, ...seen]), footOf, MAX_CHARS);
}

/**
 * Writes a text, and writes again if somebody else wrote in between. GitHub lets the last write win, but keeps the edit
 * history. So the last writer has seen the texts of all others.
 */
async function write(
  comments: Comments,
  { id, node_id, body, board }: OwnComment,
  textAfter: (boards: readonly Board[]) => string,
): Promise<void> {
  let seen = [board];
  let text = body;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const wanted = textAfter(seen);
    const isNew = !isSame(wanted, text);
    if (!isNew && looks > 0) return;
    if (isNew) await comments.update(id, wanted);
    text = wanted;
    seen = [board, ...(await comments.boardsOf({ id, node_id, body: text }, isNew))];
  }
  throw new Error('The comment changes faster than it can be written.');
}

/** The foot of a section: commit, run and report, and the last runs in one line. */
function footIn(
  section: Section,
  { repository, env, part }: { repository: string; env?: NodeJS.ProcessEnv | undefined; part: 'run' | undefined },
): string {
  const { runs, headSha, reportUrl } = section;
  const link = (text: string | number, place: string) => `[${text}](${pageOf(repository, place, env)})`;
  const { number, attempt, id, sha } = lastOf(section);
  const again = attempt > 1 ? `, ${link(`attempt ${attempt}`, `actions/runs/${id}/attempts/${attempt}`)}` : '';
  const run = `${link(`run ${number}`, `actions/runs/${id}`)}${again}`;
  if (part === 'run') return run;
  const strip = runs.map((each) => `${link(each.number, `actions/runs/${each.id}`)}&nbsp;${signOf(each.status)}`);
  const last = runs.length === 1 ? '' : `<br>Last runs: ${strip.join(' · ')}`;
  return `<sub>Commit ${link(sha, `commit/${headSha}`)}, ${run}, [report](${reportUrl})${last}</sub>`;
}
