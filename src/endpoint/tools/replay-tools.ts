import { announce, ask, type Recordings, recordingsIn, ToolNotReplayed, tell } from '../../ask/index.ts';
import { type Identifiers, identifiers, wireNames } from '../../contract/index.ts';
import { runningReplay } from '../tracing.ts';
import { type Asked, isFields, type Shape, shapeOf } from './tool-shapes.ts';

/** A tool: an asynchronous function that takes its arguments first, or a tool of a known framework. */
export type ReplayableTool = ((...given: never[]) => PromiseLike<unknown> | AsyncIterable<unknown>) | object;

/** A framework's tool with a name of its own. */
export type NamedTool = object & { readonly name: string };

export interface ReplayToolsOptions {
  /**
   * The replay id of a call. Default: that of the turn in whose asynchronous context the tool is called, which
   * `replayEndpoint` knows.
   */
  readonly runId?: string | (() => string | undefined) | undefined;
  /** The arguments of a plain function, as its span shows them. Default: its first argument. */
  readonly arguments?: ((name: string, given: readonly unknown[]) => unknown) | undefined;
  /** The brand part of the names on the wire. */
  readonly identifiers?: Partial<Identifiers> | undefined;
}

/**
 * Lets the recording answer for tools while agent-replay replays a session with `tools` in its configuration. At any other
 * time it returns the very tools that it was given, and nothing happens.
 *
 * Takes a table of tools by name (AI SDK, Mastra), or a list of tools with names of their own (OpenAI Agents SDK, LangChain).
 * Plain functions must be asynchronous. A tool of unknown shape stays unchanged, and does not count as wrapped.
 */
export function replayTools<Tools extends Readonly<Record<string, ReplayableTool>> | readonly NamedTool[]>(
  tools: Tools,
  options: ReplayToolsOptions = {},
): Tools {
  const { keys } = wireNames(identifiers.parse(options.identifiers ?? {}));
  const recordings = recordingsIn(process.env, keys.replayRunId);
  if (recordings === undefined) return tools;
  const names: string[] = [];
  const stoodIn = (key: string, tool: unknown): unknown => {
    const name = isFields(tool) && typeof tool.name === 'string' ? tool.name : key;
    const own = wrapped(name, tool, recordings, options);
    if (own !== undefined) names.push(name);
    return own ?? tool;
  };
  const all = Array.isArray(tools)
    ? tools.map((tool) => stoodIn('', tool))
    : Object.fromEntries(Object.entries(tools).map(([key, tool]) => [key, stoodIn(key, tool)]));
  void announce(recordings, names);
  return all as Tools;
}

type Method = (this: unknown, ...given: unknown[]) => unknown;

/** @returns undefined for a tool of unknown shape, which does not count as wrapped */
function wrapped(name: string, tool: unknown, recordings: Recordings, options: ReplayToolsOptions): unknown {
  if (typeof tool === 'function') {
    const read = options.arguments;
    const asked = (given: readonly unknown[]): Asked => ({ arguments: read ? read(name, given) : given[0] });
    return standIn(name, tool as Method, { asked }, recordings, options);
  }
  const shape = shapeOf(tool);
  if (shape !== undefined && isFields(tool)) {
    const method = standIn(name, tool[shape.method] as Method, shape, recordings, options);
    // A class instance keeps its prototype and its own fields.
    const copy = Object.create(Object.getPrototypeOf(tool), Object.getOwnPropertyDescriptors(tool)) as object;
    return Object.defineProperty(copy, shape.method, {
      value: method,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return undefined;
}

/** Calls the tool if it is to run, and otherwise returns what was recorded. */
function standIn(
  name: string,
  run: Method,
  shape: Pick<Shape, 'asked' | 'given'>,
  recordings: Recordings,
  { runId }: ReplayToolsOptions,
): Method {
  /** @returns what the tool returned then; undefined if it is to run now */
  const decide = async (given: readonly unknown[]): Promise<{ result: unknown } | Running> => {
    const id = (typeof runId === 'function' ? runId() : runId) ?? runningReplay();
    const { arguments: args, callId } = shape.asked(given);
    const answer = await ask(recordings, id, { name, arguments: args, call_id: callId });
    switch (answer.policy) {
      case 'recorded':
        if (answer.error !== undefined) throw recordedError(answer.error);
        return { result: shape.given === undefined ? answer.result : shape.given(answer.result) };
      case 'live': {
        const { ticket } = answer;
        const isAwaited = ticket !== undefined && id !== undefined;
        return { cameBack: (result) => (isAwaited ? tell(recordings, id, { ticket, result }) : Promise.resolve()) };
      }
      default:
        throw new ToolNotReplayed(answer.message);
    }
  };
  if (isGenerator(run)) {
    return async function* (this: unknown, ...given) {
      const decided = await decide(given);
      if ('result' in decided) {
        yield decided.result;
        return;
      }
      let last: unknown;
      for await (const each of run.apply(this, given) as AsyncIterable<unknown>) {
        last = each;
        yield each;
      }
      await decided.cameBack(last);
    };
  }
  return async function (this: unknown, ...given) {
    const decided = await decide(given);
    if ('result' in decided) return decided.result;
    const result = await run.apply(this, given);
    await decided.cameBack(result);
    return result;
  };
}

/** OpenTelemetry reports errors as `String(error)`, which puts this before the message. */
const ERROR_NAME = /^((?:[A-Z]\w*)?(?:Error|Exception)): (.*)$/s;

/** An error with the recorded words, however the agent's tracing reports errors. */
function recordedError(told: string): Error {
  const [, name, message] = ERROR_NAME.exec(told) ?? [];
  return Object.assign(new Error(message ?? told), name !== undefined && name !== 'Error' && { name });
}

interface Running {
  cameBack(result: unknown): Promise<void>;
}

const AsyncGenerator = Object.getPrototypeOf(async function* () {}).constructor as new () => unknown;

/** A streaming tool: yields everything it says on the way, and its result last. */
function isGenerator(run: Method): boolean {
  return run instanceof AsyncGenerator;
}
