import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readTextFile } from '../../file.ts';
import { jsonIn } from '../../json/index.ts';
import { makeOutputFolder } from '../running/output-folder.ts';

/** Times in ISO 8601; the end is left out. */
const timeWindow = z.object({ since: z.iso.datetime(), until: z.iso.datetime() });
export type TimeWindow = Readonly<z.infer<typeof timeWindow>>;

const place = z.object({
  /** When it was last looked through, ISO 8601. */
  lookedAt: z.iso.datetime().optional(),
  /** Where sessions are that were seen and not pinned, or not looked for. */
  left: timeWindow.optional(),
  /** The last turn of each session that was pinned, by session. */
  lastTurns: z.array(z.tuple([z.string(), z.string()])).default([]),
});

/** What was synced before, by the place that it came from. Losing it costs time only. */
const stateFile = z.object({ version: z.literal(1), places: z.record(z.string(), place) });

/** Traces can become visible so much later than they were made: SDKs before OpenTelemetry. */
const LATE_MS = 15 * 60_000;
/** Sessions that are remembered of one place, the newest. */
const MAX_SESSIONS = 10_000;

/** What is remembered of the syncs from one place. */
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
   * @param file is made when it is first saved; one that cannot be read counts as none
   * @param placeName where sessions come from
   */
  static async load(file: string, placeName: string): Promise<SyncState> {
    const text = await readTextFile(file).catch(() => '');
    const { data } = stateFile.safeParse(jsonIn(text));
    return new SyncState(file, placeName, data?.places ?? {});
  }

  /** From when on something new can be; undefined when it was never looked through. */
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

  /** What earlier syncs have left. */
  get left(): TimeWindow | undefined {
    return this.#left;
  }

  /**
   * To be called when all since a time was looked through, but for what is left of it.
   * @param options.goOn what was left before was looked through as well
   */
  lookedAt(time: string, { since, goOn, left }: { since: string; goOn: boolean; left: readonly TimeWindow[] }): void {
    const windows = [...left, ...(goOn || this.#left === undefined ? [] : [this.#left])];
    const [from] = windows.map((window) => window.since).sort();
    const until = windows
      .map((window) => window.until)
      .sort()
      .at(-1);
    this.#left = from === undefined || until === undefined ? undefined : { since: from, until };
    // What lies between two times that were looked through is not passed over.
    if (this.since === undefined || since <= this.since) this.#lookedAt = time;
  }

  async save(): Promise<void> {
    const own: z.infer<typeof place> = {
      ...(this.#lookedAt === undefined ? {} : { lookedAt: this.#lookedAt }),
      ...(this.#left === undefined ? {} : { left: this.#left }),
      lastTurns: [...this.#lastTurns].slice(-MAX_SESSIONS),
    };
    const state: z.infer<typeof stateFile> = { version: 1, places: { ...this.#others, [this.#place]: own } };
    await makeOutputFolder(path.dirname(this.#file));
    await writeFile(this.#file, `${JSON.stringify(state)}\n`);
  }
}
