import { z } from 'zod';
import {
  endingIn,
  forMarkdownCell,
  forMarkdownProse,
  gateOf,
  jsonIn,
  type Report,
  renderMarkdown,
  STATUS_SIGNS,
} from '../src/rims.ts';
import type { Shown } from './comment.ts';
import { type Access, author, GitHub, isBy, isWorthAnotherLook, reasonOf, statusOf, writtenBody } from './github.ts';
import { pageOf } from './pages.ts';
import { digest, isNamedAlike, type Subject } from './subject.ts';
import { inAction } from './words.ts';

const LABEL = 'agent-replay';
const MAX_CHARS = 60_000;
/** Room for what stands above the report. */
const FRAME_CHARS = 6_000;
const BUDGET_MS = 60_000;
/** How often the issues are listed again. */
const MAX_LOOKS = 3;
/** How many runs an issue remembers, and a reader takes in. */
const MAX_NIGHTS = 14;

interface IssueOptions extends Required<Access> {
  readonly subject: Subject;
  readonly branch: string;
  /** This run, and digests of the file of its workflow and of the step that reports. */
  readonly run: { readonly id: number; readonly attempt: number; readonly workflow: string; readonly step: string };
}

/** Of each step the latest run counts, and of these the worst. */
const WORST = ['failed', 'error', 'passed'] as const;
type State = (typeof WORST)[number];

const digits = z.string().regex(/^[0-9a-f]{12}$/);

const night = z.object({
  /** `2026-11-23`. */
  day: z.string().regex(/^\d{4}-\d\d-\d\d$/),
  workflow: digits,
  step: digits,
  run: z.int(),
  attempt: z.int(),
  state: z.enum(WORST),
  /** How many sessions were not as recorded. */
  count: z.int(),
});
type Night = z.infer<typeof night>;

/** By this hidden first line and by its author we know that an issue is ours. */
const mark = z.object({
  subject: z.string().regex(/^[0-9a-f]{24}$/),
  branch: digits,
  /** From before a run knew its agents. */
  isEarly: z.boolean(),
  state: night.shape.state,
  /** Oldest first. */
  nights: z.array(night),
});
type Mark = z.infer<typeof mark>;

const MARK = /^<!-- agent-replay issue (\{.*\}) -->/;
const REPORT = '<!-- agent-replay report -->\n';

const issue = z.object({
  number: z.int(),
  state: z.enum(['open', 'closed']),
  body: writtenBody,
  html_url: z.string(),
  user: author,
  /** Present on pull requests, which GitHub lists as issues. */
  pull_request: z.unknown().optional(),
});
interface OwnIssue extends z.infer<typeof issue> {
  readonly mark: Mark;
}

/**
 * Keeps one issue for a subject on a branch. Each run updates its body; only a change of its state is a comment.
 *
 * - What diverges opens it at once; what could not run, only for the second time in a row.
 * - It is closed when the latest run of every step that reports to it is as recorded.
 * - An issue that a person closed stays closed until the subject was as recorded. After that it is opened again.
 * - It is found again even if its title or labels were changed. Of two, the older stays.
 *
 * @returns the address of the issue, if it is open, and what failed
 */
export async function keepIssue(report: Report, options: IssueOptions): Promise<Shown> {
  const { signal } = options;
  const github = new GitHub({ ...options, signal: endingIn(BUDGET_MS, signal) });
  let failure: unknown;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    try {
      const url = await keep(report, github, options);
      return url === undefined ? {} : { url };
    } catch (error) {
      failure = error;
      // The next list shows whether it was done.
      if (!isWorthAnotherLook(error)) break;
    }
  }
  return signal.aborted ? {} : { trouble: `The issue is not up to date: ${reasonOf(failure, 'issues: write')}` };
}

