import path from 'node:path';
import type { Config } from '../../config/index.ts';
import { type AgentReplayError, asAgentReplayError } from '../../errors.ts';
import {
  fileNameFor,
  type PresentPin,
  pinText,
  presentPin,
  type Session,
  savePin,
  sessionsFromTraces,
} from '../../session/index.ts';
import { inBytes } from '../../text/index.ts';
import {
  type Conversation,
  conversationsOfIds,
  findConversations,
  type Platform,
  readConversation,
  someAtATime,
} from '../../tracing/index.ts';
import { type Doubts, type PinningResult, pinnedSession } from './pinned.ts';
import type { SyncState, TimeWindow } from './sync-state.ts';

interface SyncOptions {
  /** Of sessions; trace ids stand for those turns of their session. Empty: the newest matching sessions. */
  readonly ids: readonly string[];
  /** ISO 8601. */
  readonly since: string;
  readonly limit: number;
  readonly search?: string | undefined;
  readonly agentId?: string | undefined;
  /** Folder of the pins, relative to the configuration's root. */
  readonly dir: string;
  /** Replaces pins that differ. */
  readonly update: boolean;
  readonly dryRun: boolean;
  /** Sessions without a new turn are not read again. */
  readonly state?: SyncState | undefined;
  /** Also takes what an earlier sync left, and does not count known sessions towards the limit. */
  readonly goOn?: boolean | undefined;
  readonly signal: AbortSignal;
}

export type Synced =
  | ({ readonly kind: 'written' | 'unchanged' } & Pinned)
  /** It is already pinned, and differs. It was replaced if that was asked for. */
  | ({ readonly kind: 'updated' | 'kept'; readonly changes: NonNullable<ReturnType<PresentPin['changesTo']>> } & Pinned)
  /** It was pinned before and has no new turn, so it was not read. */
  | { readonly kind: 'known'; readonly id: string }
  | { readonly kind: 'failed'; readonly id: string; readonly error: AgentReplayError }
  | ({ readonly kind: 'skipped' } & ReturnType<typeof sessionsFromTraces>['skipped'][number]);

/** Notes that concern no single session. */
export type SyncNote =
  /** Traces of that time that are left out because they are replays. */
  | { readonly kind: 'replays'; readonly count: number }
  /** Sessions without a new turn since they were pinned. */
  | { readonly kind: 'pinned-before'; readonly count: number }
  /** Sessions above the limit, and whether the next continued sync takes them. */
  | { readonly kind: 'left'; readonly count: number; readonly isRemembered: boolean }
  /** Only this many traces were searched; and whether the next continued sync searches further back. */
  | { readonly kind: 'unseen'; readonly traces: number; readonly before: string; readonly isRemembered: boolean };

interface Pinned extends PinningResult {
  readonly file: string;
}

/** With its number among all. */
export type SyncStep = SyncNote | (Synced & { readonly number: number; readonly total: number });

/**
 * Pins recorded sessions one after another. A failure of one does not affect the others, except that keys which are refused end
 * all. Progress is saved at once, so that an interrupted sync can continue.
 * @throws AgentReplayError `PLATFORM_*` if the sessions cannot be listed; `PLATFORM_UNAUTHORIZED` at any time
 */
export async function* syncSessions(
  platform: Platform,
  config: Config,
  options: SyncOptions,
): AsyncGenerator<SyncStep> {
  const { state, ids } = options;
  const startedAt = new Date().toISOString();
  const { identifiers } = config;
  const wanted: WantedSessions =
    ids.length === 0
      ? await foundSessions(platform, config, options)
      : {
          left: [],
          pinnedBefore: 0,
          replays: 0,
          unsearched: [],
          chosen: await conversationsOfIds(platform, ids, { signal: options.signal, identifiers }),
        };
  const { chosen, left, pinnedBefore, replays, unsearched } = wanted;
  if (replays > 0) yield { kind: 'replays', count: replays };
  if (pinnedBefore > 0) yield { kind: 'pinned-before', count: pinnedBefore };
  const total = chosen.length;
  const stillToPin = [...left];
  let number = 0;
  const synced = someAtATime(chosen, async (each) => [each, await syncOne(each, platform, config, options)] as const);
  for await (const [conversation, steps] of synced) {
    number++;
    for (const step of steps) {
      if (step.kind === 'failed') stillToPin.push(conversation);
      if (isDone(step)) state?.pinned(step.id, lastTurn(conversation));
      yield { ...step, number, total };
    }
    await remember(options);
  }
  // Ids and searches show nothing about the other sessions.
  const isRemembered =
    state !== undefined &&
    !options.dryRun &&
    ids.length === 0 &&
    options.search === undefined &&
    options.agentId === undefined;
  if (isRemembered) {
    const { since, goOn = false } = options;
    state.lookedAt(startedAt, {
      since,
      goOn,
      left: [...stillToPin.flatMap(lastMoment), ...unsearched.map(({ window }) => window)],
    });
  }
  await remember(options);
  if (left.length > 0) yield { kind: 'left', count: left.length, isRemembered };
  for (const { traces, window } of unsearched) yield { kind: 'unseen', traces, before: window.until, isRemembered };
}

/** The conversations of a sync, and what it leaves out. */
interface WantedSessions {
  readonly chosen: readonly Conversation[];
  readonly left: readonly Conversation[];
  readonly pinnedBefore: number;
  readonly replays: number;
  readonly unsearched: readonly Unsearched[];
}

