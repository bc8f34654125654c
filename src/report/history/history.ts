import { z } from 'zod';
import { verdict } from '../../compare/index.ts';
import { isJsonObject, parseJson } from '../../json/index.ts';
import { decisiveTurn } from '../outputs/words.ts';
import { level, type Report, type SessionResult, status } from '../schema.ts';

/** Version of a line of the history. One with a higher version is counted, not read. */
const HISTORY_VERSION = 1;

/** Ids, paths and names from outside are kept up to this length: a line stays a line. */
const MAX_NAME_CHARS = 500;
/** More models than this in one run are not listed. */
const MAX_MODELS = 10;

const name = z.string().max(MAX_NAME_CHARS);

/** How one session did in one run: figures of the turn that gave it its verdict. */
const historySession = z.object({
  id: name,
  /** The pin's path from the project's root. */
  pin: name,
  agentId: name.optional(),
  verdict,
  /** What the policy of that run made of it. */
  level,
  /** Runs as recorded, of {@link n}. */
  asRecorded: z.int().nonnegative(),
  /** Runs that could be compared. */
  n: z.int().nonnegative(),
  /** How much the replays agree with each other, see `figures.agreement` of a report. */
  agreement: z.number().min(0).max(1).nullable(),
  /** The least p of its turns, of their last look, where it was judged by shift. */
  p: z.number().min(0).max(1).optional(),
  /** Of that turn: .03 is 3 % further from the recordings than runs of one side are from each other; null: those do not differ. */
  shift: z.number().nullable().optional(),
});
export type HistorySession = z.infer<typeof historySession>;

/** One run, as one line of a history file. Nothing that an agent said is in it. */
export const historyEntry = z.object({
  version: z.literal(HISTORY_VERSION),
  startedAt: z.iso.datetime(),
  /** Version of agent-replay. */
  tool: name,
  status,
  commit: name.optional(),
  branch: name.optional(),
  /** Runs that were asked for, per turn. */
  runs: z.int().positive(),
  strictness: name,
  /** Models that the traces of the replays name. */
  models: z.array(name).max(MAX_MODELS).optional(),
  /** Of all sessions of each agent together, where they were judged by shift: .03 is 3 % further from the recordings. */
  suites: z.array(z.object({ agentId: name.optional(), p: z.number(), shift: z.number().nullable() })).optional(),
  sessions: z.array(historySession),
});
export type HistoryEntry = z.infer<typeof historyEntry>;

/** What a history keeps of a run. */
export function historyEntryOf({ results, evidence }: Report): HistoryEntry {
  const { commit, branch, models = [] } = evidence;
  const suites = (results.shift?.suites ?? []).map(({ agentId, p, shift }) => ({
    ...(agentId !== undefined && { agentId: cut(agentId) }),
    ...{ p, shift },
  }));
  return {
    version: HISTORY_VERSION,
    startedAt: evidence.startedAt,
    tool: cut(evidence.tool.version),
    status: results.status,
    ...(commit !== undefined && { commit: cut(commit) }),
    ...(branch !== undefined && { branch: cut(branch) }),
    runs: results.runs,
    strictness: cut(results.strictness),
    ...(models.length > 0 && { models: models.slice(0, MAX_MODELS).map(cut) }),
    ...(suites.length > 0 && { suites }),
    sessions: results.sessions.map(sessionEntry),
  };
}

function sessionEntry(session: SessionResult): HistorySession {
  const { id, pin, agentId, verdict, level } = session;
  const { figures, stopped } = decisiveTurn(session)?.comparison ?? {};
  const [odd] = session.turns
    .flatMap(({ shift }) => (shift === undefined ? [] : { p: (shift.second ?? shift.first)?.p, shift: shift.shift }))
    .filter((turn): turn is { p: number; shift: number | null | undefined } => turn.p !== undefined)
    .sort((a, b) => a.p - b.p);
  return {
    id: cut(id),
    pin: cut(pin),
    ...(agentId !== undefined && { agentId: cut(agentId) }),
    verdict,
    level,
    asRecorded: figures?.asRecorded ?? 0,
    n: figures?.n ?? 0,
    // Of a turn that was stopped early no rate is given.
    agreement: stopped === null ? (figures?.agreement ?? null) : null,
    ...(odd !== undefined && { p: odd.p, ...(odd.shift !== undefined && { shift: odd.shift }) }),
  };
}

/** A history that was read, oldest run first. */
export interface History {
  readonly entries: readonly HistoryEntry[];
  /** Lines that are no run: cut by a crash, made by a newer version, or not ours. */
  readonly unreadable: number;
}

/** Reads the lines of a history. A line that cannot be read keeps no other from being read. */
export function parseHistory(text: string): History {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const entries = lines.flatMap((line) => parseEntry(line) ?? []);
  return {
    // Lines of runs that went on at once, or that branches brought together, stand in any order.
    entries: entries.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt)),
    unreadable: lines.length - entries.length,
  };
}

function parseEntry(line: string): HistoryEntry | undefined {
  try {
    const value = parseJson(line);
    return isJsonObject(value) ? historyEntry.safeParse(value).data : undefined;
  } catch {
    return undefined;
  }
}

function cut(text: string): string {
  return text.slice(0, MAX_NAME_CHARS).toWellFormed();
}
