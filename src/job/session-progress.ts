import {
  type CompareRules,
  certain,
  type RunOutcome,
  type StopMode,
  type StopPolicy,
  type Stopped,
  startTurnComparison,
  type TurnComparison,
  type TurnSoFar,
} from '../compare/index.ts';
import type { Recording } from '../contract/index.ts';
import type { AgentReplayError } from '../errors.ts';
import { type LaidPair, laidPairs, type RunFailure, type SessionOutcome } from '../report/index.ts';
import type { Pin, PinnedTurn } from '../session/index.ts';
import { type Finding, responseOnly } from './finding.ts';

export interface SessionRules {
  readonly compare: CompareRules;
  /** Numbers of the runs of each turn. */
  readonly runs: readonly number[];
  /** Without traces a turn has nothing but its output, on both sides. */
  readonly hasTraces: boolean;
  /** Ends a session when the rest of its runs can change nothing of this any more. */
  readonly stopEarly?: { readonly mode: StopMode; readonly policy: StopPolicy } | undefined;
}

/** A session as it is asked for: its pin, and which turns. */
export interface ScopedSession {
  readonly pin: Pick<Pin, 'path' | 'session'>;
  /** From 1. */
  readonly turns: readonly number[];
  /** Why the session, or a part of it, is not replayed. */
  readonly problems: readonly AgentReplayError[];
}

/** What some runs of a turn did alike: enough to compare with later, or to pin. */
export interface Behaviour {
  readonly session: string;
  readonly turn: number;
  readonly cluster: number;
  readonly runs: readonly number[];
  readonly recording: Recording;
}

/** A session whose replays are over. */
export interface ConcludedSession {
  readonly outcome: SessionOutcome;
  readonly behaviours: readonly Behaviour[];
}

/**
 * Collects the replays of one session: what one did goes into the comparison of its turn, and is not kept.
 *
 * A session that may be stopped early takes its runs in the order of their numbers, whatever came first, and is asked
 * after each of them: so it rests on the same runs for any number of workers. What else was in flight is left out.
 */
export class SessionProgress {
  readonly #session: ScopedSession;
  readonly #turns: ReadonlyMap<number, TurnProgress>;
  readonly #stopEarly: SessionRules['stopEarly'];
  /** By run: what came before a run of a lower number was over. */
  readonly #early = new Map<number, Finding[]>();

  constructor(session: ScopedSession, rules: SessionRules) {
    this.#session = session;
    this.#stopEarly = rules.stopEarly;
    this.#turns = new Map(session.turns.map((turn) => [turn, new TurnProgress(session.pin, turn, rules)]));
  }

