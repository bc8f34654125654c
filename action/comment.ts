import { gateOf, type Report, renderMarkdown, STATUS_SIGNS } from '../src/rims.ts';
import { Comments, type OwnComment, reportsOn } from './comments.ts';
import type { PullRequest } from './event.ts';
import { connect, isWorthAnotherLook, reasonOf } from './github.ts';
import { after, asSectionText, renderGroup, type Section, sectionsIn } from './group.ts';
import type { Identity, Leg } from './identity.ts';
import { isNewer, laterOf, parseStamp, type Run, type Runs, renderStamp, type Stamp, withRun } from './stamp.ts';
import { inAction } from './words.ts';

/** GitHub takes 65,536 characters. */
const MAX_CHARS = 60_000;
/** Room for what surrounds the report: the stamp above, and the last runs with their addresses below. */
const FRAME_CHARS = 2_500;
/** The most characters of one report in the comment of a group, so that three of them fit whole. */
const SECTION_CHARS = 17_000;
/** The time for everything about the comment. The verdict is known already, so nobody should wait long for it. */
const BUDGET_MS = 45_000;
/** How often the comments are read again and corrected. */
const MAX_LOOKS = 6;

export interface CommentOptions {
  readonly token: string;
  /** The step that the comment, or its section, belongs to: 12 or 24 hexadecimal digits. */
  readonly key: string;
  /** The leg of a group, if several reports share the comment. */
  readonly group?: Leg | undefined;
  /** The run that made the report. */
  readonly run: Run;
  /** The seal of the report's files. */
  readonly seal?: string | undefined;
  readonly baseline: Report | undefined;
  readonly identity: Identity;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Called when a new comment was made. */
  readonly onMade?: ((made: MadeComment) => void) | undefined;
}

/** A comment that a step made, as the main step describes it to its post step. */
export interface MadeComment {
  /** `owner/name`. */
  readonly repository: string;
  /** Number of the pull request. */
  readonly pull: number;
  /** The key of the step, or of the group. */
  readonly key: string;
  readonly id: number;
  /** Name of the group. */
  readonly group?: string | undefined;
}

/** The result of showing something on GitHub: its address, or one sentence on why it is not there. */
export interface Shown {
  readonly url?: string;
  readonly trouble?: string;
}

/**
 * Computes the text of a comment from all texts that it ever had. The result depends on these texts alone, not on who
 * asks, when or how often. So jobs that write at the same time arrive at the same text, and none loses the latest run
 * of another.
 */
interface Wanted {
  /** The key of the comment. */
  readonly key: string;
  readonly textAfter: (texts: readonly string[]) => string;
}

/**
 * Shows a report in the one comment that a job, or a group of jobs, has on a pull request. A failure to do so is data:
 * it changes no verdict.
 */
export async function commentOn(pull: PullRequest, report: Report, options: CommentOptions): Promise<Shown> {
  const { token, env, signal, group, onMade } = options;
  const { repository, number } = pull;
  const { key, textAfter } = wantedOf(pull, report, options);
  const within = AbortSignal.any([signal, AbortSignal.timeout(BUDGET_MS)]);
  const noteMade = ({ id }: OwnComment) => onMade?.({ repository, pull: number, key, id, group: group?.title });
  try {
    const github = connect({ repository, token, env, signal: within });
    return { url: await settle(new Comments(github, number, key), textAfter, { noteMade }) };
  } catch (error) {
    const reason = reasonOf(error, 'pull-requests: write');
    return signal.aborted ? {} : { trouble: `No comment was written: ${reason} See the job summary.` };
  }
}

/**
 * Checks again whether a comment that a step made is the only one of its key, because two jobs that made one at the
 * same time may not have seen each other's. Keeps the content of all of them.
 */
export async function lookAgain(
  { repository, pull, key, id, group }: MadeComment,
  { token, env, signal }: Pick<CommentOptions, 'token' | 'env' | 'signal'>,
): Promise<void> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(BUDGET_MS)]);
  const comments = new Comments(connect({ repository, token, env, signal: within }), pull, key);
  const made = await comments.withId(id);
  // Another job has merged it into an older comment, or a person has deleted it.
  if (made === undefined) return;
  const textAfter: Wanted['textAfter'] = (texts) =>
    group === undefined
      ? (latestIn(texts)?.text ?? made.body)
      : renderGroup({ key, name: group, maxChars: MAX_CHARS }, texts.flatMap(sectionsIn), footIn(repository, env));
  await settle(comments, textAfter, { made });
}

function wantedOf(pull: PullRequest, report: Report, options: CommentOptions): Wanted {
  const { group } = options;
  return group === undefined ? alone(pull, report, options) : inGroup(pull, report, { ...options, group });
}

/** The comment of one report: the latest run, with a memory of the runs before it. */
function alone(pull: PullRequest, report: Report, { key, run, seal, baseline, identity, env }: CommentOptions): Wanted {
  const { head, linkTo, reportUrl } = identity;
  const markdown = renderMarkdown(report, {
    maxChars: MAX_CHARS - FRAME_CHARS,
    baseline,
    head,
    linkTo,
    say: inAction,
  });
  const bodyAfter = (before: Stamp | undefined) => {
    const runs = withRun(before, run);
    const foot = footOf(runs, { repository: pull.repository, headSha: pull.headSha, reportUrl }, env);
    return [renderStamp({ key, runs, seal }), markdown, foot, ''].join('\n');
  };
  const textAfter = (texts: readonly string[]) => {
    const latest = latestIn(texts);
    return latest !== undefined && isNewer(latest.stamp, run) ? latest.text : bodyAfter(latest?.stamp);
  };
  return { key, textAfter };
}