/** The time before the newest traces, which alone were searched. */
interface Unsearched {
  readonly traces: number;
  readonly window: TimeWindow;
}

/** The search lists all conversations, and reads the content of none: those that are pinned are read whole later. */
const WITHOUT_CONTENT = 0;

async function foundSessions(platform: Platform, config: Config, options: SyncOptions): Promise<WantedSessions> {
  const { since, limit, state, goOn = false, signal, agentId, search } = options;
  const { identifiers } = config;
  const windows: (Omit<TimeWindow, 'until'> & { until?: string })[] = [{ since }];
  if (goOn && state?.left !== undefined) windows.push(state.left);
  const all = new Map<string, Conversation>();
  const unsearched: Unsearched[] = [];
  let replays = 0;
  for (const window of windows) {
    const query = { ...window, agentId, search, identifiers, limit: WITHOUT_CONTENT };
    const result = await findConversations(platform, query, { signal });
    for (const conversation of result.rest) if (!all.has(conversation.id)) all.set(conversation.id, conversation);
    replays += result.replays;
    const { traces, lookedBackTo } = result;
    if (lookedBackTo !== undefined) {
      unsearched.push({ traces, window: { since: window.since, until: justAfter(lookedBackTo) } });
    }
  }
  const chosen: Conversation[] = [];
  const left: Conversation[] = [];
  let pinnedBefore = 0;
  for (const conversation of all.values()) {
    if (goOn && (await isPinned(conversation, config, options))) pinnedBefore++;
    else if (chosen.length < limit) chosen.push(conversation);
    else left.push(conversation);
  }
  return { chosen, left, pinnedBefore, replays, unsearched };
}

/** Whether it was pinned, still is, and has no new turn. */
async function isPinned(
  conversation: Conversation,
  { root }: Config,
  { state, dir }: Pick<SyncOptions, 'state' | 'dir'>,
): Promise<boolean> {
  const pinned = state?.lastTurnOf(conversation.id);
  const last = lastTurn(conversation);
  if (pinned === undefined || last === undefined || pinned < last) return false;
  return (await presentPin(conversation.id, { dir, root })) !== undefined;
}

/** In bytes. Larger pins are a burden in a repository. */
const LARGE = 5_000_000;

async function remember({ state, dryRun }: SyncOptions): Promise<void> {
  if (!dryRun) await state?.save();
}

async function syncOne(
  conversation: Conversation,
  platform: Platform,
  config: Config,
  options: SyncOptions,
): Promise<(Synced & { readonly id: string })[]> {
  const { id } = conversation;
  const { signal, agentId, dryRun } = options;
  try {
    if (!dryRun && (await isPinned(conversation, config, options))) return [{ kind: 'known', id }];
    const traces = await readConversation(platform, id, {
      signal,
      known: conversation,
      identifiers: config.identifiers,
    });
    const { sessions, skipped, ...doubts } = sessionsFromTraces(traces, {
      agentId,
      ...config.request,
      identifiers: config.identifiers,
    });
    const pinned: (Synced & { readonly id: string })[] = [];
    for (const session of sessions) pinned.push({ ...(await pinOne(session, doubts, config, options)), id });
    return [...skipped.map((each) => ({ kind: 'skipped' as const, ...each, id })), ...pinned];
  } catch (error) {
    signal.throwIfAborted();
    const failure = asAgentReplayError(error);
    if (failure.code === 'PLATFORM_UNAUTHORIZED') throw failure;
    return [{ kind: 'failed', id, error: failure }];
  }
}

async function pinOne(
  recorded: Session,
  doubts: Doubts,
  config: Config,
  { dir, update, dryRun }: SyncOptions,
): Promise<Synced> {
  const redacted = pinnedSession(recorded, doubts, config);
  const place = { dir, root: config.root };
  const present = await presentPin(recorded.id, place);
  const session = present?.updatedTo(redacted.session) ?? redacted.session;
  const changes = present?.changesTo(session);
  const length = Buffer.byteLength(pinText(session));
  const notes = [...redacted.notes, ...(length > LARGE ? [`the pin is large, ${inBytes(length)}`] : [])];
  const pinned = { ...redacted, session, notes };
  const save = () =>
    dryRun ? path.posix.join(dir, fileNameFor(session.id)) : savePin(session, { ...place, overwrite: update });
  if (present === undefined) return { kind: 'written', file: await save(), ...pinned };
  if (changes === undefined) return { kind: 'unchanged', file: present.file, ...pinned };
  if (!update) return { kind: 'kept', file: present.file, changes, ...pinned };
  return { kind: 'updated', file: await save(), changes, ...pinned };
}

function isDone({ kind }: Synced): boolean {
  return kind === 'written' || kind === 'updated' || kind === 'unchanged' || kind === 'known';
}

function lastTurn({ turns }: Conversation): string | undefined {
  return turns.at(-1)?.timestamp;
}

/** A time that contains its last turn. */
function lastMoment(conversation: Conversation): TimeWindow[] {
  const last = lastTurn(conversation);
  return last === undefined ? [] : [{ since: last, until: justAfter(last) }];
}

/** The exclusive end of a time that contains this moment. */
function justAfter(time: string): string {
  return new Date(Date.parse(time) + 1).toISOString();
}
