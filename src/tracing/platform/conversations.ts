import { type Identifiers, readTraceMetadata, sessionOf } from '../../contract/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { byTime, type Trace, turnsOf } from '../../trace/index.ts';
import { EVER, type TimeRange } from './api.ts';
import type { Platform } from './platform.ts';
import { someAtATime } from './some-at-a-time.ts';

export interface ConversationQuery {
  /** Only conversations with a turn since then, ISO 8601; by default at any time. */
  readonly since?: string;
  /** Only turns before then, ISO 8601. */
  readonly until?: string;
  /** Only this many, the newest. */
  readonly limit: number;
  /** Only those of this agent. If no trace names an agent, those that name none. */
  readonly agentId?: string;
  /** Only those with each of these words in their ids, names, inputs or outputs, in any case. */
  readonly search?: string;
  /** Search only this many of the newest traces; default {@link MAX_TRACES}, fewer if reads are limited. */
  readonly maxTraces?: number;
  readonly identifiers?: Identifiers;
}

export interface Conversation {
  readonly id: string;
  /** Its turns in the requested time, oldest first, without observations. */
  readonly turns: readonly Trace[];
  /** The chosen traces, if ids named only some of the conversation. */
  readonly traceIds?: readonly string[];
}

export interface FoundConversations {
  /** Newest turn first. */
  readonly conversations: readonly Conversation[];
  /** Conversations above the limit, without inputs and outputs of their turns. */
  readonly rest: readonly Conversation[];
  readonly traces: number;
  /** Those of them that are replays. */
  readonly replays: number;
  /** The time at which the search stopped, ISO 8601, if there are older traces; undefined if all were searched. */
  readonly lookedBackTo: string | undefined;
  /** What was looked for beyond that: the whole name or id of a trace, or the id of a session. */
  readonly askedFor: string | undefined;
}

/** What a search left out, in lines for the user. */
export function searchNotes({ conversations, rest, traces, replays, lookedBackTo, askedFor }: FoundConversations) {
  const total = conversations.length + rest.length;
  return [
    ...(rest.length === 0 ? [] : [`${conversations.length} of ${total} sessions: --limit ${total} lists all`]),
    ...(replays === 0 ? [] : [`${replays} ${replays === 1 ? 'replay' : 'replays'} left out`]),
    ...(lookedBackTo === undefined ? [] : [`looked through ${traces} traces only, back to ${lookedBackTo}`]),
    ...(askedFor === undefined
      ? []
      : [`further back, only ${JSON.stringify(askedFor)} as a whole name or id was looked for`]),
  ];
}

/** Traces searched for conversations: at most a hundred reads. */
const MAX_TRACES = 10_000;
/** The same if reads are limited, per allowed read a minute: a page has 100, and somebody may be waiting. */
const TRACES_A_READ = 30;

type Source = Pick<Platform, 'heads' | 'trace' | 'tracesOf' | 'readsPerMinute'>;

/** Without replays. */
export async function findConversations(
  platform: Source,
  query: ConversationQuery,
  { signal }: { signal: AbortSignal },
): Promise<FoundConversations> {
  const { since = EVER, until, agentId, search = '' } = query;
  const perMinute = platform.readsPerMinute();
  const { maxTraces = perMinute === undefined ? MAX_TRACES : perMinute * TRACES_A_READ } = query;
  let [traces, replays] = [0, 0];
  let lookedBackTo: string | undefined;
  const gathered = new Gathered(query);
  const look = async (filter: { agentId?: string }): Promise<void> => {
    for await (const head of platform.heads({ since, until, ...filter }, signal)) {
      if (++traces > maxTraces) {
        lookedBackTo = head.timestamp;
        return;
      }
      if (isReplay(head, query)) replays++;
      else gathered.add(head);
    }
  };
  await look({ agentId });
  // The trace does not name its agent, but a server that filters returned only this agent's traces.
  if (agentId !== undefined && gathered.isEmpty) await look({});
  const text = search.trim();
  // If few reads are allowed, they are used only for a search without results.
  const isWorthIt = perMinute === undefined || gathered.conversations().length === 0;
  const askedFor = lookedBackTo !== undefined && text !== '' && isWorthIt ? text : undefined;
  if (askedFor !== undefined) {
    for await (const head of called(platform, askedFor, { since, until }, signal)) {
      if (!isReplay(head, query)) gathered.add(head);
    }
  }
  const all = gathered.conversations();
  const [conversations, rest] = [all.slice(0, query.limit), all.slice(query.limit)];
  return { conversations, rest, traces: Math.min(traces, maxTraces), replays, lookedBackTo, askedFor };
}

