import {
  conversationIn,
  generationOf,
  type ReadMessage,
  requestMessages,
  sendable,
  textOf,
  userTextIn,
  written,
} from '../chat/index.ts';
import type { SentMessage, TurnRequest } from '../contract/index.ts';
import { canonical, type Json, present } from '../json/index.ts';
import { counted } from '../text/index.ts';
import { echoesIn, isKnownBefore, type Observation, type Trace } from '../trace/index.ts';

/** How the request of a turn is derived from its recording. */
export interface RequestOptions {
  /** Whether system and developer messages are sent again. Default: dropped, because the agent under test adds its own. */
  readonly system?: 'drop' | 'keep';
  /** `sequence`: a turn's messages are only its own; earlier ones come from the replay. */
  readonly context?: 'recorded' | 'sequence';
  /** The turn's own input or its first model call; `auto`: the turn if its input contains the user's message. */
  readonly from?: 'auto' | 'root' | 'generation';
}

export interface RecordedTurn {
  readonly trace: Trace;
  /** In the order of their causes. */
  readonly observations: readonly Observation[];
  /** The session's earlier turns, in order. */
  readonly earlier: readonly Trace[];
}

interface DerivedRequest {
  readonly request: TurnRequest | undefined;
  /** The chosen model call, and others that may have been first as well; empty if it is certain. */
  readonly rivals: readonly Observation[];
  readonly notes: readonly string[];
}

export function requestOf(turn: RecordedTurn, options: RequestOptions): DerivedRequest {
  const asked = askedModel(turn.observations, options);
  const root = options.from === 'generation' ? undefined : askedAgent(turn, asked);
  if (asked === undefined && root?.isConversation !== true) {
    return { request: root && { input: root.text }, rivals: [], notes: [] };
  }
  const isRoot = root !== undefined && (options.from === 'root' || root.isSure);
  const notes: string[] = [];
  const messages = isRoot ? fromRoot(root, asked, turn, options, notes) : within(asked?.messages ?? [], options);
  const request = requestWith(messages, notes);
  if (request === undefined) return { request: root && { input: root.text }, rivals: [], notes: [] };
  const model = asked && generationOf(asked.generation).model;
  return {
    request: {
      ...request,
      ...(isRoot && !root.isOfModel ? { input: root.text } : {}),
      ...present({ model }),
      includesPriorContext: messages.some(isAssistant),
    },
    rivals: isRoot ? [] : (asked?.rivals ?? []),
    notes,
  };
}

/** In OpenAI's chat form, whatever their recorded shape. */
function requestWith(
  messages: readonly ReadMessage[],
  notes: string[],
): Pick<TurnRequest, 'messages' | 'shape'> | undefined {
  if (!messages.some(({ role }) => role !== 'system')) return undefined;
  const { sent, foreign } = sendable(messages);
  if (foreign > 0)
    notes.push(
      `${counted(foreign, 'message')} of a shape that is not known ${foreign === 1 ? 'is' : 'are'} sent unchanged`,
    );
  return sent.length === 0 ? undefined : { messages: sent as SentMessage[], shape: 'chat' };
}

/** The first model call with messages, and what it was asked. */
interface AskedModel {
  readonly generation: Observation;
  /** System messages included. */
  readonly messages: readonly ReadMessage[];
  readonly rivals: readonly Observation[];
  /** The turn's later model calls. */
  readonly later: readonly Observation[];
}

function askedModel(observations: readonly Observation[], options: RequestOptions): AskedModel | undefined {
  const echoes = echoesIn(observations);
  const generations = observations.filter((each) => each.type === 'generation' && !echoes.has(each)).sort(byStart);
  const index = generations.findIndex(({ input }) => conversationIn(input) !== undefined);
  const generation = generations[index];
  if (generation === undefined) return undefined;
  const messages = askedIn(generation, index === 0);
  const spelled = (each: readonly ReadMessage[]) => canonical(within(each, options).map(({ raw }) => raw));
  const rivals = generations.filter(
    (other) =>
      byStart(other, generation) === 0 &&
      !isKnownBefore(generation, other) &&
      conversationIn(other.input) !== undefined &&
      spelled(askedIn(other, index === 0)) !== spelled(messages),
  );
  return {
    generation,
    messages,
    rivals: rivals.length === 0 ? [] : [generation, ...rivals],
    later: generations.slice(index + 1),
  };
}

/** The messages of a later generation contain what this turn had already done, which is not part of the request. */
function askedIn({ input }: Observation, isFirst: boolean): readonly ReadMessage[] {
  const recorded = conversationIn(input)?.messages ?? [];
  return isFirst ? recorded : recorded.slice(0, recorded.findLastIndex(isUser) + 1);
}

function within(messages: readonly ReadMessage[], { system, context }: RequestOptions): readonly ReadMessage[] {
  const sent = system === 'keep' ? messages : messages.filter(({ role }) => role !== 'system');
  return context === 'sequence' ? sent.slice(sent.findLastIndex(isAssistant) + 1) : sent;
}

