import { announce, ask, type Recordings, recordingsIn, ToolNotReplayed, tell } from '../../ask/index.ts';
import { type Identifiers, identifiers, wireNames } from '../../contract/index.ts';
import { runningReplay } from '../tracing.ts';
import { type Asked, isFields, type Shape, shapeOf } from './shapes.ts';

/** A tool: an asynchronous function that takes its arguments first, or a tool of a framework that is known. */
export type ReplayableTool = ((...given: never[]) => PromiseLike<unknown> | AsyncIterable<unknown>) | object;

/** A tool of a framework that says its own name. */
export type NamedTool = object & { readonly name: string };

export interface ReplayToolsOptions {
  /**
   * The id of the replay that a call belongs to. Default: that of the turn in whose asynchronous context the tool is
   * called, which `replayEndpoint` knows.
   */
  readonly runId?: string | (() => string | undefined) | undefined;
  /** What a plain function is called with, as its span tells it. Default: the first one of what it is given. */
  readonly arguments?: ((name: string, given: readonly unknown[]) => unknown) | undefined;
  /** The brand part of the names on the wire. */
  readonly identifiers?: Partial<Identifiers> | undefined;
}

/**
 * Lets the recording answer for tools while agent-replay replays a session with `tools` in its configuration. Anywhere
 * else these are the very tools that were handed in, and nothing happens.
 *
 * Takes a table of tools by name, as the AI SDK and Mastra have it, or a list of tools with names of their own, as the OpenAI
 * Agents SDK and LangChain have it. Plain functions have to be asynchronous. A tool without a function that is known stays
 * as it is, and is not said to be wrapped.
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

/** @returns undefined for a tool without a function that is known: whoever runs it, it is not said to be wrapped */
function wrapped(name: string, tool: unknown, recordings: Recordings, options: ReplayToolsOptions): unknown {
  if (typeof tool === 'function') {
    const read = options.arguments;
    const asked = (given: readonly unknown[]): Asked => ({ arguments: read ? read(name, given) : given[0] });
    return standIn(name, tool as Method, { asked }, recordings, options);
  }
  const shape = shapeOf(tool);
  if (shape !== undefined && isFields(tool)) {
    const method = standIn(name, tool[shape.method] as Method, shape, recordings, options);
    // A class keeps its prototype, and whoever asks for its own fields finds them.
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

/** Does what the tool does where it is to run, and gives back what was recorded where it is not. */
function standIn(
  name: string,
  run: Method,
  shape: Pick<Shape, 'asked' | 'given'>,
  recordings: Recordings,
  { runId }: ReplayToolsOptions,
): Method {
  /** @returns what the tool gave back then; undefined when it is to run now */
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

/** What OpenTelemetry's habit of telling errors, `String(error)`, puts before the message. */
const ERROR_NAME = /^((?:[A-Z]\w*)?(?:Error|Exception)): (.*)$/s;

/** An error that is told in the words of the recording, however the agent's tracing tells errors. */
function recordedError(told: string): Error {
  const [, name, message] = ERROR_NAME.exec(told) ?? [];
  return Object.assign(new Error(message ?? told), name !== undefined && name !== 'Error' && { name });
}

interface Running {
  cameBack(result: unknown): Promise<void>;
}

const AsyncGenerator = Object.getPrototypeOf(async function* () {}).constructor as new () => unknown;

/** A tool that streams: it gives back all that it says on the way, and its result last. */
function isGenerator(run: Method): boolean {
  return run instanceof AsyncGenerator;
}
