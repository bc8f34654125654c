import { given, putOut } from '../chat/index.ts';
import { AgentReplayError } from '../errors.ts';
import { type InLanguages, inLanguage, type Language } from '../files/index.ts';
import { byCodeUnit, type JsonObject } from '../json/index.ts';
import { counted } from '../text/index.ts';
import { isContinued } from './order.ts';
import { isTool, type Observation, type Trace, topsOf } from './trace.ts';

/** One turn whose agent opens no span around it, so that each of its model calls became a trace. */
export function joinTraces([first, ...others]: readonly [Trace, ...Trace[]]): Trace {
  if (others.length === 0) return first;
  const all = [first, ...others].sort(byTime);
  const [root] = all as [Trace, ...Trace[]];
  const isModels = ({ observations }: Trace) => observations.some(({ type }) => type === 'generation');
  const { output } = all.findLast(isModels) ?? root;
  const metadata: JsonObject = Object.fromEntries(all.toReversed().flatMap((each) => Object.entries(each.metadata)));
  const joined = Object.assign({}, ...all.toReversed(), root, {
    metadata,
    observations: all.flatMap(({ observations }) => observations),
    pieces: all.flatMap(({ id, pieces }) => pieces ?? id),
  });
  return output === undefined ? joined : { ...joined, output };
}

/** Ids of the tool calls of the same turn that a model call is told of: those after the user's last message. */
export function callsSoFar({ input }: Pick<Observation, 'input'>) {
  const { messages } = given(input);
  const turn = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  return turn.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []));
}

/**
 * Joins the traces that one request made. A model call goes on where that of another trace ended, if it has the messages of
 * that one and the calls that it asked for. Only traces without a span around the turn are joined. A piece whose beginning is
 * not among them stays alone.
 */
export function turnsOf(traces: readonly Trace[]): Trace[] {
  const turns = new Map<Trace, [Trace, ...Trace[]]>();
  const earlier: { readonly trace: Trace; readonly turn: [Trace, ...Trace[]]; readonly models: readonly Step[] }[] = [];
  for (const trace of traces.toSorted(byTime)) {
    const models = isBare(trace) ? modelsIn(trace) : [];
    const [model] = models;
    const told = new Set(model === undefined ? [] : callsSoFar(model).map(({ id }) => id));
    const asksFor = (asking: Step) => putOut(asking.output).calls.some(({ id }) => id === undefined || told.has(id));
    const before =
      model !== undefined && told.size > 0
        ? earlier.findLast(
            (each) =>
              each.trace.sessionId === trace.sessionId &&
              each.models.some((asking) => asksFor(asking) && isContinued(asking, model)),
          )
        : undefined;
    const isAlone = before === undefined && told.size > 0 && !models.some(asksFor);
    const turn: [Trace, ...Trace[]] = before?.turn ?? [isAlone ? { ...trace, pieces: [trace.id] } : trace];
    if (before === undefined) turns.set(trace, turn);
    else turn.push(trace);
    earlier.push({ trace, turn, models });
  }
  return traces.flatMap((trace) => {
    const turn = turns.get(trace);
    return turn === undefined ? [] : joinTraces(turn);
  });
}

type Step = Pick<Observation, 'input' | 'output'>;

/** What to do about a turn that is several traces. @param traces of which some may be joined */
export function splitError(traces: readonly Trace[], language: Language | undefined): AgentReplayError | undefined {
  const split = traces.find(({ pieces }) => pieces !== undefined);
  if (split?.pieces === undefined) return undefined;
  const { length } = split.pieces;
  const message =
    length > 1
      ? 'One request made several traces, which are compared as one turn.'
      : 'The trace goes on with the request of another trace, which is not here.';
  return new AgentReplayError('TRACE_SPLIT', message, {
    evidence: [`${counted(length, 'trace')} without a span around the turn`],
    hint: inLanguage(language, split.id.includes('-') ? AROUND_OLDER : AROUND),
  });
}

/** OpenTelemetry's own lines serve every SDK that is built on it. */
const AROUND: InLanguages = {
  javascript:
    "Open one span around the turn, which `npx agent-replay doctor --fix` writes where it can: `import { trace } from '@opentelemetry/api';` and `return trace.getTracer('agent').startActiveSpan('turn', { attributes: { 'gen_ai.operation.name': 'invoke_agent' } }, (span) => answer(request).catch((error) => { span.setStatus({ code: 2 }); throw error; }).finally(() => span.end()));`.",
  python:
    'Open one span around the turn: `from opentelemetry import trace` and `with trace.get_tracer("agent").start_as_current_span("turn", attributes={"gen_ai.operation.name": "invoke_agent"}):`.',
};
/** Before OpenTelemetry, Langfuse gave traces other ids. */
const AROUND_OLDER =
  "Open one trace for the turn, and give it to what traces the model: `const turn = langfuse.trace({ name: 'turn' });` and `observeOpenAI(client, { parent: turn })`.";

/** Nothing but model calls and tools stands at its top. */
function isBare({ observations }: Trace): boolean {
  return topsOf(observations).every((each) => each.type === 'generation' || isTool(each));
}

/** A listed trace has no observations, only its own content. */
function modelsIn(trace: Trace): readonly Step[] {
  const models = trace.observations.filter(({ type }) => type === 'generation');
  return trace.observations.length === 0 ? [trace] : models.sort((a, b) => byCodeUnit(a.startTime, b.startTime));
}

export function byTime(a: Trace, b: Trace): number {
  return Date.parse(a.timestamp) - Date.parse(b.timestamp) || byCodeUnit(a.id, b.id);
}