async function keep(report: Report, github: GitHub, options: IssueOptions): Promise<string | undefined> {
  const own = nightOf(report, options);
  // A report without sessions is a failure from before the run knew its agents.
  const isEarly = report.results.sessions.length === 0;
  let made: string | undefined;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const [known, ...others] = await ownIssues(github, { isEarly, own }, options);
    for (const { number } of others.filter(({ state }) => state === 'open')) {
      await edit(github, number, { state: 'closed', state_reason: 'not_planned' });
      await comment(github, number, `The same as #${known!.number}.`);
    }
    // The list may not show yet what was just opened.
    if (known === undefined && made !== undefined) return made;
    const before = known?.mark.state ?? 'passed';
    const isTold = known?.mark.nights.some((each) => isSame(each, own) && !isWorse(own, each));
    if (isTold) return known?.state === 'open' ? known.html_url : undefined;
    const nights = [...(known?.mark.nights ?? []).filter((each) => !isSame(each, own)), own].slice(-2 * MAX_NIGHTS);
    const state = stateOf(nights);
    if (before === 'passed' && (state === 'passed' || (state === 'error' && !(await isSecond(own, github, options))))) {
      return undefined;
    }
    const mark = {
      subject: isEarly && known !== undefined ? known.mark.subject : options.subject.key,
      branch: digest(options.branch),
      isEarly: isEarly && known?.mark.isEarly !== false,
      state,
      nights,
    };
    const body = bodyOf(report, { mark, known, own }, options);
    const said = `${saidOf(own, report)}, see [this run](${runUrl(own.run, options)}).`;
    if (known === undefined) {
      const title = state === 'failed' ? 'The agent does not do as recorded' : 'Could not tell what the agent does';
      const about = options.subject.title.replace(/[^\w .,-]/g, '-');
      const opened = await create(github, about === '' ? title : `${title}: ${about}`, body);
      made = opened.html_url;
      await comment(github, opened.number, said);
      continue;
    }
    // A person who closed it knows of it, until it was as recorded in between.
    const isKnown = known.state === 'closed' && before !== 'passed';
    const moved =
      state === 'passed'
        ? { state: 'closed', state_reason: 'completed' }
        : { state: 'open', state_reason: known.state === 'open' ? undefined : 'reopened' };
    await edit(github, known.number, { body, ...(isKnown ? {} : moved) });
    if (state !== before && !isKnown) await comment(github, known.number, said);
  }
  throw new Error('The issue changes faster than it can be written.');
}

function nightOf(report: Report, { run: { id, ...run } }: IssueOptions): Night {
  const { status } = gateOf(report);
  const { sessions } = report.results;
  return {
    day: new Date(report.evidence.startedAt).toISOString().slice(0, 10),
    ...run,
    run: id,
    state: status === 'interrupted' ? 'error' : status,
    count: sessions.filter(({ level }) => level === 'error').length,
  };
}

/** Whether both are of one step in one run: then the worst counts, unless it was run again. */
function isSame(one: Night, other: Night): boolean {
  return (['workflow', 'step', 'run'] as const).every((key) => one[key] === other[key]);
}

function isWorse(one: Night, other: Night): boolean {
  return one.attempt > other.attempt || WORST.indexOf(one.state) < WORST.indexOf(other.state);
}

/** The worst of what was reported last, in the last two weeks. */
function stateOf(nights: readonly Night[]): State {
  const days = nights.map(({ day }) => Date.parse(day));
  const recent = nights.filter((_, at) => Math.max(...days) - days[at]! <= MAX_NIGHTS * DAY_MS);
  const latest = [...Map.groupBy(recent, ({ workflow }) => workflow).values()].flatMap(statesOf);
  return WORST.find((state) => latest.includes(state)) ?? 'passed';
}

const DAY_MS = 86_400_000;

/**
 * What each step of a workflow has reported last, in its last two runs: until a second job has reported, its result of the
 * night before stands, and what was renamed or removed is forgotten a night later.
 */
function statesOf(nights: readonly Night[]): State[] {
  const [, before = 0] = [...new Set(nights.map(({ run }) => run))].sort((a, b) => b - a);
  const last = Map.groupBy(
    nights.filter(({ run }) => run >= before),
    ({ step }) => step,
  );
  return [...last.values()].map((each) => each.at(-1)!.state);
}

const runs = z.object({ workflow_runs: z.array(z.object({ id: z.int(), conclusion: z.string().nullable() })) });

/**
 * Whether the run before this one of the same workflow failed, too. As no issue is open, it did not diverge, so it could
 * not run either. If GitHub does not say, it counts: silence would be worse.
 */
async function isSecond({ run }: Night, github: GitHub, { branch, env }: IssueOptions): Promise<boolean> {
  const [file = ''] = (env.GITHUB_WORKFLOW_REF ?? '').split('@');
  const route = 'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs';
  const which = { workflow_id: file.split('/').at(-1), branch, status: 'completed', per_page: 5 };
  try {
    const { workflow_runs: before } = runs.parse(await github.request(route, which));
    return before.find(({ id }) => id < run)?.conclusion === 'failure';
  } catch {
    return true;
  }
}

