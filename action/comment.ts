import { gateOf, type Report, renderMarkdown, STATUS_SIGNS } from '../src/rims.ts';
import { Comments, type OwnComment, reportsOn } from './comments.ts';
import type { PullRequest } from './event.ts';
import { connect, isWorthAnotherLook, reasonOf } from './github.ts';
import { after, asSectionText, renderGroup, type Section, sectionsIn } from './group.ts';
import type { Identity, Leg } from './identity.ts';
import { isNewer, laterOf, parseStamp, type Run, type Runs, renderStamp, type Stamp, withRun } from './stamp.ts';
import { inAction } from './words.ts';

/** GitHub takes 65,536. */
const MAX_CHARS = 60_000;
/** What is above and below the report: the stamp, and the last runs with their addresses. */
const FRAME_CHARS = 2_500;
/** Of one report in the comment of a group: three have room as a whole. */
const SECTION_CHARS = 17_000;
/** For everything: the verdict is there already, and nobody should wait for its comment. */
const BUDGET_MS = 45_000;
/** Between two of them it is read again what is there. */
const MAX_LOOKS = 6;

export interface CommentOptions {
  readonly token: string;
  /** Which step the comment, or the section of one, belongs to: 12 or 24 hexadecimal digits. */
  readonly key: string;
  /** Those whose reports stand in one comment with this one. */
  readonly group?: Leg | undefined;
  /** The run that the report is of. */
  readonly run: Run;
  /** Of its files. */
  readonly seal?: string | undefined;
  readonly baseline: Report | undefined;
  readonly identity: Identity;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Told of a comment that was made anew. */
  readonly onMade?: ((made: MadeComment) => void) | undefined;
}

/** A comment that a step made, as its post step is told of it. */
export interface MadeComment {
  /** `owner/name`. */
  readonly repository: string;
  /** Number of the pull request. */
  readonly pull: number;
  /** Of the step, or of the group. */
  readonly key: string;
  readonly id: number;
  /** What the group is called. */
  readonly group?: string | undefined;
}

/** What became of something that was to be shown on GitHub: its address, or one sentence on why there is none. */
export interface Shown {
  readonly url?: string;
  readonly trouble?: string;
}

/**
 * What a comment is to say, given all texts that it ever had. Its result follows from what these tell and not from who
 * asks, when, or how often: jobs that write at the same time come to the same text, in which nothing of a latest run is lost.
 */
interface Wanted {
  /** Of the comment. */
  readonly key: string;
  readonly textAfter: (texts: readonly string[]) => string;
}

/**
 * Shows a report in the one comment that a job, or a group of them, has on a pull request. Trouble with it is data: it changes
 * no verdict.
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
 * Looks once more whether a comment that a step made is the only one of its key: a job that made another one at the same time
 * may have seen neither. What stands in any of them is kept.
 */
export async function lookAgain(
  { repository, pull, key, id, group }: MadeComment,
  { token, env, signal }: Pick<CommentOptions, 'token' | 'env' | 'signal'>,
): Promise<void> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(BUDGET_MS)]);
  const comments = new Comments(connect({ repository, token, env, signal: within }), pull, key);
  const made = await comments.withId(id);
  // Another job moved it, or somebody does not want it.
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

/** One report: that of the latest run, which remembers the runs that the comment told of before. */
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

/** The text of the latest run. */
function latestIn(texts: readonly string[]): { readonly text: string; readonly stamp: Stamp } | undefined {
  const told = texts.flatMap((text) => {
    const stamp = parseStamp(text);
    return stamp === undefined ? [] : [{ text, stamp }];
  });
  return told.sort((a, b) => laterOf(a.stamp.runs.at(-1)!, b.stamp.runs.at(-1)!))[0];
}

/** A section of the comment of a group, beside those of the others. */
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
 * Leaves one comment: the oldest one, with the text that follows from those of all. Other jobs do the same at the same time, a
 * failed call may have had an effect, and a list may lag behind, so that after each change it is looked at again what is
 * there.
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
 * Writes a text, and another one if somebody wrote in between: GitHub takes whatever comes last, but keeps what stood there.
 * So whoever writes last of all has seen the texts of all others.
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
 * Under which keys a step that failed before it knew what it is about should say so: under its own, where there is such a
 * comment; else in place of all that the same step wrote in an earlier run, whatever it was about then.
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

/** The first half of a key is the step's alone. */
function isOfStep(key: string, own: string): boolean {
  return key.slice(0, 12) === own.slice(0, 12);
}

/** Commit, run and report, and the last runs as a strip. */
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