/** Finds the text of the latest run. */
function latestIn(texts: readonly string[]): { readonly text: string; readonly stamp: Stamp } | undefined {
  const told = texts.flatMap((text) => {
    const stamp = parseStamp(text);
    return stamp === undefined ? [] : [{ text, stamp }];
  });
  return told.sort((a, b) => laterOf(a.stamp.runs.at(-1)!, b.stamp.runs.at(-1)!))[0];
}

/** The comment of a group: this report's section beside those of the others. */
function inGroup(
  { repository, headSha }: PullRequest,
  report: Report,
  { key, group, run, seal, baseline, identity: { linkTo, reportUrl }, env }: CommentOptions & { readonly group: Leg },
): Wanted {
  const { key: groupKey, title: name, ...leg } = group;
  const markdown = renderMarkdown(report, { maxChars: SECTION_CHARS, baseline, linkTo, say: inAction, isPart: true });
  const own = { ...leg, key, seal, headSha, reportUrl, title: gateOf(report).title, text: asSectionText(markdown) };
  const foot = footIn(repository, env);
  return {
    key: groupKey,
    textAfter: (texts) => {
      const seen = texts.flatMap(sectionsIn);
      const all = [...seen, after(seen, own, run)];
      return renderGroup({ key: groupKey, name, maxChars: MAX_CHARS }, all, foot);
    },
  };
}

function footIn(repository: string, env: NodeJS.ProcessEnv): (section: Section) => string {
  return (section) => footOf(section.runs, { repository, ...section }, env);
}

/**
 * Leaves one comment, the oldest, with the text that follows from all of them. Reads the comments again after each
 * change, because other jobs do the same at the same time, a failed call may have had an effect, and a list may be out
 * of date.
 */
async function settle(
  comments: Comments,
  textAfter: Wanted['textAfter'],
  { made, noteMade }: { made?: OwnComment; noteMade?: (made: OwnComment) => void },
): Promise<string> {
  let failure: unknown;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const present = await comments.own(made);
    try {
      const [oldest, ...extras] = present;
      const body = textAfter(present.map((each) => each.body));
      if (oldest === undefined) {
        made = await comments.create(body);
        noteMade?.(made);
        continue;
      }
      if (oldest.body !== body) await write(comments, oldest, body, textAfter);
      for (const { id } of extras) await comments.remove(id);
      return oldest.html_url;
    } catch (error) {
      if (!isWorthAnotherLook(error)) throw error;
      failure = error;
    }
  }
  throw failure ?? new Error('The comments change faster than they can be read.');
}

/**
 * Writes a text, and writes again if somebody else wrote in between. GitHub lets the last write win, but keeps the edit
 * history. So the last writer has seen the texts of all others.
 */
async function write(
  comments: Comments,
  { id, node_id }: OwnComment,
  body: string,
  textAfter: Wanted['textAfter'],
): Promise<void> {
  let text = body;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    await comments.update(id, text);
    const wanted = textAfter([text, ...(await comments.textsOf(node_id))]);
    if (wanted === text) return;
    text = wanted;
  }
  throw new Error('The comment changes faster than it can be written.');
}

/**
 * Chooses the keys under which a step reports a failure that came before it knew what it replays. Uses its own key if
 * there is such a comment; otherwise all comments that the same step wrote in an earlier run.
 */
export async function keysOfFailure(
  { repository, number }: PullRequest,
  { key, run, token, env, signal }: Pick<CommentOptions, 'key' | 'run' | 'token' | 'env' | 'signal'>,
): Promise<readonly [string, ...string[]]> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(BUDGET_MS)]);
  const told = await reportsOn(connect({ repository, token, env, signal: within }), number).catch(() => []);
  if (told.some(({ stamp }) => stamp.key === key)) return [key];
  const others = told
    .filter(({ stamp }) => isOfStep(stamp.key, key) && stamp.runs.at(-1)!.id < run.id)
    .map(({ stamp }) => stamp.key);
  const [first = key, ...more] = new Set(others);
  return [first, ...more];
}

/** The first half of a key names the step; the second half, what the step replays. */
function isOfStep(key: string, own: string): boolean {
  return key.slice(0, 12) === own.slice(0, 12);
}

/** The foot of a comment: commit, run and report, and the last runs in one line. */
function footOf(
  runs: Runs,
  {
    repository,
    headSha,
    reportUrl,
  }: { readonly repository: string; readonly headSha: string; readonly reportUrl: string },
  { GITHUB_SERVER_URL = 'https://github.com' }: NodeJS.ProcessEnv,
): string {
  const base = `${GITHUB_SERVER_URL}/${repository}`;
  const { number, attempt, id, sha } = runs.at(-1)!;
  const again = attempt > 1 ? `, [attempt ${attempt}](${base}/actions/runs/${id}/attempts/${attempt})` : '';
  const run = `[run ${number}](${base}/actions/runs/${id})${again}`;
  const strip = runs.map((each) => `${STATUS_SIGNS[each.status]} [${each.number}](${base}/actions/runs/${each.id})`);
  const last = runs.length === 1 ? '' : `<br>Last runs: ${strip.join(' ')}`;
  return `<sub>Commit [${sha}](${base}/commit/${headSha}), ${run}, [report](${reportUrl})${last}</sub>`;
}