/** The story of the last nights, then the report of the worst. */
function bodyOf(
  report: Report,
  { mark, known, own }: { mark: Mark; known: OwnIssue | undefined; own: Night },
  options: IssueOptions,
): string {
  const { subject, branch } = options;
  const about = subject.title === '' ? '' : `, ${forMarkdownCell(subject.title)}`;
  const nights = mark.nights
    .slice(-MAX_NIGHTS)
    .map(
      ({ day, state, count, run }) =>
        `[${STATUS_SIGNS[state]} ${day}](${runUrl(run, options)})${count > 0 ? ` ${count}` : ''}`,
    );
  const isAlike = (one: Night, other: Night) =>
    one.workflow !== other.workflow || (one.run === other.run && one !== other);
  const several = mark.nights.some((each) => mark.nights.some((other) => isAlike(each, other)));
  const lines = [
    `On branch ${forMarkdownCell(branch)}${about}. Each run updates this text; it is closed when all is as recorded.`,
    `Last runs, with the sessions that failed: ${nights.join(' · ')}`,
    ...(several ? ['Several jobs report here under one name: give each an input `name`.'] : []),
  ];
  const before = known?.body.split(REPORT)[1];
  const isWorst = own.state === mark.state || before === undefined;
  const text = isWorst ? renderMarkdown(report, { maxChars: MAX_CHARS - FRAME_CHARS, say: inAction }) : before;
  const hidden = JSON.stringify(mark satisfies Mark);
  return `<!-- agent-replay issue ${hidden} -->\n${lines.join('\n\n')}\n\n${REPORT}${text}`;
}

function saidOf({ day, state }: Night, report: Report): string {
  const { title, problems } = report.results;
  const why = problems[0] === undefined ? '' : `: ${problems[0].message}`;
  const said = state === 'passed' ? 'all sessions as recorded again' : `${title}${why}`;
  return `${STATUS_SIGNS[state]} ${day}: ${forMarkdownProse(inAction(said)).replace(/\.$/, '')}`;
}

function runUrl(run: number, { repository, env }: IssueOptions): string {
  return pageOf(repository, `actions/runs/${run}`, env);
}

/**
 * Lists the issues of the subject, oldest first. A failure from before its run knew the agents belongs to what the same
 * workflow reports under the same name. Looks only among issues that changed lately, as ours do as long as they matter.
 */
async function ownIssues(
  github: GitHub,
  { isEarly: isOwnEarly, own }: { readonly isEarly: boolean; readonly own: Night },
  { subject, branch }: IssueOptions,
): Promise<OwnIssue[]> {
  const login = await github.login();
  const which = { creator: login, state: 'all', sort: 'updated', direction: 'desc' };
  const all = await github.list('GET /repos/{owner}/{repo}/issues', which, issue);
  const found = all
    .filter(({ user, pull_request }) => pull_request === undefined && isBy(login, user))
    .flatMap((each) => {
      const { data } = mark.safeParse(jsonIn(MARK.exec(each.body)?.[1] ?? ''));
      return data === undefined || data.branch !== digest(branch) ? [] : [{ ...each, mark: data }];
    })
    .sort((a, b) => a.number - b.number);
  const exact = found.filter(({ mark }) => mark.subject === subject.key);
  const alike = found.filter(
    ({ mark: { subject: other, isEarly, nights } }) =>
      (isOwnEarly || isEarly) &&
      isNamedAlike(other, subject.key) &&
      nights.some(({ workflow }) => workflow === own.workflow),
  );
  return exact.length > 0 ? exact : alike.slice(0, 1);
}

async function create(github: GitHub, title: string, body: string): Promise<z.infer<typeof issue>> {
  const route = 'POST /repos/{owner}/{repo}/issues';
  const made = await github.request(route, { title, body, labels: [LABEL] }).catch((error) => {
    // The token may not create the label.
    if (statusOf(error) !== 422) throw error;
    return github.request(route, { title, body });
  });
  return issue.parse(made);
}

async function edit(github: GitHub, number: number, changes: object): Promise<void> {
  await github.request('PATCH /repos/{owner}/{repo}/issues/{issue_number}', { issue_number: number, ...changes });
}

async function comment(github: GitHub, number: number, body: string): Promise<void> {
  const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
  await github.request(route, { issue_number: number, body });
}
