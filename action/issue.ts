import { createHash } from 'node:crypto';
import { forMarkdownCell, isAsRecorded, type Report, renderMarkdown, type SessionResult } from '../src/rims.ts';
import type { Shown } from './comment.ts';
import { connect, isWorthAnotherLook, reasonOf, statusOf } from './github.ts';
import { Issues, type Mark, type OwnIssue, renderMark, withMark } from './own-issues.ts';

const MAX_CHARS = 60_000;
/** Room for what stands above the report. */
const FRAME_CHARS = 1_000;
const BUDGET_MS = 60_000;
/** How often the issues are listed again. */
const MAX_LOOKS = 3;

export interface IssueOptions {
  readonly repository: string;
  readonly token: string;
  /** The agent and sessions of the report. Jobs with the same subject on one branch keep the same issues. */
  readonly subject: string;
  readonly branch: string;
  /** Address of this run. */
  readonly runUrl: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/**
 * Keeps one issue for each divergence that fails the run, by its fingerprint: session, turn, step and kind.
 *
 * - A new divergence opens an issue, but a run opens at most one, for the worst divergence: one cause usually explains
 *   the others. Those that the next run still shows get their own.
 * - Each run updates an open issue in place, even if its title or labels were changed.
 * - When its session is reproduced, the issue is closed with a comment. A doubt changes nothing.
 * - An issue that a person closed stays closed until its session was reproduced. A relapse after that opens it again.
 * - Of two issues for one divergence the older stays, and the newer is closed as its duplicate.
 * - A locked issue, or one that we may not edit, does not stop the work on the others.
 *
 * @returns the address of the issue of the worst divergence, and what failed
 */
export async function keepIssues(report: Report, options: IssueOptions): Promise<Shown> {
  const { repository, token, env, signal } = options;
  const within = AbortSignal.any([signal, AbortSignal.timeout(BUDGET_MS)]);
  const issues = new Issues(connect({ repository, token, env, signal: within }));
  const keeper = new Keeper(report, issues, options);
  const told = (error: unknown, which = 'The issues are') =>
    signal.aborted ? {} : { trouble: `${which} not up to date: ${reasonOf(error, 'issues: write')}` };
  let failure: unknown;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    try {
      const url = await keeper.keep();
      const [first] = keeper.failures.values();
      const which = namesOf([...keeper.failures.keys()]);
      return { ...(url !== undefined && { url }), ...(first !== undefined && told(first, which)) };
    } catch (error) {
      // The next list shows whether it was done.
      if (!isWorthAnotherLook(error)) return told(error);
      failure = error;
    }
  }
  return told(failure);
}

/** `Issue 10 is`, `Issues 10 and 12 are`. */
function namesOf(numbers: readonly number[]): string {
  return numbers.length === 1 ? `Issue ${numbers[0]} is` : `Issues ${numbers.join(' and ')} are`;
}

/** A divergence that fails the run. */
interface Diverging {
  readonly fingerprint: string;
  readonly session: SessionResult;
  /** In our own words: no text of a model may stand in a title. */
  readonly title: string;
}

class Keeper {
  /** Why an issue could not be kept, by its number. */
  readonly failures = new Map<number, unknown>();
  readonly #report: Report;
  readonly #issues: Issues;
  readonly #branch: string;
  readonly #subject: string;
  readonly #runUrl: string;

  constructor(report: Report, issues: Issues, { subject, branch, runUrl }: IssueOptions) {
    this.#report = report;
    this.#issues = issues;
    this.#branch = branch;
    this.#subject = JSON.stringify([subject, branch]);
    this.#runUrl = runUrl;
  }

