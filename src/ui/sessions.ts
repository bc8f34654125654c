import { plainSteps } from '../compare/index.ts';
import type { Config } from '../config/index.ts';
import { AgentReplayError, asAgentReplayError } from '../errors.ts';
import { type SyncStep, syncSessions } from '../job/index.ts';
import { textOrJson } from '../json/index.ts';
import { toProblem } from '../report/index.ts';
import { askedIn, loadPins, type Pin, type Session, savePin } from '../session/index.ts';
import type { ConversationQuery } from '../tracing/index.ts';
import type { SessionHead, SyncState } from './api-shapes.ts';
import type { PlatformSessions } from './platform.ts';
import { STATE_FOLDER } from './results.ts';

/** Folder of imported sessions that nobody has pinned, relative to the root. No pattern of pins finds what begins with a dot. */
const IMPORTED = `${STATE_FOLDER}/sessions`;
/** During typing, files are not read again for each keystroke. */
const FRESH_MS = 2_000;
/** If reading takes long, it is done less often, for at most a fifth of the time. */
const FRESH_SHARE = 4;
/** Conversations per import, the newest. */
const MAX_IMPORTED = 200;

interface Found {
  /** Pins, and imports in the same form. */
  readonly sessions: readonly Pin[];
  /** Files that cannot be read. */
  readonly problems: readonly AgentReplayError[];
}

/** The sessions of a project: pins, and imports from the platform. */
export class Sessions {
  readonly #config: Config;
  readonly #platform: PlatformSessions;
  #synced: SyncState | null = null;
  #syncing: AbortController | undefined;
  #latest: { until: number; readonly found: Promise<Found> } | undefined;

  constructor(config: Config, platform: PlatformSessions) {
    this.#config = config;
    this.#platform = platform;
  }

  /** All sessions; if one is both imported and pinned, the pin counts. External changes show within seconds. */
  all(): Promise<Found> {
    const now = performance.now();
    if (this.#latest !== undefined && now < this.#latest.until) return this.#latest.found;
    const latest = { until: Number.POSITIVE_INFINITY, found: this.#read() };
    const settle = (): void => {
      const ended = performance.now();
      latest.until = ended + FRESH_MS + FRESH_SHARE * (ended - now);
    };
    latest.found.then(settle, settle);
    this.#latest = latest;
    return latest.found;
  }

  /** Call this after writing a file: it is read before the next answer. */
  changed(): void {
    this.#latest = undefined;
  }

  async #read(): Promise<Found> {
    const { root, maxPins } = this.#config;
    const [pinned, imported] = await Promise.all([
      loadPins(this.#config.sessions, { root, allowEmpty: true, limits: { files: maxPins } }),
      loadPins(`${IMPORTED}/*.session.json`, { root, allowEmpty: true }),
    ]);
    const known = new Map([...imported.pins, ...pinned.pins].map((file) => [file.session.id, file]));
    return { sessions: [...known.values()], problems: [...pinned.problems, ...imported.problems] };
  }

  /** The sessions that hold all words of a search, newest first. */
  async find({ search = '', agentId }: Pick<ConversationQuery, 'search' | 'agentId'>): Promise<SessionHead[]> {
    const { sessions } = await this.all();
    const words = plain(search).split(/[\s_]+/);
    return sessions
      .filter((file) => {
        if (agentId !== undefined && file.session.agentId !== agentId) return false;
        return words.every((word) => textOf(file).includes(word));
      })
      .sort((a, b) => (b.session.recordedAt ?? '').localeCompare(a.session.recordedAt ?? ''))
      .map(headOf);
  }

  /**
   * One session, imported from the platform if necessary.
   * @throws AgentReplayError `NO_SESSIONS`, `PLATFORM_*`
   */
  async get(id: string, options: { signal: AbortSignal }): Promise<Pin> {
    const known = await this.#known(id);
    if (known !== undefined) return known;
    await this.#platform.open().catch((error) => {
      throw notThere(id, asAgentReplayError(error));
    });
    await this.#keep(await this.#platform.read(id, options));
    const imported = await this.#known(id);
    if (imported === undefined) throw notThere(id, undefined);
    return imported;
  }

