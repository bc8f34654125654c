import { type Config, redactionOf } from '../config/index.ts';
import { redactSession, type Session, sessionsFromTraces } from '../session/index.ts';
import { openPlatform, type Platform, readConversation } from '../tracing/index.ts';
import { platformPlace } from './target.ts';

/** The platform's recorded sessions. It is opened once, so that all reads share one budget. */
export class PlatformSessions implements AsyncDisposable {
  readonly #config: Config;
  readonly #ending = new AbortController();
  #opened: Promise<Platform> | undefined;

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
   * A whole recorded session, redacted as configured; several if a trace contains several.
   * @throws AgentReplayError `NO_SESSIONS`, and as {@link open}
   */
  async read(id: string, { signal }: { signal: AbortSignal }): Promise<Session[]> {
    const { redact, request, identifiers } = this.#config;
    const traces = await readConversation(await this.open(), id, { signal });
    const { sessions } = sessionsFromTraces(traces, { ...request, identifiers });
    const redaction = redactionOf(this.#config);
    return sessions.map((recorded) => redactSession(recorded, { ...redact, known: redaction.text }).session);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    const platform = await this.#opened?.catch(() => undefined);
    await platform?.[Symbol.asyncDispose]();
  }
}
