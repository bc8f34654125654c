import { CALL_ID_NAMES } from '../../chat/index.ts';

/** A call as a framework makes it. */
export interface Asked {
  readonly arguments: unknown;
  readonly callId?: string | undefined;
}

/** How the tools of a framework are wrapped: where their function is, and what it is given and gives back. */
export interface Shape {
  /** Name of the method that does the work. */
  readonly method: string;
  /** Reads a call off what the method is given. */
  asked(given: readonly unknown[]): Asked;
  /** A recorded result as the method would give it back. Default: as it is. */
  given?(result: unknown): unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** `execute(input, options)` of the AI SDK and of Mastra; the options tell the id of the call, Mastra's under `agent`. */
const aiSdk: Shape = {
  method: 'execute',
  asked: ([input, options]) => ({
    arguments: inMastra(input),
    callId: callIdOf(options) ?? (isFields(options) ? callIdOf(options.agent) : undefined),
  }),
};

/** `invoke(context, input, details)` of the OpenAI Agents SDK; the input is JSON. */
const openAiAgents: Shape = {
  method: 'invoke',
  asked: ([, input, details]) => ({
    arguments: parsed(input),
    callId: isFields(details) ? callIdOf(details.toolCall) : undefined,
  }),
};

/** `_call(arguments, runManager, config)` of LangChain, below what writes its span. */
function langChain({ responseFormat }: Fields): Shape {
  return {
    method: '_call',
    asked: ([input, , config]) => {
      const call = isFields(config) ? config.toolCall : undefined;
      return { arguments: input, callId: isFields(call) && typeof call.id === 'string' ? call.id : undefined };
    },
    given: (result) => (responseFormat === 'content_and_artifact' ? [result, undefined] : result),
  };
}

/** The shape of a tool that is no plain function; undefined when it is not known. */
export function shapeOf(tool: unknown): Shape | undefined {
  if (!isFields(tool)) return undefined;
  if (typeof tool.execute === 'function') return aiSdk;
  if (typeof tool._call === 'function' && typeof tool.invoke === 'function') return langChain(tool);
  if (tool.type === 'function' && typeof tool.invoke === 'function') return openAiAgents;
  return undefined;
}

/** Mastra up to 0.x gives a tool its arguments as `context`, beside a context of its own. */
function inMastra(input: unknown): unknown {
  return isFields(input) && 'context' in input && 'runtimeContext' in input ? input.context : input;
}

function parsed(input: unknown): unknown {
  try {
    return typeof input === 'string' ? JSON.parse(input) : input;
  } catch {
    return input;
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** The id under which a model asked for a call, in what a framework tells a tool beside its arguments. */
function callIdOf(told: unknown): string | undefined {
  const ids = isFields(told) ? CALL_ID_NAMES.map((name) => told[name]) : [];
  return ids.find((id) => typeof id === 'string');
}