  async #known(id: string): Promise<Pin | undefined> {
    const { sessions } = await this.all();
    return sessions.find(({ session }) => session.id === id);
  }

  /** Of the last import; null before the first. */
  get synced(): SyncState | null {
    return this.#synced;
  }

  /** Begins to import sessions recorded since a time, newest first, in place of an import that is under way. */
  startSync(query: Omit<ConversationQuery, 'limit'>): void {
    this.stopSync();
    this.#syncing = new AbortController();
    void this.#sync(query, this.#syncing.signal);
  }

  stopSync(): void {
    this.#syncing?.abort();
    if (!this.#synced?.isRunning) return;
    // Of an import that did not know its sessions yet, nothing can be said.
    this.#synced = this.#synced.count === 0 ? null : { ...this.#synced, isRunning: false };
  }

  /** Never throws. */
  async #sync(query: Omit<ConversationQuery, 'limit'>, signal: AbortSignal): Promise<void> {
    const { since = new Date(0).toISOString(), search, agentId } = query;
    let state: SyncState = { isRunning: true, imported: 0, count: 0, skipped: [] };
    const tell = (more: Partial<SyncState>) => {
      state = { ...state, ...more };
      // What it waits for may go on for a while after it was stopped.
      if (!signal.aborted) this.#synced = state;
    };
    tell({});
    try {
      const options = { ids: [], limit: MAX_IMPORTED, dir: IMPORTED, update: true, dryRun: false, signal };
      const steps = syncSessions(await this.#platform.open(), this.#config, { ...options, since, search, agentId });
      for await (const step of steps) {
        if ('total' in step) tell({ count: step.total });
        const reason = whyNot(step);
        if (reason !== undefined && 'id' in step) tell({ skipped: [...state.skipped, { id: step.id, reason }] });
        if (!('file' in step)) continue;
        this.changed();
        tell({ imported: state.imported + 1 });
      }
    } catch (error) {
      tell({ failure: toProblem(asAgentReplayError(error)) });
    }
    tell({ isRunning: false });
  }

  /** As imported. */
  async #keep(sessions: readonly Session[]): Promise<void> {
    const { root } = this.#config;
    for (const session of sessions) await savePin(session, { root, dir: IMPORTED, overwrite: true });
    this.changed();
  }

  /** @returns its path relative to the root @throws AgentReplayError as `savePin` */
  async pin({ session }: Pin): Promise<string> {
    const { root, sessions } = this.#config;
    const [pattern = ''] = [sessions].flat();
    // The folder where the configuration looks for pins, if its pattern names one.
    const dir = pattern.split(/[*?[{]/)[0]?.replace(/(?<![^/])[^/]*$/, '') || 'replays';
    const file = await savePin(session, { root, dir, overwrite: false });
    this.changed();
    return file;
  }
}

/** Whether it is one of the user's pins; otherwise it was imported. */
export function isPinned(file: Pick<Pin, 'path'>): boolean {
  return !file.path.startsWith(`${IMPORTED}/`);
}

export function headOf(file: Pin): SessionHead {
  const { session, turns } = file;
  return {
    id: session.id,
    agentId: session.agentId ?? '',
    title: session.title ?? '',
    asked: askedIn(session.turns[0]?.request, MAX_ASKED_CHARS) ?? '',
    turns: turns.length,
    recordedAt: session.recordedAt ?? '',
    source: isPinned(file) ? 'pinned' : 'synced',
    replayable: turns.some(({ ok }) => ok),
  };
}

/** Why a session was not imported. */
function whyNot(step: SyncStep): string | undefined {
  if (step.kind === 'failed') return step.error.message;
  return step.kind === 'skipped' ? step.reason : undefined;
}

/** Of what the user wrote first. */
const MAX_ASKED_CHARS = 200;

/** In lower case, without accents. */
function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

const texts = new WeakMap<Pin, string>();

/** What a session is found by: its id, title and agent, what was asked, and what the agent did. */
function textOf(file: Pin): string {
  const { id, title = '', agentId = '', turns } = file.session;
  const known =
    texts.get(file) ??
    plain(
      [
        ...[id, title, agentId],
        ...turns.flatMap(({ request, recorded }) => [
          askedIn(request, Number.POSITIVE_INFINITY) ?? '',
          ...plainSteps(recorded).flatMap(({ name = '', value }) => [name, textOrJson(value) ?? '']),
        ]),
      ].join('\n'),
    );
  texts.set(file, known);
  return known;
}

/** Why no turn of a session can be replayed; empty if one can. */
export function reasonOf({ turns }: Pin): string {
  const [first] = turns;
  return turns.some(({ ok }) => ok) || first === undefined || first.ok ? '' : first.reason;
}

function notThere(id: string, cause: AgentReplayError | undefined): AgentReplayError {
  return new AgentReplayError('NO_SESSIONS', `There is no session ${JSON.stringify(id)} in this project.`, {
    evidence: cause === undefined ? [] : [`and the platform could not be asked: ${cause.message}`, ...cause.evidence],
    hint: cause?.hint ?? 'Correct the id, or sync from the platform.',
    cause,
  });
}
