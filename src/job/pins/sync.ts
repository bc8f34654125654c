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

interface SyncOptions {
  /** Of sessions; trace ids stand for those turns of their session. Empty: the newest matching sessions. */
  readonly ids: readonly string[];
  /** ISO 8601. */
  readonly since: string;
  readonly limit: number;
  readonly search?: string;
  readonly agentId?: string;
  /** Folder of the pins, relative to the configuration's root. */
  readonly dir: string;
  /** Replaces pins that differ; otherwise sessions without a new turn are not read again. */
  readonly update: boolean;
  /** Also what is pinned with its last turn, to say what differs. */
  readonly readsAgain?: boolean;
  readonly dryRun: boolean;
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
  /** Sessions above the limit. */
  | { readonly kind: 'left'; readonly count: number }
  /** Only this many traces were searched, back to that time. */
  | { readonly kind: 'unseen'; readonly traces: number; readonly before: string };

interface Pinned extends PinningResult {
  readonly file: string;
}

/** With its number among all. */
export type SyncStep = SyncNote | (Synced & { readonly number: number; readonly total: number });

/**
 * Pins recorded sessions one after another. A failure of one does not affect the others, except that keys which are refused end
 * all.
 * @throws AgentReplayError `PLATFORM_*` if the sessions cannot be listed; `PLATFORM_UNAUTHORIZED` at any time
 */
export async function* syncSessions(
  platform: Platform,
  config: Config,
  options: SyncOptions,
): AsyncGenerator<SyncStep> {
  const { ids, signal } = options;
  const { identifiers } = config;
  const { chosen, left, replays, unseen } =
    ids.length === 0
      ? await foundSessions(platform, config, options)
      : { chosen: await conversationsOfIds(platform, ids, { signal, identifiers }), left: 0, replays: 0, unseen: [] };
  if (replays > 0) yield { kind: 'replays', count: replays };
  const total = chosen.length;
  let number = 0;
  for await (const steps of someAtATime(chosen, (each) => syncOne(each, platform, config, options))) {
    number++;
    for (const step of steps) yield { ...step, number, total };
  }
  if (left > 0) yield { kind: 'left', count: left };
  yield* unseen;
}

/** The search lists all conversations, and reads the content of none: those that are pinned are read whole later. */
const WITHOUT_CONTENT = 0;

async function foundSessions(
  platform: Platform,
  { identifiers }: Config,
  { since, limit, signal, agentId, search }: SyncOptions,
) {
  const query = { since, agentId, search, identifiers, limit: WITHOUT_CONTENT };
  const { rest, replays, traces, lookedBackTo } = await findConversations(platform, query, { signal });
  const unseen: SyncNote[] =
    lookedBackTo === undefined ? [] : [{ kind: 'unseen', traces, before: justAfter(lookedBackTo) }];
  return { chosen: rest.slice(0, limit), left: Math.max(0, rest.length - limit), replays, unseen };
}

/** Whether the pin that is there holds its last turn. */
async function isPinned({ id, turns }: Conversation, { root }: Config, dir: string): Promise<boolean> {
  const last = turns.at(-1)?.id;
  const present = last === undefined ? undefined : await presentPin(id, { dir, root });
  return present?.session.turns.some(({ recorded }) => recorded.traceId === last) === true;
}

/** In bytes. Larger pins are a burden in a repository. */
const LARGE = 5_000_000;

async function syncOne(
  conversation: Conversation,
  platform: Platform,
  config: Config,
  options: SyncOptions,
): Promise<(Synced & { readonly id: string })[]> {
  const { id } = conversation;
  const { signal, agentId, update, readsAgain, dir } = options;
  try {
    if (!update && !readsAgain && (await isPinned(conversation, config, dir))) return [{ kind: 'known', id }];
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

/** The exclusive end of a time that contains this moment. */
function justAfter(time: string): string {
  return new Date(Date.parse(time) + 1).toISOString();
}
