import { z } from 'zod';
import { ownSettings } from '../../config/index.ts';
import { gateKind, report } from '../../report/index.ts';
import { session } from '../../session/index.ts';
import { replayedRecording } from '../../trace/index.ts';
import { runAbout } from './about.ts';
import { JOURNAL_VERSION } from './journal-file.ts';
import { runSettings } from './run-settings.ts';

/** Parts of the journal that are written as in a report. */
const { results, evidence } = report.shape;
const replay = evidence.shape.runs.element;
const problem = results.shape.problems.element;
const { judgements } = results.shape.sessions.element.shape.turns.element.shape;

/** First line: what the run was to do, and its circumstances. */
const header = z.object({
  type: z.literal('journal'),
  version: z.literal(JOURNAL_VERSION),
  ...runAbout.shape,
  settings: runSettings,
  /** In a shard: a digest of what all shards together are to do. */
  whole: z.string().optional(),
  /** In a shard: the number of sessions of all shards. */
  inAll: z.int().positive().optional(),
  /** Numbers of the runs to make of each turn. */
  made: z.array(z.int().positive()),
  sessions: z.array(
    z.object({
      id: z.string(),
      path: z.string(),
      title: z.string().optional(),
      agentId: z.string().optional(),
      /** Turns to replay. */
      turns: z.array(z.int().positive()),
      /** Its own settings, and the numbers of its runs, where they differ from those of the others. */
      own: ownSettings.optional(),
      made: z.array(z.int().positive()).optional(),
      gate: gateKind.optional(),
      quarantine: z.object({ until: z.iso.date(), why: z.string() }).optional(),
      problems: z.array(problem),
    }),
  ),
  /** Failures that belong to no session, known before the start. */
  problems: z.array(problem),
});
export type JournalHeader = Omit<z.infer<typeof header>, 'type' | 'version'>;

/** Written before the first result of its session. */
const pin = z.object({ type: z.literal('pin'), id: z.string(), session });

/** Written before the first result that refers to it. */
const behaviour = z.object({ type: z.literal('behaviour'), digest: z.string(), recording: replayedRecording });

const count = z.number().nonnegative();

/** Tokens, cost (US dollars) and models of one trace; undefined if no generation shows them. */
const usage = z
  .object({
    inputTokens: count.optional(),
    outputTokens: count.optional(),
    cost: count.optional(),
    models: z.array(z.string()).optional(),
  })
  .optional();
export type TraceUsage = NonNullable<z.infer<typeof usage>>;

export const result = z.object({
  type: z.literal('result'),
  session: z.string(),
  /** The base's agent made it. */
  side: z.literal('base').optional(),
  turn: z.int().positive(),
  run: z.int().positive(),
  ...replay.pick({
    replayRunId: true,
    traceId: true,
    attempts: true,
    status: true,
    callMs: true,
    traceMs: true,
    tools: true,
    late: true,
    ended: true,
  }).shape,
  callError: problem.optional(),
  usage,
  warnings: z.array(problem).optional(),
  forbidden: z.array(z.object({ sentence: z.string(), tool: z.string().optional() })).optional(),
  replaced: z.array(replay.shape.replaced.unwrap().element.extend({ usage })).optional(),
  /** Since the start of the run. */
  atMs: count,
  /** Runs that behaved alike share the recording of the first. */
  behaviour: z.string().optional(),
  /** Start of this run by its own clock, in milliseconds since 1970; the recording has the start of the first run. */
  clock: z.number().optional(),
  /** Why it could not be compared. */
  error: problem.optional(),
});

/** A failure that kept sessions from being replayed, or that an agent had later. */
const failure = z.object({ type: z.literal('failure'), error: problem, sessions: z.array(z.string()) });

/** The commit that runs are judged against. */
const base = z.object({ type: z.literal('base'), ref: z.string(), commit: z.string() });
export type BaseCommit = Omit<z.infer<typeof base>, 'type'>;

/** Why the base has no agent for some sessions, by id. */
const noBase = z.object({
  type: z.literal('no-base'),
  agentId: z.string().optional(),
  reason: z.string(),
  sessions: z.array(z.string()),
});
export type NoBase = Omit<z.infer<typeof noBase>, 'type'>;

/** The user's judge about a reworded answer. */
const judged = z.object({
  type: z.literal('judged'),
  session: z.string(),
  turn: z.int().positive(),
  ...judgements.unwrap().element.shape,
  usage: evidence.shape.usage.shape.judge,
});

/** The last lines of an agent's output. */
const log = z.object({ type: z.literal('log'), lines: z.array(z.string()) });

/** What reading one agent's traces took. */
const tracing = z.object({ type: z.literal('tracing'), sum: evidence.shape.tracing.unwrap() });
export type TracingSum = z.infer<typeof tracing>['sum'];

/** Last line: whatever is missing will not come. */
const end = z.object({
  type: z.literal('end'),
  durationMs: count,
  interruptedBy: evidence.shape.interruptedBy.unwrap().exclude(['unknown']).optional(),
  /** Why the run ended early, if it did. */
  reason: problem.optional(),
});
export type JournalEnd = Omit<z.infer<typeof end>, 'type'>;

export const line = z.discriminatedUnion('type', [
  header,
  pin,
  behaviour,
  result,
  failure,
  base,
  noBase,
  judged,
  log,
  tracing,
  end,
]);
export type Line = z.infer<typeof line>;
/** What is written of a run beside its replays and their failures. */
export type Remark = Extract<Line, { type: 'base' | 'no-base' | 'log' | 'tracing' }>;
