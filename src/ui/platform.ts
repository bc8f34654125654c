import { type Config, redactionOf } from '../config/index.ts';
import { redactSession, type Session, sessionsFromTraces } from '../session/index.ts';
import { cut } from '../text/index.ts';
import {
  type Conversation,
  type ConversationQuery,
  findConversations,
  openPlatform,
  type Platform,
  readConversation,
} from '../tracing/index.ts';
import type { PlatformHits, SessionHead } from './api-shapes.ts';
import { platformPlace } from './target.ts';

/** Of a name on the platform. */
const MAX_TITLE_CHARS = 500;
/** Sessions that one search shows. */
const MAX_SHOWN = 500;

/** The platform's recorded sessions. It is opened once, so that all reads share one budget. */
export class PlatformSessions implements AsyncDisposable {
  readonly #config: Config;
  readonly #ending = new AbortController();
  #opened: Promise<Platform> | undefined;
  /** Results of the latest search, because ids that only metadata contains cannot be asked for. */
  #shown: ReadonlyMap<string, Conversation> = new Map();

  constructor(config: Config) {
    this.#config = config;
  }

  /** @throws AgentReplayError `PLATFORM_*`, or that it is not configured; the next call tries again */
  open(): Promise<Platform> {
    this.#opened ??= this.#open().catch((error) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #open(): Promise<Platform> {
    const config = this.#config;
    return openPlatform({ ...platformPlace(config), identifiers: config.identifiers, signal: this.#ending.signal });
  }

  /**
   * The newest matching sessions, as far as their traces show without observations.
   * @throws AgentReplayError as {@link open}
   */
  async search(query: Omit<ConversationQuery, 'limit'>, options: { signal: AbortSignal }): Promise<PlatformHits> {
    const { identifiers } = this.#config;
    const asked = { ...query, limit: MAX_SHOWN, identifiers };
    const { conversations, traces, lookedBackTo } = await findConversations(await this.open(), asked, options);
    this.#shown = new Map(conversations.map((conversation) => [conversation.id, conversation]));
    return {
      sessions: conversations.map((conversation) => this.#headOf(conversation)),
      ...(lookedBackTo === undefined ? {} : { traces, lookedBackTo }),
    };
  }

  /**
   * A whole recorded session, redacted as configured; several if a trace contains several.
   * @throws AgentReplayError `NO_SESSIONS`, and as {@link open}
   */
  async read(id: string, { signal }: { signal: AbortSignal }): Promise<Session[]> {
    const { redact, request, identifiers } = this.#config;
    const traces = await readConversation(await this.open(), id, { signal, known: this.#shown.get(id) });
    const { sessions } = sessionsFromTraces(traces, { ...request, identifiers });
    const redaction = redactionOf(this.#config);
    return sessions.map((recorded) => redactSession(recorded, { ...redact, known: redaction.text }).session);
  }

  #headOf({ id, turns }: Conversation): SessionHead {
    const { identifiers, request } = this.#config;
    const [session] = sessionsFromTraces([...turns], { ...request, identifiers }).sessions;
    const last = turns.at(-1);
    return {
      id,
      agentId: session?.agentId ?? '',
      title: cut(session?.title ?? last?.name ?? '', MAX_TITLE_CHARS),
      asked: '',
      turns: turns.length,
      recordedAt: last?.timestamp ?? '',
      source: 'platform',
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    const platform = await this.#opened?.catch(() => undefined);
    await platform?.[Symbol.asyncDispose]();
  }
}