/** The turn's own input, if it contains the user's message. */
interface AskedAgent {
  readonly text: string;
  /** Includes system messages; ends with the user's message. */
  readonly messages: readonly ReadMessage[];
  readonly isConversation: boolean;
  /** The root is the model call itself, or its shape shows that. */
  readonly isSure: boolean;
  readonly isOfModel: boolean;
}

function askedAgent({ trace, observations }: RecordedTurn, asked: AskedModel | undefined): AskedAgent | undefined {
  const [root] = observations;
  const input = trace.input ?? root?.input;
  const text = userTextIn(input);
  if (text === undefined) return undefined;
  const isOfModel = root?.type === 'generation';
  const conversation = conversationIn(input)?.messages ?? [];
  const last = conversation.at(-1);
  if (last !== undefined && isUser(last)) {
    return { text, messages: conversation, isConversation: true, isSure: !isOfModel, isOfModel };
  }
  const said = asked?.messages.filter(isUser).map(userText) ?? [];
  const isSure = !isOfModel && (typeof input === 'string' || said.some((each) => holds(each, text)));
  return { text, messages: requestMessages([asUser(text)]), isConversation: false, isSure, isOfModel };
}

/** The earlier turns, then the turn's own message. */
function fromRoot(
  root: AskedAgent,
  asked: AskedModel | undefined,
  turn: RecordedTurn,
  options: RequestOptions,
  notes: string[],
): readonly ReadMessage[] {
  const own = within(root.messages, options);
  const isWhole = own.filter(({ role }) => role !== 'system').length > 1 || options.context === 'sequence';
  if (isWhole || asked === undefined) return own;
  const said = turn.earlier
    .map((trace) => userTextIn(trace.input ?? rootInput(trace)))
    .filter((text) => text !== undefined);
  const before = beforeUser(root.text, asked, said);
  if (before.length === 0) return own;
  if (turn.earlier.length > 0 && said.length === 0) {
    notes.push(`what earlier turns were given is not traced: all ${before.length} messages before the user's are sent`);
    return [...before, ...own];
  }
  const history = historyIn(before, said);
  const left = before.length - history.length;
  if (left > 0) {
    notes.push(
      `${counted(left, 'message')} before the user's ${left === 1 ? 'is' : 'are'} not sent, as examples that the agent adds itself (request.from: generation sends them)`,
    );
  }
  return [...history, ...own];
}

/** The messages before the user's, from the first model call that was given earlier turns. A guard model is not. */
function beforeUser(text: string, asked: AskedModel, said: readonly string[]): readonly ReadMessage[] {
  const beforeIn = (given: readonly ReadMessage[]) => {
    const messages = given.filter(({ role }) => role !== 'system');
    return messages.slice(0, Math.max(lastWith(messages, text), 0));
  };
  const first = beforeIn(asked.messages);
  if (said.length === 0 || historyIn(first, said).length > 0) return first;
  for (const { input } of asked.later) {
    const before = beforeIn(conversationIn(input)?.messages ?? []);
    if (historyIn(before, said).length > 0) return before;
  }
  return first;
}

/** The last user message that contains a text, also inside a template or a guard model's prompt. */
function lastWith(messages: readonly ReadMessage[], text: string): number {
  const at = messages.findLastIndex((message) => isUser(message) && holds(userText(message), text));
  return at === -1 ? messages.findLastIndex(isUser) : at;
}

/** The messages from the first one of an earlier turn on, each as the agent received it rather than the model. */
function historyIn(before: readonly ReadMessage[], said: readonly string[]): ReadMessage[] {
  const users = before.filter(isUser);
  const given = new Map<ReadMessage, string>();
  let left = users.length;
  for (const text of said.toReversed()) {
    const at = users.slice(0, left).findLastIndex((message) => holds(userText(message), text));
    if (at === -1) continue;
    given.set(users[at] as ReadMessage, text);
    left = at;
  }
  const start = before.findIndex((message) => given.has(message));
  if (start === -1) return [];
  return before.slice(start).flatMap((message) => {
    const text = given.get(message);
    const isTemplate = text !== undefined && userText(message).trim() !== text.trim();
    return isTemplate ? requestMessages([asUser(text)]) : [message];
  });
}

function rootInput({ observations }: Trace): Json | undefined {
  return observations.find(({ parentId }) => parentId === null)?.input;
}

function asUser(text: string): { role: string; content: string } {
  return { role: 'user', content: text };
}

/** Frameworks differ in blanks. */
function holds(message: string, text: string): boolean {
  const plain = (of: string) => of.replace(/\s+/g, ' ').trim();
  return plain(message).includes(plain(text));
}

function userText(message: ReadMessage): string {
  return written([message])
    .map((each) => textOf(each))
    .join('\n');
}

/** Some shapes put the results of tools into user messages. */
export function isUser({ role, items }: ReadMessage): boolean {
  return role === 'user' && !(items.length > 0 && items.every(({ kind }) => kind === 'result'));
}

function isAssistant({ role }: ReadMessage): boolean {
  return role === 'assistant';
}

/** Stable: observations with the same start stay in causal order. */
function byStart(a: Observation, b: Observation): number {
  return Date.parse(a.startTime) - Date.parse(b.startTime);
}