function isReplay({ metadata }: Trace, options: { identifiers?: Identifiers }): boolean {
  const { replayRunId, isReplay } = readTraceMetadata(metadata, options);
  return replayRunId !== undefined || isReplay === true;
}

const MAX_CALLED = 100;

/** Traces of this name, those of the session with this id, or else the trace with this id. */
async function* called(platform: Source, text: string, range: TimeRange, signal: AbortSignal): AsyncGenerator<Trace> {
  let left = MAX_CALLED;
  for await (const head of platform.heads({ ...range, name: text }, signal)) {
    yield head;
    if (--left === 0) break;
  }
  const ids = await platform.tracesOf(text, signal);
  for (const id of ids.length === 0 ? [text] : ids.slice(0, MAX_CALLED)) {
    const trace = await platform.trace(id, { signal });
    if (trace !== undefined) yield { ...trace, observations: [] };
  }
}

/** Conversations, collected as their turns arrive. Unwanted parts are not kept. */
class Gathered {
  readonly #query: ConversationQuery;
  readonly #words: readonly string[];
  readonly #named = new Map<string, Map<string, Trace>>();
  readonly #nameless = new Map<string, Map<string, Trace>>();
  readonly #shown = new Set<string>();
  /** Agents that traces name, other than the wanted one. */
  readonly #others = new Set<string>();

