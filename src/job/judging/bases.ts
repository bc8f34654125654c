import type { AgentReplayError } from '../../errors.ts';
import { distinct, present } from '../../json/index.ts';
import type { Report } from '../../report/index.ts';
import type { BaseCommit, NoBase } from '../records/journal-format.ts';
import type { RunSettings } from '../records/run-settings.ts';
import { baseUnavailable } from './base-gate.ts';
import type { RunEvidence } from './run-evidence.ts';
import type { SessionProgress } from './session-progress.ts';

/** The results of the base's agents, and which sessions have no base. */
export class Bases {
  readonly #settings: RunSettings;
  /** By session. */
  readonly progress: Map<string, SessionProgress>;
  /** By call. */
  readonly runs = new Map<string, RunEvidence>();
  /** Their sessions are judged by the recordings. */
  readonly without: NoBase[] = [];
  commit: BaseCommit | undefined;

  /** @param progress without sessions whose settings want no base */
  constructor(settings: RunSettings, progress: Map<string, SessionProgress>) {
    this.#settings = settings;
    this.progress = progress;
  }

  absorb({ progress, runs }: Bases): void {
    for (const [session, of] of progress) this.progress.set(session, of);
    for (const [call, run] of runs) this.runs.set(call, run);
  }

  /** What the base's agent did in a session; undefined without a base to judge it against. */
  of(session: string): SessionProgress | undefined {
    if (this.commit === undefined || this.without.some(({ sessions }) => sessions.includes(session))) return undefined;
    const base = this.progress.get(session);
    return base !== undefined && this.#hasSpoken(base.agentId) ? base : undefined;
  }

  /** The report's part about bases, beside the results of the comparison. */
  inReport(ref: string): Pick<NonNullable<Report['results']['base']>, 'ref' | 'commit' | 'without'> {
    const without = [...this.without, ...this.#silent()].map(({ agentId, reason }) => ({ agentId, reason }));
    const { ref: checkedOut = ref, commit } = this.commit ?? {};
    return { ref: checkedOut, ...present({ commit }), without: distinct(without) };
  }

  /**
   * Agents whose base could not be compared, if a base is required.
   * @param isTold whether the run says already why this session was not replayed
   */
  problems(isTold: (session: string) => boolean): AgentReplayError[] {
    const silent = this.#settings.baseRequired ? this.#silent() : [];
    return silent.flatMap(({ reason, sessions }) => (sessions.every(isTold) ? [] : [baseUnavailable(reason)]));
  }

  /** An agent without a single comparable replay probably has no endpoint yet. */
  #hasSpoken(agentId: string | undefined): boolean {
    return [...this.progress.values()].some((base) => base.agentId === agentId && base.conclusive > 0);
  }

  #silent(): NoBase[] {
    const bases = [...this.progress].filter(([id]) => !this.without.some(({ sessions }) => sessions.includes(id)));
    const silent = this.commit === undefined ? [] : bases.filter(([, { agentId }]) => !this.#hasSpoken(agentId));
    return [...Map.groupBy(silent, ([, { agentId }]) => agentId)].map(([agentId, of]) => {
      const failure = of.flatMap(([, progress]) => progress.firstFailure ?? [])[0];
      const why = failure === undefined ? '' : `: ${failure.message} (${failure.code})`;
      return { agentId, sessions: of.map(([id]) => id), reason: `none of its replays could be compared${why}` };
    });
  }
}
