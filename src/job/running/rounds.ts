import type { AgentReplayError } from '../../errors.ts';
import { openReplays, type ReplayMeans, type ReplayResult } from '../../replay/index.ts';
import type { PlannedSession } from '../records/run-scope.ts';
import type { LiveAgent, LiveReplayOptions, Settling } from './live-agent.ts';
import { requestsOf, type Unproved } from './live-tools.ts';

export interface RoundsOptions extends Omit<LiveReplayOptions, 'side'>, Settling {
  /** The first run of every session, then the second. Default: all runs of a session, then the next session. */
  readonly byRound?: boolean;
  /** The sessions of the next round, asked for when a round is over and its results were taken; none ends the replays. */
  readonly next?: () => Promise<readonly PlannedSession[]>;
  /** Takes sessions that may not be replayed. Default: then none is. */
  readonly onUnproved?: (unproved: Unproved) => void;
}

/**
 * Replays sessions on one agent, or side by side on two, of which the second is the base's: a first round, and as many
 * further ones as are asked for. Replays with late spans are given again at the end.
 * @throws AgentReplayError `TOOL_NOT_WRAPPED`
 */
export async function* replayRounds(
  agents: readonly [LiveAgent, ...LiveAgent[]],
  sessions: readonly PlannedSession[],
  { byRound = false, next, onStopping, isInDoubt, onUnproved, ...options }: RoundsOptions,
): AsyncGenerator<ReplayResult, void, undefined> {
  const means = agents.map((agent, index) => agent.means(sessions, { ...options, ...(index > 0 && { side: 'base' }) }));
  let proved = sessions;
  for (const [index, agent] of agents.entries()) {
    for (const unproved of await agent.prove(proved, means[index] as ReplayMeans)) {
      if (onUnproved === undefined) throw unproved.error;
      onUnproved(unproved);
      proved = proved.filter(({ pin }) => !unproved.sessions.includes(pin.session.id));
    }
  }
  await using replays = openReplays(...(means as [ReplayMeans, ...ReplayMeans[]]));
  let breach: AgentReplayError | undefined;
  for (let round = proved; round.length > 0; ) {
    for await (const result of replays.round(round.map(requestsOf), byRound && round === proved)) {
      breach ??= breachIn(result);
      yield result;
    }
    const isCut = replays.sides.some(({ signal }) => signal.aborted);
    round = isCut || next === undefined ? [] : await next();
  }
  await replays.close();
  const settled = agents.map((agent, index) => agent.settle(replays.sides[index], { onStopping, isInDoubt }));
  await Promise.all(settled);
  for await (const result of replays.revised()) {
    breach ??= breachIn(result);
    yield result;
  }
  if (breach !== undefined) throw breach;
}

/** A tool ran that must not. */
function breachIn({ outcome }: ReplayResult): AgentReplayError | undefined {
  return outcome.kind === 'unverified' && outcome.error.code === 'TOOL_NOT_WRAPPED' ? outcome.error : undefined;
}
