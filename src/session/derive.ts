import {
  conversationIn,
  generationOf,
  lastUserText,
  type ReadMessage,
  requestMessages,
  userTextIn,
  written,
} from '../chat/index.ts';
import {
  canonical,
  echoesIn,
  type Identifiers,
  inCausalOrder,
  isKnownBefore,
  type Json,
  type Observation,
  type Recording,
  readTraceMetadata,
  type SentMessage,
  type Trace,
  type TurnRequest,
} from '../contract/index.ts';
import { PIN_VERSION, type PinnedTurn, type Session, STEPS_VERSION } from './schema.ts';

export interface DeriveOptions {
  /** Takes the traces of this agent only; traces that name no agent count as its own. */
  readonly agentId?: string | undefined;
  /** Whether system and developer messages are sent again. Dropped by default: the agent under test adds its own. */
  readonly system?: 'drop' | 'keep' | undefined;
  /** `sequence`: a turn's messages are its own only, the earlier ones come from the replay. */
  readonly context?: 'recorded' | 'sequence' | undefined;
  readonly identifiers?: Identifiers | undefined;
}

export interface SkippedTrace {
  readonly traceId: string;
  readonly reason: string;
}

/** A turn whose request may be another one: several model calls start first, and nothing tells which of them did. */
export interface UnsureRequest {
  readonly traceId: string;
  /** When they start, ISO 8601. */
  readonly startTime: string;
  /** The one that was taken, and the others. */
  readonly generations: readonly { readonly name: string; readonly messages: number }[];
}

/** Makes one session of all traces of a conversation, with the request of each turn. */
export function sessionsFromTraces(
  traces: readonly Trace[],
  options: DeriveOptions = {},
): { sessions: Session[]; skipped: SkippedTrace[]; unsure: UnsureRequest[] } {
  const skipped: SkippedTrace[] = [];
  const unsure: UnsureRequest[] = [];
  const seen = new Set<string>();
  const conversations = new Map<string, Trace[]>();
  for (const trace of traces) {
    const { sessionId, agentId, replayRunId, isReplay } = readTraceMetadata(trace.metadata, options);
    const skip = (reason: string) => skipped.push({ traceId: trace.id, reason });
    if (replayRunId !== undefined || isReplay) skip('it is a replay, not an original');
    else if (options.agentId !== undefined && agentId !== undefined && agentId !== options.agentId) {
      skip(`it is of the agent "${agentId}"`);
    } else if (seen.has(trace.id)) skip('its id came before');
    else {
      seen.add(trace.id);
      // A trace outside of any conversation is one of its own.
      const id = trace.sessionId ?? sessionId ?? trace.id;
      const turns = conversations.get(id);
      if (turns === undefined) conversations.set(id, [trace]);
      else turns.push(trace);
    }
  }
  const sessions = [...conversations].map(([id, turns]) => sessionFrom(id, turns.sort(byTime), options, unsure));
  return { sessions, skipped, unsure };
}

function sessionFrom(id: string, traces: readonly Trace[], options: DeriveOptions, unsure: UnsureRequest[]): Session {
  const turns = traces.map((trace) => turnFrom(trace, options, unsure));
  const agentId = traces.map(({ metadata }) => readTraceMetadata(metadata, options).agentId).find((name) => name);
  const title = turns.map(({ request }) => request && titleOf(request)).find((text) => text);
  return {
    version: PIN_VERSION,
    stepsVersion: STEPS_VERSION,
    id,
    ...defined({ agentId: agentId ?? options.agentId, title, recordedAt: traces[0]?.timestamp }),
    turns,
  };
}

