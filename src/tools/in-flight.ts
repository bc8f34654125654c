import { AgentReplayError } from '../errors.ts';
import type { ReplayedTools } from './replayed.ts';

/**
 * The replays in flight, by run id. If callers serve several replays and do not say which one a call belongs to, replays
 * run one after another, so there is no doubt. Recordings are no evidence, because the agent may have made another
 * session's call.
 */
export class InFlight {
  readonly #replays = new Map<string, ReplayedTools>();
  readonly #waiting: (() => void)[] = [];
  #callersTell: 'always' | 'unknown' | 'not always' = 'always';

  /** Resolves when the replay may be sent. */
  async add(runId: string, tools: ReplayedTools): Promise<void> {
    while (this.#callersTell !== 'always' && this.#replays.size > 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#replays.set(runId, tools);
  }

  get(runId: string): ReplayedTools | undefined {
    return this.#replays.get(runId);
  }

  end(runId: string): void {
    this.#replays.get(runId)?.close();
    this.#replays.delete(runId);
    for (const look of this.#waiting.splice(0)) look();
  }

  /** A caller serves several replays. Its calls will show whether they name theirs. */
  expectShared(): void {
    if (this.#callersTell === 'always') this.#callersTell = 'unknown';
  }

  /** The replay of a call from such a caller; undefined if nobody can tell. */
  ofShared(runId: string | undefined): ReplayedTools | undefined {
    if (runId !== undefined) {
      if (this.#callersTell === 'unknown') this.#callersTell = 'always';
      return this.#replays.get(runId);
    }
    this.#callersTell = 'not always';
    const [only, ...others] = this.#replays.values();
    if (others.length === 0) return only;
    for (const each of [only, ...others]) each?.giveUp(ownerUnknown(this.#replays.size));
    return undefined;
  }
}

function ownerUnknown(count: number): AgentReplayError {
  return new AgentReplayError(
    'TOOL_CALL_UNKNOWN',
    'A call came through tools-proxy without the id of a replay, while several replays were in flight.',
    {
      evidence: [`replays in flight: ${count}`],
      hint: 'Let the MCP client send the id in `_meta` (docs/tools.md), or set workers: 1.',
    },
  );
}
