import path from 'node:path';
import { type Config, redactionOf } from '../../config/index.ts';
import { AgentReplayError, asAgentReplayError } from '../../errors.ts';
import { redactor } from '../../redaction/index.ts';
import {
  loadPins,
  type PinnedTurn,
  presentPin,
  recordingOf,
  replayable,
  type Session,
  savePin,
  sessionsFromTraces,
} from '../../session/index.ts';
import { endedInError, isTool, type Trace } from '../../trace/index.ts';
import type { SeenTurn } from '../../tracing/index.ts';
import { type PinningResult, pinnedSession } from './pinned.ts';

export type RecordedTurnEvent =
  | ({ readonly kind: 'pinned'; readonly file: string; readonly isNew: boolean } & PinningResult)
  /** Not written. `isTurn`: it is certainly a turn, so its user will miss it. */
  | { readonly kind: 'left'; readonly name: string; readonly reason: string; readonly isTurn: boolean }
  | { readonly kind: 'failed'; readonly error: AgentReplayError };

interface Options {
  readonly dir: string;
  readonly name?: string;
  readonly update: boolean;
  readonly on: (event: RecordedTurnEvent) => void;
}

const MAX_WORDS = 6;
const MAX_NAME_CHARS = 40;

/** Each successful turn is added to its session's pin at once. */
export class RecordedSessions {
  readonly #config: Config;
  readonly #options: Options;
  readonly #traces = new Map<string, Trace>();
  /** Pieces of turns whose first trace has not come: their exporter may be slower with it. */
  readonly #alone = new Map<string, Trace>();
  #turns = 0;
  /** Files of the written sessions, by session id. */
  readonly #files = new Map<string, string>();
  /** Files that existed before, by session id. */
  #present: Promise<ReadonlyMap<string, string>> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(config: Config, options: Options) {
    this.#config = config;
    this.#options = options;
  }

  get turns(): number {
    return this.#turns;
  }

  /** The written pins, relative to the root. */
  get files(): readonly string[] {
    return [...this.#files.values()];
  }

  /** Turns are written one after another. */
  take(turn: SeenTurn): void {
    this.#write(() => this.#take(turn));
  }

  #write(work: () => Promise<void>): void {
    this.#writing = this.#writing
      .then(work)
      .catch((error: unknown) => this.#options.on({ kind: 'failed', error: asAgentReplayError(error) }));
  }

  /** Resolves once every turn taken is written. */
  async written(): Promise<void> {
    await this.#writing;
    for (const trace of this.#alone.values()) this.#write(() => this.#pin(trace, { isLast: true }));
    await this.#writing;
  }

  async #take({ trace, lacking }: SeenTurn): Promise<void> {
    if (lacking.length > 0) return this.#leave(trace, `its trace lacks ${lacking.join(', ')}`);
    if (endedInError(recordingOf(trace))) return this.#leave(trace, `the turn failed${failureIn(trace)}`);
    this.#traces.set(trace.id, trace);
    return this.#pin(trace, { isLast: false });
  }

  #leave(trace: Trace, reason: string): void {
    this.#traces.delete(trace.id);
    const isTurn = trace.observations.some((each) => each.type === 'generation' || isTool(each));
    this.#options.on({ kind: 'left', name: trace.name ?? trace.id, reason, isTurn });
  }

  /** @param options.isLast no other piece of its turn will come */
  async #pin(trace: Trace, { isLast }: { readonly isLast: boolean }): Promise<void> {
    const { sessions, skipped, ...doubts } = sessionsFromTraces([...this.#traces.values()], {
      ...this.#config.request,
      identifiers: this.#config.identifiers,
    });
    const refused = skipped.find(({ traceId }) => traceId === trace.id);
    if (refused !== undefined) return this.#leave(trace, refused.reason);
    const made = doubts.traces.find(({ id, pieces = [id] }) => pieces.includes(trace.id)) as Trace;
    if (made.pieces?.length === 1 && !isLast) return void this.#alone.set(trace.id, trace);
    for (const id of made.pieces ?? []) this.#alone.delete(id);
    const isMade = ({ recorded }: PinnedTurn) => recorded.traceId === made.id;
    const session = sessions.find(({ turns }) => turns.some(isMade)) as Session;
    const status = replayable(session.turns.find(isMade) as PinnedTurn);
    if (!status.ok) return this.#leave(trace, status.reason);
    this.#turns = doubts.traces.length - this.#alone.size;
    const pinned = pinnedSession(session, doubts, this.#config);
    const { file, isNew } = await this.#save(pinned.session, session.title);
    this.#options.on({ kind: 'pinned', file, isNew, ...pinned });
  }

  async #save(session: Session, title: string | undefined): Promise<{ file: string; isNew: boolean }> {
    const place = { dir: this.#options.dir, root: this.#config.root };
    const own = this.#files.get(session.id);
    this.#present ??= presentIn(this.#options.dir, this.#config);
    const before = (await this.#present).get(session.id);
    if (own === undefined && before !== undefined && !this.#options.update) throw recordedBefore(session.id, before);
    const file = own ?? before;
    const name = file === undefined ? await this.#freeName(session, title) : path.posix.basename(file);
    const at = { ...place, ...(file === undefined ? {} : { dir: path.posix.dirname(file) }), name };
    const replaced = file === undefined ? undefined : await presentPin(session.id, at);
    const kept = replaced?.updatedTo(session) ?? session;
    const written = await savePin(kept, { ...at, overwrite: file !== undefined });
    this.#files.set(session.id, written);
    return { file: written, isNew: own === undefined };
  }

  /** Undefined: the name is derived from the id. */
  async #freeName(session: Session, title: string | undefined): Promise<string | undefined> {
    const words = this.#options.name ?? this.#wordsOf(title);
    if (words === undefined) return undefined;
    const place = { dir: this.#options.dir, root: this.#config.root };
    for (let number = 1; ; number++) {
      const name = number === 1 ? words : `${words}-${number}`;
      const isTaken = await presentPin(session.id, { ...place, name }).then(
        (pin) => pin !== undefined,
        (error: AgentReplayError) => {
          if (error.code.startsWith('PIN_')) return true;
          throw error;
        },
      );
      if (!isTaken) return name;
    }
  }

  /** `Please refund 17 EUR, order A-7!` -> `please-refund-17-eur-order-a`; undefined if it contains personal data. */
  #wordsOf(title = ''): string | undefined {
    const { patterns } = this.#config.redact;
    const known = redactionOf(this.#config).text;
    if (redactor({ personal: true, patterns, known })(title) !== title) return undefined;
    const words = title.toLowerCase().match(/[\p{L}\p{N}]{1,100}/gu) ?? [];
    let name = '';
    for (const word of words.slice(0, MAX_WORDS)) {
      const longer = name === '' ? word : `${name}-${word}`;
      if ([...longer].length > MAX_NAME_CHARS) break;
      name = longer;
    }
    return /[a-z]/.test(name) ? name : undefined;
  }
}

/** Pins that the folder already contains. Unreadable ones are left out: `run` reports them. */
async function presentIn(dir: string, { root }: Config): Promise<ReadonlyMap<string, string>> {
  const { pins } = await loadPins(`${dir}/**/*.session.json`, { root, allowEmpty: true });
  return new Map(pins.map(({ session, path: file }) => [session.id, file]));
}

function failureIn({ observations }: Trace): string {
  const message = observations.find(({ level }) => level === 'ERROR')?.statusMessage;
  return message === undefined ? '' : `: ${message}`;
}

function recordedBefore(id: string, file: string): AgentReplayError {
  return new AgentReplayError('PIN_EXISTS', `The session ${JSON.stringify(id)} is pinned already.`, {
    location: { file },
    hint: 'Give the conversation another id, or replace the pin with --update.',
  });
}
