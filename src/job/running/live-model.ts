import type { AgentOptions } from '../../agent/index.ts';
import type { RecordedTurn } from '../../compare/index.ts';
import type { Config } from '../../config/index.ts';
import { AgentReplayError } from '../../errors.ts';
import type { JsonObject } from '../../json/index.ts';
import { type HeldCall, type ModelAddress, type ModelRun, proxyModels, type RecordedModel } from '../../proxy/index.ts';
import { redactorLike, unmasking } from '../../redaction/index.ts';
import type { ReplayCall, ToolUse } from '../../replay/index.ts';
import type { Pin } from '../../session/index.ts';
import type { ToolStandIn } from '../records/extension-points.ts';

/** What answers in place of an agent's models. */
export interface ModelStandIn {
  readonly addresses: readonly ModelAddress[];
  /** Further variables of the agent. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Before a replay is sent: how its requests are answered. */
  recorded(call: ReplayCall): RecordedModel;
  /** It is updated as requests come. */
  begun?(call: ReplayCall, run: ModelRun): void;
  /** What is known of a replay beside the use of its tools. */
  use?(run: ModelRun, tools: ToolUse | undefined, call: ReplayCall): ToolUse;
}

interface LiveModelOptions {
  readonly tools: ToolStandIn | undefined;
  readonly onDefect: (error: AgentReplayError) => void;
}

/** Stands between an agent and its models, and beside the stand-in of its tools. */
interface LiveModel extends ToolStandIn, AsyncDisposable {
  /** Variables of the agent, in place of the addresses of its models. */
  readonly environment: Readonly<Record<string, string>>;
}

export async function openLiveModel(standIn: ModelStandIn, { tools, onDefect }: LiveModelOptions): Promise<LiveModel> {
  const proxy = await proxyModels({ addresses: standIn.addresses, onDefect });
  const runs = new Map<string, readonly [ModelRun, ReplayCall]>();
  return {
    environment: { ...standIn.environment, ...proxy.environment },
    begin: async (replayRunId, call) => {
      await tools?.begin(replayRunId, call);
      const run = proxy.begin(standIn.recorded(call));
      runs.set(replayRunId, [run, call]);
      standIn.begun?.(call, run);
    },
    use: (replayRunId) => {
      const use = tools?.use(replayRunId);
      const [run, call] = runs.get(replayRunId) ?? [];
      return run === undefined || call === undefined ? use : (standIn.use?.(run, use, call) ?? use);
    },
    end: (replayRunId) => {
      runs.delete(replayRunId);
      tools?.end(replayRunId);
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

/** The model calls of a recording, as they are answered. A call that failed is asked for again, as it was. */
export function heldIn(calls: ReturnType<RecordedTurn['paths']>[number]): HeldCall[] {
  return calls.flatMap(({ answer, isFailed, differs, otherSetting }) =>
    isFailed ? [] : [{ answer, otherSetting, differs: (asked) => differs(asked, Date.now()) }],
  );
}

/** Reads requests as the pin would hold them. */
export function asPinnedIn({ session }: Pick<Pin, 'session'>, redact: (text: string) => string) {
  const asPinned = redactorLike(session.redacted, redact);
  return (asked: JsonObject) => {
    const request = asPinned(asked) as JsonObject;
    return { request, unmask: unmasking(asked, request) };
  };
}

/** The variables that clients of two providers read by themselves, and the default addresses of their models. */
const KNOWN: Readonly<Record<string, string>> = {
  OPENAI_BASE_URL: 'https://api.openai.com/v1',
  ANTHROPIC_BASE_URL: 'https://api.anthropic.com',
};

/**
 * The variables from which an agent may take the addresses of its models.
 * @throws AgentReplayError `AGENT_ELSEWHERE`
 */
export function addressVariables({ fork }: Pick<Config, 'fork'>, { command }: AgentOptions): string[] {
  if (command === undefined) {
    throw new AgentReplayError('AGENT_ELSEWHERE', 'The agent is started elsewhere, and asks its model by itself.', {
      evidence: ['agent.command: not set'],
      hint: 'Set agent.command, so that the agent can be told where its model is.',
    });
  }
  return variablesOf(fork);
}

function variablesOf({ baseUrls }: Config['fork']): string[] {
  return [...new Set([...Object.keys(KNOWN), ...baseUrls])];
}

/** @throws AgentReplayError `AGENT_ELSEWHERE`, `CONFIG_INVALID` */
export function addressesOf(config: Pick<Config, 'fork'>, agent: AgentOptions): ModelAddress[] {
  return addressVariables(config, agent).map((variable) => {
    const value = agent.env?.[variable] ?? process.env[variable] ?? KNOWN[variable];
    const upstream = value === undefined ? null : URL.parse(value);
    if (upstream !== null && /^https?:$/.test(upstream.protocol)) return { variable, upstream };
    throw new AgentReplayError('CONFIG_INVALID', `${variable} does not say where the model is.`, {
      evidence: [value === undefined ? `${variable} is not set` : 'it is not an http address'],
      hint: `Set ${variable} here or in agent.env to the model's own address, or take it out of fork.baseUrls.`,
    });
  });
}

export function modelUnseen({ fork }: Pick<Config, 'fork'>, seen: string): AgentReplayError {
  return new AgentReplayError('MODEL_UNSEEN', 'No request of the agent to its model was seen.', {
    evidence: [seen, `variables: ${variablesOf(fork).join(', ')}`],
    hint: 'Let its client take the address of the model from one of these variables, or name yours in fork.baseUrls; Gemini and Bedrock cannot be answered for.',
  });
}
