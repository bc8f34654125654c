import type { AgentReplayError } from '../../errors.ts';
import type { Report } from '../../report/index.ts';
import type { BaseCommit, NoBase } from '../journal/journal-format.ts';
import { baseUnavailable } from './base-verdict.ts';
import { callOf, type Finding } from './finding.ts';
import { type RunEvidence, runEvidenceOf } from './run-evidence.ts';
import type { RunSettings } from './run-settings.ts';
import type { SessionProgress } from './session-progress.ts';

/** What the agents of the base did, and where there is none to judge by. */
export class Bases {
  readonly #settings: RunSettings;
  /** By session. */
  readonly #progress: Map<string, SessionProgress>;
  readonly #runs = new Map<string, RunEvidence>();
  readonly #without: NoBase[] = [];
  #commit: BaseCommit | undefined;

  /** @param progress by session; none where the recordings are what is judged by */
  constructor(settings: RunSettings, progress: Map<string, SessionProgress>) {
    this.#settings = settings;
    this.#progress = progress;
  }

  /** Sessions are judged against this commit. */
  against(base: BaseCommit): void {
    this.#commit = base;
  }

  /** Some sessions are not, but by their recordings. */
  lack(why: NoBase): void {
    this.#without.push(why);
  }

  get runs(): readonly RunEvidence[] {
    return [...this.#runs.values()];
  }

  /** Of a session, whether or not it is judged by it. */
  progressOf(session: string): SessionProgress | undefined {
    return this.#progress.get(session);
  }

  /** What takes the place of what was known of a session. */
  replace(session: string, progress: SessionProgress): void {
    this.#progress.set(session, progress);
  }

  note(finding: Finding): void {
    this.#runs.set(callOf(finding), runEvidenceOf(finding));
  }

  /** What the agent of the base did in a session; undefined where there is none to judge it against. */
  of(session: string): SessionProgress | undefined {
    if (this.#commit === undefined || this.#without.some(({ sessions }) => sessions.includes(session)))
      return undefined;
    const base = this.#progress.get(session);
    if (base?.isRunByRun) return undefined;
    return base !== undefined && this.#hasSpoken(base.agentId) ? base : undefined;
  }

  /** What a report tells of them, beside what came of the comparison. */
  told(ref: string): Pick<NonNullable<Report['results']['base']>, 'ref' | 'commit' | 'without'> {
    const without = [...this.#without, ...this.#silent()].map(({ agentId, reason }) => ({ agentId, reason }));
    return { ref, ...(this.#commit && { commit: this.#commit.commit }), without: distinct(without) };
  }

  /** Where a base is required: agents whose base could not be compared. */
  problems(): AgentReplayError[] {
    return this.#settings.baseRequired ? this.#silent().map(({ reason }) => baseUnavailable(reason)) : [];
  }

  /** An agent of which no replay could be compared has no endpoint yet. */
  #hasSpoken(agentId: string | undefined): boolean {
    return [...this.#progress.values()].some((base) => base.agentId === agentId && base.conclusive > 0);
  }

  #silent(): NoBase[] {
    const bases = [...this.#progress].filter(([id]) => !this.#without.some(({ sessions }) => sessions.includes(id)));
    const silent = this.#commit === undefined ? [] : bases.filter(([, { agentId }]) => !this.#hasSpoken(agentId));
    return [...Map.groupBy(silent, ([, { agentId }]) => agentId)].map(([agentId, of]) => {
      const failure = of.flatMap(([, progress]) => progress.firstFailure ?? [])[0];
      const why = failure === undefined ? '' : `: ${failure.message} (${failure.code})`;
      return { agentId, sessions: of.map(([id]) => id), reason: `none of its replays could be compared${why}` };
    });
  }
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
