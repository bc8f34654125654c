import { CALL_ID_NAMES } from '../../chat/index.ts';

/** A call as a framework makes it. */
export interface Asked {
  readonly arguments: unknown;
  readonly callId?: string | undefined;
}

/** How a framework's tools are wrapped: where their function is, and its arguments and result. */
export interface Shape {
  /** Name of the method that does the work. */
  readonly method: string;
  /** Reads a call from the method's arguments. */
  asked(given: readonly unknown[]): Asked;
  /** A recorded result in the form that the method returns. Default: unchanged. */
  given?(result: unknown): unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** `execute(input, options)` of the AI SDK and Mastra. The options contain the call's id, Mastra's under `agent`. */
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

/** `_call(arguments, runManager, config)` of LangChain, below the method that writes the span. */
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

/** Undefined for a plain function, and if unknown. */
export function shapeOf(tool: unknown): Shape | undefined {
  if (!isFields(tool)) return undefined;
  if (typeof tool.execute === 'function') return aiSdk;
  if (typeof tool._call === 'function' && typeof tool.invoke === 'function') return langChain(tool);
  if (tool.type === 'function' && typeof tool.invoke === 'function') return openAiAgents;
  return undefined;
}

/** Mastra up to 0.x passes the arguments as `context`, beside a context of its own. */
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

/** The model's, from what a framework passes to a tool beside its arguments. */
function callIdOf(told: unknown): string | undefined {
  const ids = isFields(told) ? CALL_ID_NAMES.map((name) => told[name]) : [];
  return ids.find((id) => typeof id === 'string');
}
