import { type Identifiers, readTraceMetadata, type Trace } from '../../contract/index.ts';
import { AgentReplayError } from '../../errors.ts';
import type { Platform } from './platform.ts';

/** Which recorded conversations are meant. */
export interface ConversationQuery {
  /** Only those with a turn since then, ISO 8601; by default at any time. */
  readonly since?: string | undefined;
  /** The newest so many. */
  readonly limit: number;
  /** Only those of this agent; what names no agent is anybody's. */
  readonly agentId?: string | undefined;
  /** Only those that say each of these words in their ids, names, inputs or outputs, in any case. */
  readonly search?: string | undefined;
  /** Only the newest so many traces are looked through; by default 5,000. */
  readonly maxTraces?: number | undefined;
  /** Told when there are more traces than that. */
  readonly onMore?: (() => void) | undefined;
  /** Told of each trace that is left out because it is a replay. */
  readonly onReplay?: ((traceId: string) => void) | undefined;
  readonly identifiers?: Identifiers | undefined;
}

export interface Conversation {
  readonly id: string;
  /** Its turns in the time asked for, oldest first, without their observations. */
  readonly turns: readonly Trace[];
  /** The traces that are meant, where they were asked for by id and are not all that it has. */
  readonly traceIds?: readonly string[];
}

/** Before there was a platform. */
const EVER = '2020-01-01T00:00:00.000Z';
/** Traces that are looked through for conversations: a hundred reads or fewer. */
const MAX_TRACES = 5_000;
/** Traces that are read at once; reads wait for their budget anyway. */
const READ_AT_ONCE = 4;

/** The recorded conversations that are meant, the one with the newest turn first. Replays are none. */
export async function findConversations(
  platform: Pick<Platform, 'heads'>,
  query: ConversationQuery,
  options: { signal: AbortSignal },
): Promise<Conversation[]> {
  const turns = new Map<string, Map<string, Trace>>();
  const { since = EVER, maxTraces = MAX_TRACES } = query;
  let count = 0;
  for await (const head of platform.heads({ since }, options)) {
    if (++count > maxTraces) {
      query.onMore?.();
      break;
    }
    const { sessionId, agentId, replayRunId, isReplay } = readTraceMetadata(head.metadata, query);
    if (replayRunId !== undefined || isReplay === true) {
      query.onReplay?.(head.id);
      continue;
    }
    if (query.agentId !== undefined && agentId !== undefined && agentId !== query.agentId) continue;
    const id = head.sessionId ?? sessionId ?? head.id;
    const known = turns.get(id) ?? new Map<string, Trace>();
    turns.set(id, known.set(head.id, head));
  }
  return [...turns]
    .map(([id, heads]) => ({ id, turns: [...heads.values()].sort(byTime) }))
    .filter((conversation) => says(conversation, query.search))
    .slice(0, query.limit);
}

/**
 * The conversations that ids stand for, in their order. Ids of several traces of one conversation stand for it with
 * those turns; an id that cannot be looked up stays as it is, so that reading it says why.
 */
export async function namedConversations(
  platform: Pick<Platform, 'heads' | 'trace'>,
  ids: readonly string[],
  { signal, identifiers }: { signal: AbortSignal; identifiers?: Identifiers | undefined },
): Promise<Conversation[]> {
  const unique = [...new Set(ids)];
  // One alone needs no grouping, and no reads for it.
  if (unique.length < 2) return unique.map((id) => ({ id, turns: [] }));
  const named = new Map<string, Conversation>();
  const conversationOf = async (id: string): Promise<string> => {
    try {
      for await (const head of platform.heads({ since: EVER, sessionId: id }, { signal })) {
        if (head.sessionId === id) return id;
      }
      const trace = await platform.trace(id, { signal });
      return trace?.sessionId ?? readTraceMetadata(trace?.metadata ?? {}, { identifiers }).sessionId ?? id;
    } catch {
      signal.throwIfAborted();
      return id;
    }
  };
  for (let start = 0; start < unique.length; start += READ_AT_ONCE) {
    const some = unique.slice(start, start + READ_AT_ONCE);
    const found = await Promise.all(some.map(conversationOf));
    for (const [n, id] of some.entries()) {
      const of = found[n] as string;
      const known = named.get(of);
      // Asked for as a whole, it is whole, whichever of its turns are named besides.
      const isWhole = of === id || (known !== undefined && known.traceIds === undefined);
      named.set(of, { id: of, turns: [], ...(isWhole ? {} : { traceIds: [...(known?.traceIds ?? []), id] }) });
    }
  }
  return [...named.values()];
}

/**
 * All traces of a conversation, read whole, with the turns that were before the time searched.
 * @param id of the conversation; a trace id stands for that trace alone
 * @param options.known what a search has shown of it
 * @throws AgentReplayError `NO_SESSIONS` when nothing has the id
 */
export async function readConversation(
  platform: Pick<Platform, 'heads' | 'trace'>,
  id: string,
  options: { signal: AbortSignal; known?: Conversation | undefined },
): Promise<Trace[]> {
  const wanted = options.known?.traceIds ?? (await traceIdsOf(platform, id, options));
  const traces: Trace[] = [];
  for (let start = 0; start < wanted.length; start += READ_AT_ONCE) {
    const some = wanted.slice(start, start + READ_AT_ONCE);
    const read = await Promise.all(some.map((traceId) => platform.trace(traceId, options)));
    traces.push(...read.filter((trace) => trace !== undefined));
  }
  if (traces.length === 0) throw notThere(id);
  return traces;
}

async function traceIdsOf(
  platform: Pick<Platform, 'heads'>,
  id: string,
  options: { signal: AbortSignal; known?: Conversation | undefined },
): Promise<string[]> {
  const heads = new Set<string>();
  for await (const head of platform.heads({ since: EVER, sessionId: id }, options)) {
    // Early versions of one API do not know the parameter.
    if (head.sessionId === id) heads.add(head.id);
  }
  for (const turn of options.known?.turns ?? []) heads.add(turn.id);
  return heads.size === 0 ? [id] : [...heads];
}

function notThere(id: string): AgentReplayError {
  return new AgentReplayError('NO_SESSIONS', `There is no session or trace ${JSON.stringify(id)}.`, {
    hint: 'List what is there with agent-replay sessions, and check that the keys are those of its project.',
  });
}

function says({ id, turns }: Conversation, text = ''): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const told = JSON.stringify([id, turns.map((turn) => [turn.id, turn.name, turn.input, turn.output])]).toLowerCase();
  return words.every((word) => told.includes(word));
}

function byTime(a: Trace, b: Trace): number {
  return a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0;
}
