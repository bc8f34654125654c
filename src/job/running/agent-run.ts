import { withOwn } from '../../config/index.ts';
import { asAgentReplayError } from '../../errors.ts';
import type { ModelRun } from '../../proxy/index.ts';
import { redactError } from '../../redaction/index.ts';
import { type Deadline, ReplayLimits } from '../../replay/index.ts';
import { baseUnavailable } from '../judging/base-gate.ts';
import { callOf, doesAsRecorded } from '../judging/finding.ts';
import { unitsOf } from '../judging/gates.ts';
import type { PlacedLedger } from '../ledger/placed-ledger.ts';
import type { Gate } from '../records/extension-points.ts';
import type { PlannedSession } from '../records/run-scope.ts';
import { type Base, explainBaseFailure, type NoBaseAgent } from './base.ts';
import type { Conductor } from './conductor.ts';
import type { JobOptions } from './job-events.ts';
import type { LiveAgent } from './live-agent.ts';
import type { OfflineModel } from './offline-model.ts';
import type { PlannedAgent } from './plan.ts';
import { replayRounds } from './rounds.ts';
import { notForwarded, type TracingEffort, tracingSum } from './tracing.ts';

export interface AgentRunMeans {
  readonly conductor: Conductor;
  readonly ledger: PlacedLedger;
  readonly deadline: Deadline;
  /** Undefined: the recordings alone judge. */
  readonly base: Base | undefined;
  readonly options: JobOptions;
  readonly gates: readonly Gate[] | undefined;
}

export function sessionIds({ sessions }: PlannedAgent): string[] {
  return sessions.map(({ pin }) => pin.session.id);
}

/** Starts one agent, and that of the base, replays its sessions, and ends both. */
export class AgentRun {
  readonly #planned: PlannedAgent;
  readonly #means: AgentRunMeans;
  readonly #conductor: Conductor;
  readonly #ledger: PlacedLedger;
  #isStopping = false;

  constructor(planned: PlannedAgent, means: AgentRunMeans) {
    this.#planned = planned;
    this.#means = means;
    this.#conductor = means.conductor;
    this.#ledger = means.ledger;
  }

  /** @throws AgentReplayError why the agent did not become ready, or why its sessions could not be replayed */
  async replay(): Promise<void> {
    const { deadline, options, gates } = this.#means;
    const signal = AbortSignal.any([deadline.signal, ...(options.signal ? [options.signal] : [])]);
    signal.throwIfAborted();
    this.#tellState('starting');
    await using agent = await this.#startAgent(signal);
    await using other = await this.#startBase(signal);
    this.#tellState('ready');
    deadline.start();
    const { sessions } = this.#planned;
    const isOffline = agent.offline !== undefined;
    if (isOffline && other !== undefined) agent.offline.base = await this.#askedAtBase(other, signal);
    try {
      await this.#conductor.replay(
        other === undefined || isOffline ? [agent] : [agent, other],
        sessions,
        this.#ledger,
        {
          signal,
          // Tests can shuffle whole passes over all sessions.
          byRound: sessions.some((session) => unitsOf(session, this.#conductor.config, gates).length > 0),
          onStopping: () => this.#tellStopping(),
        },
      );
    } finally {
      this.#tellStopping();
      this.#ledger.tell('remark', { type: 'log', lines: agent.log() });
    }
  }

  #startAgent(signal: AbortSignal): Promise<LiveAgent> {
    const { redaction } = this.#conductor;
    return this.#conductor.start(this.#planned, {
      signal,
      onAwaited: (missing) => this.#conductor.tell({ kind: 'agent-awaited', missing: missing.map(redaction.text) }),
      onCrash: (crash) => this.#ledger.fail(redactError(crash, redaction.text), []),
      onTraces: (effort) => this.#takeEffort(effort),
    });
  }

  #takeEffort(effort: TracingEffort): void {
    this.#ledger.tell('remark', { type: 'tracing', sum: tracingSum(effort) });
    const error = effort.forwarded && notForwarded(effort.forwarded);
    if (error !== undefined) this.#conductor.tell({ kind: 'not-forwarded', error });
  }

  /** Undefined if it is unavailable: then the recordings judge. */
  async #startBase(signal: AbortSignal): Promise<LiveAgent | undefined> {
    const { base } = this.#means;
    if (base === undefined) return undefined;
    const found = await base.agent(this.#planned);
    if ('reason' in found) return this.#withoutBase(found);
    this.#tellBase(`starting the agent of the base ${base.ref}`);
    const { config } = this.#conductor;
    try {
      return await this.#conductor.start(found, {
        // The first agent has the fixed address; this one gets an address of its own.
        config: { ...config, tracing: { ...config.tracing, receiver: {} } },
        signal,
        label: 'base: ',
        onCrash: (crash) => this.#tellBase(this.#conductor.redaction.text(`the base: ${explainBaseFailure(crash)}`)),
      });
    } catch (error) {
      if (signal.aborted) throw error;
      return this.#withoutBase({ reason: explainBaseFailure(asAgentReplayError(error)) });
    }
  }

  /** What the base asks its model in each replay in which it does as recorded. */
  async #askedAtBase(agent: LiveAgent, signal: AbortSignal): Promise<Map<string, ModelRun>> {
    const { config, redaction } = this.#conductor;
    const runs = new Map<string, ModelRun>();
    (agent.offline as OfflineModel).runs = runs;
    const pins = new Map(this.#planned.sessions.map(({ pin, own }) => [pin.session.id, { pin, own }]));
    const how = { settings: config, signal, limits: new ReplayLimits(config), redact: redaction.text };
    for await (const result of replayRounds([agent], this.#planned.sessions, how)) {
      const { pin, own } = pins.get(result.session) as Pick<PlannedSession, 'pin' | 'own'>;
      if (!doesAsRecorded(result, pin, redaction.text, withOwn(config, own))) runs.delete(callOf(result));
    }
    return runs;
  }

  /** @throws AgentReplayError `BASE_UNAVAILABLE` if the base is required */
  #withoutBase({ reason: text, isSame }: NoBaseAgent): undefined {
    const reason = this.#conductor.redaction.text(text);
    if (this.#conductor.config.baseRequired && !isSame) throw baseUnavailable(reason);
    const { id: agentId } = this.#planned;
    const sessions = sessionIds(this.#planned);
    if (!this.#conductor.config.offline)
      this.#ledger.tell('remark', { type: 'no-base', ...(agentId !== undefined && { agentId }), reason, sessions });
    this.#tellBase(`judged by the recordings, without the base: ${reason}`);
    return undefined;
  }

  #tellState(state: 'starting' | 'ready' | 'stopping'): void {
    this.#conductor.tell({ kind: 'agent', agent: this.#planned, state });
  }

  /** Once: when the replays are over, or given up. */
  #tellStopping(): void {
    if (!this.#isStopping) this.#tellState('stopping');
    this.#isStopping = true;
  }

  #tellBase(note: string): void {
    this.#conductor.tell({ kind: 'base', note });
  }
}