function turnFrom(trace: Trace, options: DeriveOptions, unsure: UnsureRequest[]): PinnedTurn {
  const recorded = recordingOf(trace);
  const { request, rivals } = requestOf(trace, recorded.observations, options);
  const [first] = rivals;
  if (first !== undefined) {
    const generations = rivals.map(({ name, input }) => ({ name, messages: messagesIn(input)?.length ?? 0 }));
    unsure.push({ traceId: trace.id, startTime: first.startTime, generations });
  }
  const runId = readTraceMetadata(trace.metadata, options).runId;
  const metadata = defined({ run_id: runId, release: trace.release, version: trace.version });
  return {
    ...defined({ request }),
    recorded,
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
}

/** The part of a trace that is compared and pinned: observations in order, without what never counts. */
export function recordingOf(trace: Trace): Recording {
  const observations = inCausalOrder(trace.observations);
  const output = trace.output ?? observations[0]?.output;
  return { traceId: trace.id, ...defined({ output }), observations: observations.map(compared) };
}

/** Usage, cost and metadata differ from run to run and say nothing of behaviour. */
function compared({ usage: _, cost: __, metadata: ___, level, ...rest }: Observation): Observation {
  return defined({ ...rest, level: level === 'DEFAULT' ? undefined : level });
}

/** @returns `rivals`: the model call that was taken, and those that may as well have been first; none when it is sure */
function requestOf(
  trace: Trace,
  observations: readonly Observation[],
  options: DeriveOptions,
): { request: TurnRequest | undefined; rivals: readonly Observation[] } {
  const echoes = echoesIn(observations);
  const generations = observations.filter((each) => each.type === 'generation' && !echoes.has(each)).sort(byStart);
  const index = generations.findIndex(({ input }) => messagesIn(input) !== undefined);
  const generation = generations[index];
  if (generation !== undefined) {
    const messages = askedIn(generation, index === 0, options);
    if (messages.some(({ role }) => role !== 'system')) {
      const { model } = generationOf(generation);
      const rivals = generations.filter(
        (other) =>
          byStart(other, generation) === 0 &&
          !isKnownBefore(generation, other) &&
          messagesIn(other.input) !== undefined &&
          canonical(rawMessages(askedIn(other, index === 0, options))) !== canonical(rawMessages(messages)),
      );
      return {
        request: {
          messages: rawMessages(messages),
          ...defined({ model }),
          includesPriorContext: messages.some(isAssistant),
        },
        rivals: rivals.length === 0 ? [] : [generation, ...rivals],
      };
    }
  }
  const input = userTextIn(trace.input) ?? userTextIn(observations[0]?.input);
  return { request: input === undefined ? undefined : { input }, rivals: [] };
}

/** What was asked of a model call, as it is sent again. */
function askedIn({ input }: Observation, isFirst: boolean, { system, context }: DeriveOptions): readonly ReadMessage[] {
  const recorded = messagesIn(input) ?? [];
  // A later generation's messages hold what this turn had already done: that is not part of the request.
  const asked = isFirst ? recorded : recorded.slice(0, recorded.findLastIndex(isUser) + 1);
  const sent = system === 'keep' ? asked : asked.filter(({ role }) => role !== 'system');
  return context === 'sequence' ? sent.slice(sent.findLastIndex(isAssistant) + 1) : sent;
}

function messagesIn(input: Json | undefined): readonly ReadMessage[] | undefined {
  return conversationIn(input)?.messages;
}

/** As they were recorded: one record may hold what several roles say. */
function rawMessages(messages: readonly ReadMessage[]): SentMessage[] {
  return [...new Set(messages.map(({ raw }) => raw))];
}

/** Some shapes hold the results of tools in messages of the user. */
function isUser({ role, items }: ReadMessage): boolean {
  return role === 'user' && !(items.length > 0 && items.every(({ kind }) => kind === 'result'));
}

const isAssistant = ({ role }: ReadMessage) => role === 'assistant';

const MAX_TITLE_CHARS = 80;

function titleOf(request: TurnRequest): string | undefined {
  const text = request.input ?? firstUserText(request.messages ?? []);
  const line = text?.replace(/\s+/g, ' ').trim();
  return line && line.length > MAX_TITLE_CHARS ? `${[...line].slice(0, MAX_TITLE_CHARS - 1).join('')}…` : line;
}

function firstUserText(messages: readonly SentMessage[]): string | undefined {
  const first = requestMessages(messages).find(isUser);
  return first && lastUserText(written([first]));
}

function byTime(a: Trace, b: Trace): number {
  return Date.parse(a.timestamp) - Date.parse(b.timestamp) || byText(a.id, b.id);
}

/** Stable: what starts at the same time stays in the order of its causes. */
function byStart(a: Observation, b: Observation): number {
  return Date.parse(a.startTime) - Date.parse(b.startTime);
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Absent keys instead of undefined ones: only the former can be written to JSON and read back as the same. */
function defined<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as never;
}
