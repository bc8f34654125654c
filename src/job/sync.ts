import path from 'node:path';
import type { Config } from '../config/index.ts';
import type { Trace } from '../contract/index.ts';
import { type AgentReplayError, asAgentReplayError } from '../errors.ts';
import {
  fileNameFor,
  type PinChanges,
  pinChanges,
  presentPin,
  type Session,
  type SkippedTrace,
  savePin,
  sessionsFromTraces,
  updatedPin,
} from '../session/index.ts';
import {
  type Conversation,
  findConversations,
  namedConversations,
  type Platform,
  readConversation,
} from '../tracing/index.ts';
import { inOrder } from './in-order.ts';
import { type Doubts, type PinnedSession, pinnedSession } from './pinned.ts';
import type { SyncState } from './sync-state.ts';

/** Which recorded sessions become pins, and how. */
export interface SyncOptions {
  /** Of sessions; trace ids stand for their session with those turns alone. None: the newest ones that are meant. */
  readonly ids: readonly string[];
  /** ISO 8601. */
  readonly since: string;
  readonly limit: number;
  readonly search?: string | undefined;
  readonly agentId?: string | undefined;
  /** Folder of the pins, from the root of the configuration. */
  readonly dir: string;
  /** Replaces pins that differ. */
  readonly update: boolean;
  /** Writes nothing. */
  readonly dryRun: boolean;
  /** What was pinned before: what has had no turn since is not read again. */
  readonly state?: SyncState | undefined;
  readonly signal: AbortSignal;
}

/** What became of one session. */
export type Synced =
  | ({ readonly kind: 'written' | 'unchanged' } & Pinned)
  /** It is pinned already, and differs. It was replaced when that was asked for. */
  | ({ readonly kind: 'updated' | 'kept'; readonly changes: PinChanges } & Pinned)
  /** Pinned before, and without a turn since: it was not read. */
  | { readonly kind: 'known'; readonly id: string }
  | { readonly kind: 'failed'; readonly id: string; readonly error: AgentReplayError }
  | ({ readonly kind: 'skipped' } & SkippedTrace);

interface Pinned extends PinnedSession {
  readonly file: string;
}

/** One of so many. */
export type SyncStep = Synced & { readonly number: number; readonly total: number };

/** Reads of sessions at once: the connection has as many. */
const AT_ONCE = 4;

/**
 * Makes pins of recorded sessions, one after another; what is wrong with one concerns no other. What was done is
 * remembered at once, so that it goes on where it was broken off.
 * @throws AgentReplayError `PLATFORM_*` when nothing can be read at all
 */
export async function* syncSessions(
  platform: Platform,
  config: Config,
  options: SyncOptions,
): AsyncGenerator<SyncStep> {
  const { signal, state, ids } = options;
  const startedAt = new Date().toISOString();
  const replays: string[] = [];
  const found =
    ids.length > 0
      ? await namedConversations(platform, ids, { signal, identifiers: config.identifiers })
      : await findConversations(
          platform,
          { ...options, identifiers: config.identifiers, onReplay: (id) => replays.push(id) },
          { signal },
        );
  const total = found.length;
  for (const traceId of replays) {
    yield { kind: 'skipped', traceId, reason: 'it is a replay, not an original', number: 0, total };
  }
  let isWhole = total < options.limit && options.search === undefined && options.agentId === undefined;
  let number = 0;
  for await (const steps of inOrder(found, AT_ONCE, (each) => syncOne(each, platform, config, options))) {
    number++;
    for (const step of steps) {
      if (step.kind === 'failed') isWhole = false;
      if (isDone(step)) state?.pinned(step.id, lastTurn(found[number - 1]));
      yield { ...step, number, total };
    }
    await remember(options);
  }
  // With ids nothing is known of the others, and what was cut off has not been looked at.
  if (isWhole && ids.length === 0) state?.lookedAt(startedAt);
  await remember(options);
}

async function remember({ state, dryRun }: SyncOptions): Promise<void> {
  if (!dryRun) await state?.save();
}

async function syncOne(
  known: Conversation,
  platform: Platform,
  config: Config,
  options: SyncOptions,
): Promise<(Synced & { readonly id: string })[]> {
  const { id } = known;
  const { state, signal, agentId, dir, dryRun } = options;
  try {
    const place = { dir, root: config.root };
    const isKnown = known.turns.length > 0 && state?.lastTurnOf(id) === lastTurn(known);
    if (isKnown && !dryRun && (await presentPin(id, place)) !== undefined) return [{ kind: 'known', id }];
    const traces = await readConversation(platform, id, { signal, known });
    const { sessions, skipped, ...doubts } = sessionsFromTraces(traces, {
      agentId,
      ...config.request,
      identifiers: config.identifiers,
    });
    const pinned = [];
    for (const session of sessions) {
      pinned.push({ ...(await pinOne(session, traces, doubts, config, options)), id });
    }
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
  traces: readonly Trace[],
  doubts: Doubts,
  config: Config,
  { dir, update, dryRun }: SyncOptions,
): Promise<Synced> {
  const redacted = pinnedSession(recorded, traces, doubts, config);
  const place = { dir, root: config.root };
  const present = await presentPin(recorded.id, place);
  const session = present === undefined ? redacted.session : updatedPin(redacted.session, present.session);
  const changes = present && pinChanges(present.session, session);
  const pinned = { ...redacted, session };
  if (present !== undefined && changes === undefined) return { kind: 'unchanged', file: present.file, ...pinned };
  if (present !== undefined && changes !== undefined && !update) {
    return { kind: 'kept', file: present.file, changes, ...pinned };
  }
  const file = dryRun
    ? path.posix.join(dir, fileNameFor(session.id))
    : await savePin(session, { ...place, overwrite: update });
  return changes === undefined ? { kind: 'written', file, ...pinned } : { kind: 'updated', file, changes, ...pinned };
}

function isDone({ kind }: Synced): boolean {
  return kind === 'written' || kind === 'updated' || kind === 'unchanged' || kind === 'known';
}

function lastTurn(conversation: Conversation | undefined): string | undefined {
  return conversation?.turns.at(-1)?.timestamp;
}
