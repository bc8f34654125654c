import { given, lastUserText, requestMessages } from '../chat/index.ts';
import { type Identifiers, readTraceMetadata, sessionOf, type TurnRequest } from '../contract/index.ts';
import { present } from '../json/index.ts';
import { cut } from '../text/index.ts';
import { byTime, inCausalOrder, type Observation, type Recording, type Trace, turnsOf } from '../trace/index.ts';
import { PIN_VERSION, type PinnedTurn, type Session, STEPS_VERSION } from './schema.ts';
import { isUser, type RequestOptions, requestOf } from './turn-request.ts';
import { usageByModel } from './usage.ts';

interface DeriveOptions extends RequestOptions {
  /** Only traces of this agent, and traces that name no agent. */
  readonly agentId?: string;
  readonly identifiers?: Identifiers;
}

interface SkippedTrace {
  readonly traceId: string;
  readonly reason: string;
}

/** Several model calls start at the same time, and nothing shows which was first. */
interface UnsureRequest {
  readonly traceId: string;
  /** When they start, ISO 8601. */
  readonly startTime: string;
  /** The chosen call, and the others. */
  readonly generations: readonly { readonly name: string; readonly messages: number }[];
}

interface RequestNote {
  readonly traceId: string;
  /** A sentence without its full stop: `2 messages before the user's are not sent: ...`. */
  readonly text: string;
}

export interface Derived {
  readonly sessions: Session[];
  /** Those that the turns were made from. */
  readonly traces: Trace[];
  readonly skipped: SkippedTrace[];
  readonly unsure: UnsureRequest[];
  readonly notes: RequestNote[];
}

/** Makes one session from all traces of a conversation, with the request of each turn. */
export function sessionsFromTraces(traces: readonly Trace[], options: DeriveOptions = {}): Derived {
  const skipped: SkippedTrace[] = [];
  const doubts = { unsure: [] as UnsureRequest[], notes: [] as RequestNote[] };
  const originals = new Map<string, Trace>();
  for (const trace of traces) {
    const { agentId, replayRunId, isReplay } = readTraceMetadata(trace.metadata, options);
    const skip = (reason: string) => skipped.push({ traceId: trace.id, reason });
    if (replayRunId !== undefined || isReplay) skip('it is a replay, not an original');
    else if (options.agentId !== undefined && agentId !== undefined && agentId !== options.agentId) {
      skip(`it is of the agent "${agentId}"`);
    } else if (originals.has(trace.id)) skip('an earlier trace has the same id');
    else if (isOfNoAgent(trace, options)) skip('it holds no step and no content of an agent');
    else originals.set(trace.id, trace);
  }
  const made = turnsOf([...originals.values()]);
  const conversations = Map.groupBy(made, (trace) => sessionOf(trace, options));
  const sessions = [...conversations].map(([id, turns]) => sessionFrom(id, turns.sort(byTime), options, doubts));
  return { sessions, traces: made, skipped, ...doubts };
}

/** A trace like those that a server's auto-instrumentation makes of health checks: no conversation, no step, no content. */
function isOfNoAgent(trace: Trace, options: DeriveOptions): boolean {
  const { agentId, sessionId, runId } = readTraceMetadata(trace.metadata, options);
  const said = [agentId, sessionId, runId, trace.sessionId, trace.input, trace.output];
  const { observations } = trace;
  return said.every((each) => each === undefined) && observations.length > 0 && observations.every(isBare);
}

function isBare({ type, input, output, unread }: Observation): boolean {
  return type === 'span' && input === undefined && output === undefined && unread === undefined;
}

function sessionFrom(
  id: string,
  traces: readonly Trace[],
  options: DeriveOptions,
  doubts: Pick<Derived, 'unsure' | 'notes'>,
): Session {
  const turns = traces.map((trace, index) => turnFrom(trace, traces.slice(0, index), options, doubts));
  const agentId = traces.map(({ metadata }) => readTraceMetadata(metadata, options).agentId).find((name) => name);
  const title = turns.map(({ request }) => request && titleOf(request)).find((text) => text);
  return {
    version: PIN_VERSION,
    stepsVersion: STEPS_VERSION,
    id,
    ...present({ agentId: agentId ?? options.agentId, title, recordedAt: traces[0]?.timestamp }),
    turns,
  };
}

function turnFrom(
  trace: Trace,
  earlier: readonly Trace[],
  options: DeriveOptions,
  doubts: Pick<Derived, 'unsure' | 'notes'>,
): PinnedTurn {
  const recorded = recordingOf(trace);
  const { request, rivals, notes } = requestOf({ trace, observations: recorded.observations, earlier }, options);
  const [first] = rivals;
  if (first !== undefined) {
    const generations = rivals.map(({ name, input }) => ({ name, messages: given(input).messages.length }));
    doubts.unsure.push({ traceId: trace.id, startTime: first.startTime, generations });
  }
  doubts.notes.push(...notes.map((text) => ({ traceId: trace.id, text })));
  const runId = readTraceMetadata(trace.metadata, options).runId;
  const metadata = present({ run_id: runId, release: trace.release, version: trace.version });
  return {
    ...present({ request }),
    recorded,
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
}

/** The part of a trace that is compared and pinned: observations in order, without anything that never counts. */
export function recordingOf(trace: Trace): Recording {
  const observations = inCausalOrder(trace.observations);
  const output = trace.output ?? observations[0]?.output;
  const usage = usageByModel(observations);
  return { traceId: trace.id, ...present({ output, usage }), observations: observations.map(compared) };
}

/**
 * Cost and metadata differ from run to run and say nothing about behaviour. Usage is kept by model, and not compared. Values that
 * were lost make the recording unfit.
 */
function compared({ usage: _, cost: __, metadata: ___, unread, level, ...rest }: Observation): Observation {
  const lost = unread?.filter(({ degree }) => degree === 'value') ?? [];
  return present({
    ...rest,
    level: level === 'DEFAULT' ? undefined : level,
    unread: lost.length === 0 ? undefined : lost,
  });
}

const MAX_TITLE_CHARS = 80;

function titleOf(request: TurnRequest): string | undefined {
  const first = requestMessages(request.messages ?? []).find(isUser);
  const text = request.input ?? (first && lastUserText([first]));
  const line = text?.replace(/\s+/g, ' ').trim();
  return line && cut(line, MAX_TITLE_CHARS);
}