  constructor(query: ConversationQuery) {
    this.#query = query;
    this.#words = (query.search ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  }

  get isEmpty(): boolean {
    return this.#named.size + this.#nameless.size === 0;
  }

  add(head: Trace): void {
    const { agentId, limit } = this.#query;
    const own = readTraceMetadata(head.metadata, this.#query).agentId;
    if (agentId !== undefined && own !== undefined && own !== agentId) {
      this.#others.add(own);
      return;
    }
    const conversations = agentId === undefined || own !== undefined ? this.#named : this.#nameless;
    const id = sessionOf(head, this.#query);
    const turns = conversations.get(id) ?? new Map<string, Trace>();
    conversations.set(id, turns);
    // Newest first. Conversations above the limit are only counted, because their content can be large.
    if (this.#words.length > 0 || this.#shown.size < limit) this.#shown.add(id);
    const { input: _, output: __, ...light } = head;
    turns.set(head.id, this.#shown.has(id) ? head : light);
  }

  /** @throws AgentReplayError `NO_SESSIONS` if traces name agents, and none of them the wanted one */
  conversations(): Conversation[] {
    const { agentId = '' } = this.#query;
    if (this.#named.size === 0 && this.#others.size > 0) throw noSuchAgent(agentId, [...this.#others]);
    const found = new Map(this.#named.size > 0 ? this.#named : this.#nameless);
    const alone = [...found].flatMap(([id, heads]) => heads.get(id) ?? []);
    for (const { id, pieces = [] } of turnsOf(alone)) {
      for (const piece of pieces.filter((each) => each !== id)) {
        found.set(id, new Map([...(found.get(id) ?? []), ...(found.get(piece) ?? [])]));
        found.delete(piece);
      }
    }
    return [...found]
      .map(([id, heads]) => ({ id, turns: [...heads.values()].sort(byTime) }))
      .filter((conversation) => says(conversation, this.#words));
  }
}

/**
 * The conversations that ids name, in the order of the ids. Several trace ids of one conversation name it with those turns.
 * An id that cannot be found stays as it is, so that reading it reports why.
 */
export async function conversationsOfIds(
  platform: Source,
  ids: readonly string[],
  { signal, identifiers }: { signal: AbortSignal; identifiers?: Identifiers },
): Promise<Conversation[]> {
  const unique = [...new Set(ids)];
  if (unique.length < 2) return unique.map((id) => ({ id, turns: [] }));
  const named = new Map<string, Conversation>();
  const conversationOf = async (id: string): Promise<string> => {
    try {
      if ((await platform.tracesOf(id, signal)).length > 0) return id;
      const trace = await platform.trace(id, { signal });
      return trace === undefined ? id : sessionOf(trace, { identifiers });
    } catch {
      signal.throwIfAborted();
      return id;
    }
  };
  for await (const [id, of] of someAtATime(unique, async (each) => [each, await conversationOf(each)] as const)) {
    const known = named.get(of);
    // If the conversation itself is named too, it is whole.
    const isWhole = of === id || (known !== undefined && known.traceIds === undefined);
    named.set(of, { id: of, turns: [], ...(isWhole ? {} : { traceIds: [...(known?.traceIds ?? []), id] }) });
  }
  return [...named.values()];
}

/**
 * All traces of a conversation, read whole, including turns before the searched time.
 * @param id of the conversation; a trace id means that turn and those before it
 * @param options.known what a search found about it
 * @throws AgentReplayError `NO_SESSIONS` if nothing has the id
 */
export async function readConversation(
  platform: Source,
  id: string,
  options: { signal: AbortSignal; known?: Conversation; identifiers?: Identifiers },
): Promise<Trace[]> {
  const ids = options.known?.traceIds ?? (await traceIdsOf(platform, id, options));
  const turn = ids.length === 1 && ids[0] === id ? await platform.trace(id, options) : undefined;
  const others = turn === undefined ? [] : await platform.tracesOf(sessionOf(turn, options), options.signal);
  const wanted = turn === undefined ? ids : others.filter((traceId) => traceId !== id);
  const traces: Trace[] = turn === undefined ? [] : [turn];
  for await (const read of someAtATime(wanted, (traceId) => platform.trace(traceId, options))) {
    if (read !== undefined) traces.push(read);
  }
  if (traces.length === 0) throw notThere(id);
  return turn === undefined ? traces : traces.filter(({ timestamp }) => timestamp <= turn.timestamp);
}

async function traceIdsOf(
  platform: Source,
  id: string,
  options: { signal: AbortSignal; known?: Conversation },
): Promise<string[]> {
  const ids = new Set(await platform.tracesOf(id, options.signal));
  for (const turn of options.known?.turns ?? []) ids.add(turn.id);
  return ids.size === 0 ? [id] : [...ids];
}

function noSuchAgent(agentId: string, others: readonly string[]): AgentReplayError {
  return new AgentReplayError('NO_SESSIONS', `No trace names the agent ${JSON.stringify(agentId)}.`, {
    evidence: [`named: ${others.slice(0, MAX_AGENTS).join(', ')}`],
    hint: 'Give --agent-id as the traces have it. Traces that name no agent are taken only where none is named.',
  });
}

const MAX_AGENTS = 20;

function notThere(id: string): AgentReplayError {
  return new AgentReplayError('NO_SESSIONS', `There is no session or trace ${JSON.stringify(id)}.`, {
    hint: 'List what is there with `agent-replay sessions`, and check that the keys are those of its project.',
  });
}

function says({ id, turns }: Conversation, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const told = JSON.stringify([id, turns.map((turn) => [turn.id, turn.name, turn.input, turn.output])]).toLowerCase();
  return words.every((word) => told.includes(word));
}
