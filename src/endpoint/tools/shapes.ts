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

/** `execute(input, options)` of the AI SDK; the options tell the id of the call. */
const aiSdk: Shape = {
  method: 'execute',
  asked: ([input, options]) => ({ arguments: input, callId: callIdOf(options) }),
};

/** The shape of a tool that is no plain function; undefined when it is not known. */
export function shapeOf(tool: unknown): Shape | undefined {
  if (!isFields(tool)) return undefined;
  if (typeof tool.execute === 'function') return aiSdk;
  return undefined;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** The id under which a model asked for a call, in what a framework tells a tool beside its arguments. */
function callIdOf(told: unknown): string | undefined {
  const ids = isFields(told) ? CALL_ID_NAMES.map((name) => told[name]) : [];
  return ids.find((id) => typeof id === 'string');
}