  async keep(): Promise<string | undefined> {
    const known = await this.#withoutDuplicates();
    const diverging = divergingIn(this.#report, this.#subject);
    await this.#closeRecovered([...known.values()]);
    for (const { fingerprint, session } of diverging) {
      const issue = known.get(fingerprint);
      if (issue !== undefined) await this.#each(issue.number, () => this.#update(issue, session));
    }
    const fresh = diverging.filter(({ fingerprint }) => !known.has(fingerprint));
    const [worst, ...waiting] = fresh;
    const first = diverging[0] && known.get(diverging[0].fingerprint);
    if (worst === undefined) return first?.html_url;
    await this.#open(worst, waiting.length);
    // Another job may have opened one at the same time.
    const opened = (await this.#withoutDuplicates()).get(worst.fingerprint);
    return (first ?? opened)?.html_url;
  }

  /**
   * Works on one issue. If GitHub refuses that, only this issue is concerned, and it is not tried again in this run.
   */
  async #each(number: number, work: () => Promise<void>): Promise<void> {
    if (this.failures.has(number)) return;
    try {
      await work();
    } catch (error) {
      if (isWorthAnotherLook(error) && statusOf(error) !== 404) throw error;
      this.failures.set(number, error);
    }
  }

  /** Returns the oldest issue of each fingerprint, and closes newer open ones. */
  async #withoutDuplicates(): Promise<Map<string, OwnIssue>> {
    const known = new Map<string, OwnIssue>();
    for (const issue of await this.#issues.own()) {
      const kept = known.get(issue.mark.fingerprint);
      if (kept === undefined) known.set(issue.mark.fingerprint, issue);
      else if (issue.state === 'open') {
        await this.#each(issue.number, async () => {
          await this.#issues.edit(issue.number, { state: 'closed', state_reason: 'not_planned' });
          await this.#issues.comment(issue.number, `The same divergence as #${kept.number}.`);
        });
      }
    }
    return known;
  }

  async #closeRecovered(known: readonly OwnIssue[]): Promise<void> {
    const sound = this.#report.results.sessions.filter(
      ({ verdict, level }) => isAsRecorded(verdict) && level !== 'error',
    );
    const marks = new Set(sound.map(({ id }) => sessionMark(id, this.#subject)));
    for (const { number, mark, state, body } of known) {
      if (mark.recovered || !marks.has(mark.session)) continue;
      const closed = state === 'open' ? { state: 'closed', state_reason: 'completed' } : {};
      await this.#each(number, async () => {
        await this.#issues.edit(number, { body: withMark(body, { ...mark, recovered: true }), ...closed });
        if (state === 'open') await this.#issues.comment(number, `Reproduced again, see [this run](${this.#runUrl}).`);
      });
    }
  }

  async #update({ number, mark, state }: OwnIssue, session: SessionResult): Promise<void> {
    // A person closed it, and so knows of the divergence. It is no news until the session has recovered.
    if (state === 'closed' && !mark.recovered) return;
    const body = this.#bodyOf({ ...mark, recovered: false }, session);
    if (state === 'open') return this.#issues.edit(number, { body });
    await this.#issues.edit(number, { body, state: 'open', state_reason: 'reopened' });
    await this.#issues.comment(number, `It diverges again, see [this run](${this.#runUrl}).`);
  }

  async #open({ fingerprint, session, title }: Diverging, waiting: number): Promise<void> {
    const since = this.#report.evidence.startedAt;
    const mark = { fingerprint, session: sessionMark(session.id, this.#subject), since, recovered: false };
    const more = `${waiting} more ${waiting === 1 ? 'divergence is' : 'divergences are'} new in this run. Each one that the next run shows again gets its own issue.`;
    await this.#issues.create(title, this.#bodyOf(mark, session) + (waiting > 0 ? `\n${more}\n` : ''));
  }

  #bodyOf(mark: Mark, session: SessionResult): string {
    const { results, evidence } = this.#report;
    const alone = {
      evidence,
      version: this.#report.version,
      results: { ...results, sessions: [session], problems: [] },
    };
    const where = `On branch ${forMarkdownCell(this.#branch)}${session.agentId === undefined ? '' : `, agent ${forMarkdownCell(session.agentId)}`}`;
    const seen = `${where}, since ${mark.since.slice(0, 10)}, last seen in [this run](${this.#runUrl}). This issue is closed when the session is reproduced again.`;
    return `${renderMark(mark)}\n${seen}\n\n${renderMarkdown(alone, { maxChars: MAX_CHARS - FRAME_CHARS })}`;
  }
}

/** The divergences that fail the run, worst sessions first; of each turn only the first divergence. */
function divergingIn({ results }: Report, subject: string): Diverging[] {
  const severest = ['changed', 'unsettled', 'flaky'];
  const found = results.sessions.flatMap((session) =>
    session.turns.flatMap(({ turn, level, comparison: { verdict, divergence } }) => {
      if (level !== 'error' || verdict === 'inconclusive' || divergence === null) return [];
      const { kind, recordedStep, replayedStep } = divergence;
      const step = recordedStep ?? replayedStep;
      const name = session.pin.replace(/^.*[/\\]/, '').replace(/\.session\.json$/, '');
      const title = `The agent diverges: ${name.replace(/[^\w.-]/g, '-').slice(0, 60)}, turn ${turn}, step ${step}: ${kind}`;
      return [{ fingerprint: hashOf([subject, session.id, turn, step, kind]), session, title, verdict }];
    }),
  );
  return found.sort((a, b) => severest.indexOf(a.verdict) - severest.indexOf(b.verdict));
}

function sessionMark(id: string, subject: string): string {
  return hashOf([subject, id]);
}

function hashOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
