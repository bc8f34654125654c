import { z } from 'zod';
import { outcome } from '../../compare/index.ts';
import { isJsonObject, jsonIn, present } from '../../json/index.ts';
import { nightDrift } from '../../shift/index.ts';
import { level, type Report, type SessionResult, status } from '../schema.ts';
import { decisiveTurn } from '../words/words.ts';
import { nightsWith } from './drift.ts';

/** Version of a history line. Lines of a higher version are counted but not read. */
const HISTORY_VERSION = 1;

/** Longer ids, paths and names from outside are cut, so that a line stays short. */
const MAX_NAME_CHARS = 500;
/** Further models of a run are not listed. */
const MAX_MODELS = 10;

const name = z.string().max(MAX_NAME_CHARS);

/** How one session did in one run: figures of the turn that decided its verdict. */
const historySession = z.lazy(() =>
  z.object({
    id: name,
    /** The pin's path, relative to the project's root. */
    pin: name,
    agentId: name.optional(),
    verdict: outcome,
    /** The level that the policy of that run gave it. */
    level,
    /** Runs as recorded, of {@link n}. */
    asRecorded: z.int().nonnegative(),
    /** Runs that could be compared. */
    n: z.int().nonnegative(),
    /** How much the replays agree with each other; see `figures.agreement` of a report. */
    agreement: z.number().min(0).max(1).nullable(),
  }),
);

/** One run as one line of a history file. It contains nothing that an agent said. Few runs read one. */
const historyEntry = z.lazy(() =>
  z.object({
    version: z.literal(HISTORY_VERSION),
    startedAt: z.iso.datetime(),
    /** Version of agent-replay. */
    tool: name,
    status,
    commit: name.optional(),
    branch: name.optional(),
    /** Requested runs per turn. */
    runs: z.int().positive(),
    strictness: name,
    /** Models named in the traces of the replays. */
    models: z.array(name).max(MAX_MODELS).optional(),
    /** What the nights up to this one show together, for each agent judged by shift. */
    drift: z.array(nightDrift).optional(),
    sessions: z.array(historySession),
  }),
);
export type HistoryEntry = z.infer<typeof historyEntry>;

/** @param before earlier runs of the history, oldest first */
export function historyEntryOf(report: Report, before: readonly HistoryEntry[] = []): HistoryEntry {
  const { results, evidence } = report;
  const { commit, branch, models = [] } = evidence;
  const drift = nightsWith(report, before).map((night) => night.drift);
  return {
    version: HISTORY_VERSION,
    startedAt: evidence.startedAt,
    tool: cut(evidence.tool.version),
    status: results.status,
    ...present({ commit: commit && cut(commit), branch: branch && cut(branch) }),
    runs: results.runs,
    strictness: cut(results.strictness),
    ...(models.length > 0 && { models: models.slice(0, MAX_MODELS).map(cut) }),
    ...(drift.length > 0 && { drift }),
    sessions: results.sessions.map(sessionEntry),
  };
}

function sessionEntry(session: SessionResult): HistoryEntry['sessions'][number] {
  const { id, pin, agentId, verdict, level } = session;
  const { figures } = decisiveTurn(session)?.comparison ?? {};
  return {
    id: cut(id),
    pin: cut(pin),
    ...(agentId !== undefined && { agentId: cut(agentId) }),
    verdict,
    level,
    asRecorded: figures?.asRecorded ?? 0,
    n: figures?.n ?? 0,
    agreement: figures?.agreement ?? null,
  };
}

/** The content of a history file, oldest run first. */
export interface History {
  readonly entries: readonly HistoryEntry[];
  /** Number of lines that are not runs: cut by a crash, of a newer version, or foreign. */
  readonly unreadable: number;
}

/** A line that cannot be read does not affect the others. */
export function parseHistory(text: string): History {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const entries = lines.flatMap((line) => parseEntry(line) ?? []);
  return {
    // Parallel runs and merged branches leave lines in any order.
    entries: entries.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt)),
    unreadable: lines.length - entries.length,
  };
}

function parseEntry(line: string): HistoryEntry | undefined {
  const value = jsonIn(line);
  return isJsonObject(value) ? historyEntry.safeParse(value).data : undefined;
}

function cut(text: string): string {
  return text.slice(0, MAX_NAME_CHARS).toWellFormed();
}
