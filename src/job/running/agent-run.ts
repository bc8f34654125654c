import { withOwn } from '../../config/index.ts';
import { asAgentReplayError } from '../../errors.ts';
import type { ModelRun } from '../../proxy/index.ts';
import { redactError } from '../../redaction/index.ts';
import { type Deadline, ReplayLimits } from '../../replay/index.ts';
import { baseUnavailable } from '../judging/base-gate.ts';
import { callOf, doesAsRecorded } from '../judging/finding.ts';
import { unitsOf } from '../judging/gates.ts';
import type { PlacedLedger } from '../ledger/placed-ledger.ts';
import type { PlannedSession } from '../records/run-scope.ts';
import { type Base, explainBaseFailure, type NoBaseAgent } from './base.ts';
import type { Conductor } from './conductor.ts';
import type { JobOptions } from './job-events.ts';
import type { LiveAgent } from './live-agent.ts';
import type { OfflineModel } from './offline-model.ts';
import type { PlannedAgent } from './plan.ts';
import { replayRounds } from './rounds.ts';
import { notForwarded, tracingSum } from './tracing.ts';

interface AgentRunMeans {
  readonly conductor: Conductor;
  readonly ledger: PlacedLedger;
  readonly deadline: Deadline;
  /** Undefined: sessions are judged by their recordings alone. */
  readonly base: Base | undefined;
  readonly options: JobOptions;
}

export function sessionIds({ sessions }: PlannedAgent): string[] {
  return sessions.map(({ pin }) => pin.session.id);
}

/**
 * Starts one agent, and that of the base, replays its sessions, and ends both.
 * @throws AgentReplayError why the agent did not become ready, or why its sessions could not be replayed
 */
export async function replayAgent(planned: PlannedAgent, means: AgentRunMeans): Promise<void> {
  const { conductor, ledger, deadline, options } = means;
  const { redaction } = conductor;
  const signal = AbortSignal.any([deadline.signal, ...(options.signal ? [options.signal] : [])]);
  signal.throwIfAborted();
  const tellState = (state: 'starting' | 'ready' | 'stopping') =>
    conductor.tell({ kind: 'agent', agent: planned, state });
  let isStopping = false;
  /** Reported once: when the replays are over, or given up. */
  const tellStopping = () => {
    if (!isStopping) tellState('stopping');
    isStopping = true;
  };
  tellState('starting');
  await using agent = await conductor.start(planned, {
    signal,
    onAwaited: (missing) => conductor.tell({ kind: 'agent-awaited', missing: redaction.text(missing) }),
    onCrash: (crash) => ledger.fail(redactError(crash, redaction.text), []),
    onTraces: (effort) => {
      ledger.tell('remark', { type: 'tracing', sum: tracingSum(effort) });
      const error = effort.forwarded && notForwarded(effort.forwarded);
      if (error !== undefined) conductor.tell({ kind: 'not-forwarded', error });
    },
  });
  await using other = await startBase(planned, means, signal);
  tellState('ready');
  deadline.start();
  const { sessions } = planned;
  const isOffline = agent.offline !== undefined;
  if (isOffline && other !== undefined) agent.offline.base = await askedAtBase(other, planned, conductor, signal);
  try {
    await conductor.replay(other === undefined || isOffline ? [agent] : [agent, other], sessions, ledger, {
      signal,
      // Tests can shuffle whole passes over all sessions.
      byRound: sessions.some((session) => unitsOf(session, conductor.config).length > 0),
      onStopping: tellStopping,
    });
  } finally {
    tellStopping();
    ledger.tell('remark', { type: 'log', lines: agent.log() });
  }
}

/** Undefined if it is unavailable: then the recordings judge. @throws AgentReplayError `BASE_UNAVAILABLE` if it is required */
async function startBase(
  planned: PlannedAgent,
  { base, conductor, ledger }: AgentRunMeans,
  signal: AbortSignal,
): Promise<LiveAgent | undefined> {
  if (base === undefined) return undefined;
  const { config, redaction } = conductor;
  const tellBase = (note: string) => conductor.tell({ kind: 'base', note });
  const withoutBase = ({ reason: text, isSame }: NoBaseAgent): undefined => {
    const reason = redaction.text(text);
    if (config.baseRequired && !isSame) throw baseUnavailable(reason);
    const { id: agentId } = planned;
    const sessions = sessionIds(planned);
    ledger.tell('remark', { type: 'no-base', ...(agentId !== undefined && { agentId }), reason, sessions });
    const unmade = planned.sessions.reduce((sum, { turns, runs }) => sum + turns.length * runs.length, 0);
    conductor.tell({ kind: 'base', note: `judged by the recordings, without the base: ${reason}`, unmade });
  };
  const found = await base.agent(planned);
  if ('reason' in found) return withoutBase(found);
  tellBase(`starting the agent of the base ${base.ref}`);
  try {
    return await conductor.start(found, {
      // The first agent has the fixed address; this one gets an address of its own.
      config: { ...config, tracing: { ...config.tracing, receiver: {} } },
      signal,
      label: 'base: ',
      onCrash: (crash) => tellBase(redaction.text(`the base: ${explainBaseFailure(crash)}`)),
    });
  } catch (error) {
    if (signal.aborted) throw error;
    return withoutBase({ reason: explainBaseFailure(asAgentReplayError(error)) });
  }
}

/** What the base asks its model in each replay in which it does as recorded. */
async function askedAtBase(
  agent: LiveAgent,
  { sessions }: PlannedAgent,
  { config, redaction }: Conductor,
  signal: AbortSignal,
): Promise<Map<string, ModelRun>> {
  const runs = new Map<string, ModelRun>();
  (agent.offline as OfflineModel).runs = runs;
  const pins = new Map(sessions.map(({ pin, own }) => [pin.session.id, { pin, own }]));
  const how = { settings: config, signal, limits: new ReplayLimits(config), redact: redaction.text };
  for await (const result of replayRounds([agent], sessions, how)) {
    const { pin, own } = pins.get(result.session) as Pick<PlannedSession, 'pin' | 'own'>;
    if (!doesAsRecorded(result, pin, redaction.text, withOwn(config, own))) runs.delete(callOf(result));
  }
  return runs;
}
