import path from 'node:path';
import { z } from 'zod';
import { readTextFile, replaceFile } from '../../files/index.ts';
import { jsonIn, present } from '../../json/index.ts';
import { makeOutputFolder } from '../records/output-folder.ts';

/** Times in ISO 8601; the end is exclusive. */
const timeWindow = z.object({ since: z.iso.datetime(), until: z.iso.datetime() });
export type TimeWindow = Readonly<z.infer<typeof timeWindow>>;

const place = z.object({
  /** When it was last searched. */
  lookedAt: z.iso.datetime().optional(),
  /** Times with sessions that were seen but not pinned, or not searched. */
  left: timeWindow.optional(),
  /** The last pinned turn of each session, by session. */
  lastTurns: z.array(z.tuple([z.string(), z.string()])).default([]),
});

/** The state of earlier syncs, by their source. Losing it only costs time. */
const stateFile = z.object({ version: z.literal(1), places: z.record(z.string(), place) });

/** Traces can become visible this long after they were made, with SDKs before OpenTelemetry. */
const LATE_MS = 15 * 60_000;
/** Sessions remembered per source, the newest. */
const MAX_SESSIONS = 10_000;

/** The state of earlier syncs from one source. */
export class SyncState {
  readonly #file: string;
  readonly #place: string;
  readonly #lastTurns: Map<string, string>;
  readonly #others: z.infer<typeof stateFile>['places'];
  #lookedAt: string | undefined;
  #left: TimeWindow | undefined;

  private constructor(file: string, placeName: string, places: z.infer<typeof stateFile>['places']) {
    const { [placeName]: own, ...others } = places;
    this.#file = file;
    this.#place = placeName;
    this.#others = others;
    this.#lookedAt = own?.lookedAt;
    this.#left = own?.left;
    this.#lastTurns = new Map(own?.lastTurns);
  }

  /**
   * @param file created when first saved; an unreadable one counts as missing
   * @param placeName the source of sessions
   */
  static async load(file: string, placeName: string): Promise<SyncState> {
    const text = await readTextFile(file).catch(() => '');
    const { data } = stateFile.safeParse(jsonIn(text));
    return new SyncState(file, placeName, data?.places ?? {});
  }

  /** The time from which new sessions are possible; undefined if it was never searched. */
  get since(): string | undefined {
    return this.#lookedAt === undefined ? undefined : new Date(Date.parse(this.#lookedAt) - LATE_MS).toISOString();
  }

  lastTurnOf(session: string): string | undefined {
    return this.#lastTurns.get(session);
  }

  pinned(session: string, lastTurn: string | undefined): void {
    if (lastTurn === undefined) return;
    this.#lastTurns.delete(session);
    this.#lastTurns.set(session, lastTurn);
  }

  /** What earlier syncs left. */
  get left(): TimeWindow | undefined {
    return this.#left;
  }

  /**
   * Call this after everything since a time was searched, except for what is left.
   * @param options.goOn earlier remains were searched as well
   */
  lookedAt(time: string, { since, goOn, left }: { since: string; goOn: boolean; left: readonly TimeWindow[] }): void {
    const windows = [...left, ...(goOn || this.#left === undefined ? [] : [this.#left])];
    const [from] = windows.map((window) => window.since).sort();
    const until = windows
      .map((window) => window.until)
      .sort()
      .at(-1);
    this.#left = from === undefined || until === undefined ? undefined : { since: from, until };
    // A gap between two searched times must not be skipped.
    if (this.since === undefined || since <= this.since) this.#lookedAt = time;
  }

  async save(): Promise<void> {
    const own: z.infer<typeof place> = {
      ...present({ lookedAt: this.#lookedAt, left: this.#left }),
      lastTurns: [...this.#lastTurns].slice(-MAX_SESSIONS),
    };
    const state: z.infer<typeof stateFile> = { version: 1, places: { ...this.#others, [this.#place]: own } };
    await makeOutputFolder(path.dirname(this.#file));
    await replaceFile(this.#file, `${JSON.stringify(state)}\n`);
  }
}