  take(finding: Finding): void {
    if (this.#stopEarly === undefined) {
      this.#count([finding]);
      return;
    }
    this.#early.set(finding.run, [...(this.#early.get(finding.run) ?? []), finding]);
    for (let run = this.#nextRun; run !== undefined; run = this.#nextRun) {
      const findings = this.#early.get(run) ?? [];
      if (findings.length < this.#turns.size) return;
      this.#early.delete(run);
      this.#count(findings);
      this.#stopAfter(run, this.#stopEarly);
    }
  }

  /** Whether every replay has come that is needed. */
  get isOver(): boolean {
    return [...this.#turns.values()].every(({ pending }) => pending.size === 0);
  }

  /** Runs of which no more will come; what has come of them counts. */
  lose(runs: readonly number[], error: AgentReplayError): void {
    this.#countEarly();
    for (const turn of this.#turns.values()) for (const run of runs) turn.lose(run, error);
  }

  /** What was found out. Replays that never came failed for the reason `missing`. */
  conclude(missing: AgentReplayError): ConcludedSession {
    this.#countEarly();
    const { pin, problems } = this.#session;
    const { id, title, agentId } = pin.session;
    const turns = [...this.#turns].map(([turn, progress]) => ({ turn, ...progress.conclude(missing) }));
    return {
      outcome: { id, pin: pin.path, title, agentId, problems, turns },
      behaviours: turns.flatMap(({ turn, comparison, behaviourOf }) =>
        comparison.clusters.flatMap(({ id: cluster, runs }) => {
          const recording = runs.length > 0 ? behaviourOf(cluster) : undefined;
          return recording === undefined ? [] : { session: id, turn, cluster, runs, recording };
        }),
      ),
    };
  }

  /** Ended before its time: what has come counts, in whatever order. */
  #countEarly(): void {
    for (const findings of this.#early.values()) this.#count(findings);
    this.#early.clear();
  }

  #count(findings: readonly Finding[]): void {
    for (const finding of findings) this.#turns.get(finding.turn)?.take(finding);
  }

  /** The lowest number of a run that has not been counted. */
  get #nextRun(): number | undefined {
    const [first] = this.#turns.values();
    return first?.pending.values().next().value;
  }

  #stopAfter(run: number, { mode, policy }: NonNullable<SessionRules['stopEarly']>): void {
    if (this.isOver) return;
    const turns = [...this.#turns.values()].map((turn) => turn.soFar());
    // What is still learned of tools could move a run: nothing is certain.
    if (!turns.every((turn) => turn !== null) || certain(mode, turns, policy) === null) return;
    for (const turn of this.#turns.values()) turn.stop({ after: run, certain: mode });
  }
}

class TurnProgress {
  /** Runs that have not come yet. */
  readonly pending: Set<number>;
  readonly #turn: PinnedTurn;
  readonly #requested: number;
  readonly #number: number;
  readonly #comparison: ReturnType<typeof startTurnComparison>;
  readonly #failures: RunFailure[] = [];
  readonly #warnings: RunFailure[] = [];

  constructor(pin: ScopedSession['pin'], number: number, { compare, runs, hasTraces }: SessionRules) {
    this.#requested = runs.length;
    this.#turn = pin.session.turns[number - 1] as PinnedTurn;
    this.#number = number;
    const { recorded, baselines = [] } = this.#turn;
    const shown = (one: Recording) => (hasTraces ? one : responseOnly(one.output));
    const recordings = [shown(recorded), ...baselines.map(shown)];
    this.#comparison = startTurnComparison(recordings, compare, { requested: runs.length, ...this.#context });
    this.pending = new Set(runs);
  }

  take({ run, outcome, warnings = [] }: Finding): void {
    if (!this.pending.delete(run)) return;
    for (const error of warnings) this.#warnings.push({ run, error });
    if (outcome.kind === 'inconclusive') this.#failures.push({ run, error: outcome.error });
    else this.#comparison.add(run, outcome.recording);
  }

  /** Where its runs stand, once no further one can move them. */
  soFar(): TurnSoFar | null {
    const settled = this.#comparison.settled();
    if (settled === null) return null;
    const outcomes: RunOutcome[] = [...settled.clusters.values(), ...this.#failures.map(() => 'lost' as const)];
    return { requested: this.#requested, outcomes, recorded: settled.recorded, reworded: settled.reworded.size };
  }

  stop(stopped: Stopped): void {
    this.pending.clear();
    this.#comparison.stop(stopped);
  }

  lose(run: number, error: AgentReplayError): void {
    if (this.pending.delete(run)) this.#failures.push({ run, error });
  }

  conclude(missing: AgentReplayError): {
    comparison: TurnComparison;
    pairs: readonly LaidPair[];
    failures: readonly RunFailure[];
    warnings: readonly RunFailure[];
    behaviourOf: (cluster: number) => Recording | undefined;
  } {
    for (const run of this.pending) this.#failures.push({ run, error: missing });
    this.pending.clear();
    const comparison = this.#comparison.result();
    const behaviour = (cluster: number) => this.#comparison.behaviour(cluster)?.recording;
    const pairs = laidPairs(comparison.clusters, (cluster) => this.#comparison.rows(cluster));
    return { comparison, pairs, failures: this.#failures, warnings: this.#warnings, behaviourOf: behaviour };
  }

  get #context() {
    return { turn: this.#number, request: this.#turn.request };
  }
}
