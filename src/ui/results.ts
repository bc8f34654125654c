import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { AgentReplayError } from '../errors.ts';
import { OUR_FOLDER, Places, readTextFile } from '../files/index.ts';
import { appendHistory, keptIn, writeReport } from '../job/index.ts';
import { own } from '../json/index.ts';
import {
  type KeptTrace,
  parseReport,
  placedLines,
  type Report,
  RunHistory,
  renderMarkdown,
  type SessionResult,
} from '../report/index.ts';
import { fileNameFor } from '../session/index.ts';
import type { PastResult, RunResult } from './api-shapes.ts';

/**
 * The page's files, relative to the root. They are plain files as every run leaves them: other commands read them (`accept`),
 * any editor shows them, and they can be deleted by hand. No result depends on a database's version.
 */
export const STATE_FOLDER = `${OUR_FOLDER}/ui`;
/** Beside the default file of `run --history` for `agent-replay history`. */
const HISTORY = `${OUR_FOLDER}/history.ndjson`;
/** Per session; the history keeps the figures of all. */
const MAX_KEPT = 50;

const ID = /^\d{8}T\d{9}Z-[0-9a-f]{6}$/;

export class Results {
  readonly #root: string;
  /** Cached by session, because a list needs all of them at each keystroke. */
  readonly #latest = new Map<string, PastResult>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Names sort by time. */
  newId(): string {
    return `${new Date().toISOString().replace(/[-:.]/g, '')}-${randomBytes(3).toString('hex')}`;
  }

  /** Output folder of one result. @throws AgentReplayError `INPUT_INVALID` if it is not a result's id */
  folder(session: string, id: string): string {
    if (!ID.test(id)) throw new AgentReplayError('INPUT_INVALID', 'There is no such result.');
    return path.join(this.#of(session), id);
  }

  /** The oldest result is removed. @throws AgentReplayError `OUTPUT_NOT_WRITABLE` */
  async keep(session: string, id: string, report: Report): Promise<void> {
    await writeReport(report, { dir: this.folder(session, id), formats: ['json'] });
    // What is tried out here is no night of the agent, and says nothing about its drift.
    const entry = { ...new RunHistory().entryOf(report), drift: undefined };
    await appendHistory(path.join(this.#root, HISTORY), entry);
    for (const old of (await this.#ids(session)).slice(MAX_KEPT)) {
      await rm(this.folder(session, old), { recursive: true, force: true });
    }
  }

  /** @throws AgentReplayError `INPUT_INVALID` */
  async report(session: string, id: string): Promise<Report> {
    const file = path.join(this.folder(session, id), 'report.json');
    const text = await readTextFile(file).catch((cause: unknown) => {
      throw new AgentReplayError('INPUT_INVALID', 'There is no such result.', {
        hint: 'It was deleted, or made room for newer ones: run the session again.',
        cause,
      });
    });
    return parseReport(text, file);
  }

  /** What one behaviour of a result (`cluster` null: the recording) did; undefined if not kept. */
  async trace(
    session: string,
    id: string,
    { turn, cluster }: Pick<KeptTrace, 'turn' | 'cluster'>,
  ): Promise<KeptTrace | undefined> {
    const kept = await keptIn(path.join(this.folder(session, id), 'traces'))(session);
    return kept.find((each) => each.turn === turn && each.cluster === cluster);
  }

  /** The results of a session, newest first, without unreadable ones. */
  async past(session: string): Promise<PastResult[]> {
    const ids = await this.#ids(session);
    const results = await Promise.all(
      ids.map(async (id) => {
        const report = await this.report(session, id).catch(() => undefined);
        return report === undefined ? [] : [pastResult(id, report)];
      }),
    );
    return results.flat();
  }

  async latest(session: string): Promise<PastResult | undefined> {
    const [id] = await this.#ids(session);
    if (id === undefined) return undefined;
    const known = this.#latest.get(session);
    if (known?.id === id) return known;
    const report = await this.report(session, id).catch(() => undefined);
    if (report === undefined) return undefined;
    const latest = pastResult(id, report);
    this.#latest.set(session, latest);
    return latest;
  }

  #of(session: string): string {
    return path.join(this.#root, STATE_FOLDER, 'runs', fileNameFor(session).replace(/\.session\.json$/, ''));
  }

  async #ids(session: string): Promise<string[]> {
    const names = await readdir(this.#of(session)).catch(() => []);
    return names
      .filter((name) => ID.test(name))
      .sort()
      .reverse();
  }
}

/** @param root of the project, where edited lines are looked for */
export function runResult(id: string, session: string, report: Report, root: string): RunResult {
  const files = new Places(root);
  const places = placedLines(report, (clue) => files.of(clue));
  const placesOf = ({ line }: { line: string }) => [own(places, line) ?? []].flat();
  const result = { id, session, report, places, markdown: renderMarkdown(report, { placesOf }) };
  return report.results.status === 'interrupted' ? { ...result, cancelled: cameOf(report) } : result;
}

/** How many requested replays finished; interrupted ones did not. */
function cameOf({ results: { sessions, runs } }: Report): { came: number; total: number } {
  const turns = sessions.flatMap((session) => session.turns);
  const lost = turns.flatMap(({ problems }) => problems).filter(({ code }) => code === 'INTERRUPTED');
  const total = turns.length === 0 ? runs : turns.length * runs;
  const missing = turns.length === 0 ? runs : lost.flatMap((each) => each.runs).length;
  return { came: total - missing, total };
}

function pastResult(id: string, report: Report): PastResult {
  const [session] = report.results.sessions;
  return {
    id,
    startedAt: report.evidence.startedAt,
    isCancelled: report.results.status === 'interrupted',
    ...(session && { session: withoutSteps(session) }),
  };
}

/** What a row tells of it. */
function withoutSteps(session: SessionResult): SessionResult {
  const turns = session.turns.map((turn) => {
    const clusters = turn.comparison.clusters.map((each) => ({ ...each, differences: [], minor: [], texts: [] }));
    return { ...turn, steps: [], pairs: [], comparison: { ...turn.comparison, clusters } };
  });
  return { ...session, turns };
}
