import { z } from 'zod';
import { ownSettings } from '../../config/index.ts';
import { report, toProblem } from '../../report/index.ts';
import { session } from '../../session/index.ts';
import { replayedRecording } from '../../trace/index.ts';
import type { RunSettings } from '../judging/run-settings.ts';
import { runSettings } from '../judging/run-settings.ts';
import { type RunAbout, runAbout } from '../running/about.ts';
import { scopeOf } from '../running/plan.ts';
import type { RunPlan } from '../running/shard.ts';

/** What a journal notes down as a report tells it. */
const { results, evidence } = report.shape;
const replay = evidence.shape.runs.element;
const problem = results.shape.problems.element;
const { judgements } = results.shape.sessions.element.shape.turns.element.shape;

/** Version of the journal's format. A file with a higher one is not read. */
export const JOURNAL_VERSION = 1;

/** First line: what was to be done, and what by. */
const header = z.object({
  type: z.literal('journal'),
  version: z.literal(JOURNAL_VERSION),
  ...runAbout.shape,
  settings: runSettings,
  /** Of a shard: a digest of what all of them together are to do. */
  whole: z.string().optional(),
  /** Numbers of the runs that were to be made of each turn. */
  made: z.array(z.int().positive()),
  sessions: z.array(
    z.object({
      id: z.string(),
      path: z.string(),
      title: z.string().optional(),
      agentId: z.string().optional(),
      /** Turns that were to be replayed. */
      turns: z.array(z.int().positive()),
      /** Of a session that has settings of its own; `made` are the numbers of its runs. */
      own: ownSettings.optional(),
      made: z.array(z.int().positive()).optional(),
      quarantine: z.object({ until: z.iso.date(), why: z.string() }).optional(),
      problems: z.array(problem),
    }),
  ),
  /** Failures that belong to no session, known before anything was started. */
  problems: z.array(problem),
});
export type JournalHeader = Omit<z.infer<typeof header>, 'type' | 'version'>;

/** @param plan of the run, or of this part of it */
export function journalHeader(about: RunAbout, settings: RunSettings, plan: RunPlan): JournalHeader {
  const scope = scopeOf(plan);
  return {
    ...about,
    settings,
    whole: plan.part?.whole,
    made: [...scope.runs],
    sessions: scope.sessions.map(({ pin, turns, runs, own, quarantine, problems }) => {
      const { id, title, agentId } = pin.session;
      const alone = own && { own, made: [...runs] };
      const told = { id, path: pin.path, title, agentId, turns: [...turns], ...alone };
      return { ...told, quarantine, problems: problems.map(toProblem) };
    }),
    problems: scope.problems.map(toProblem),
  };
}

/** Comes before the first result of its session: what results are compared with. */
const pin = z.object({ type: z.literal('pin'), id: z.string(), session });

/** Comes before the first result that refers to it. */
const behaviour = z.object({ type: z.literal('behaviour'), digest: z.string(), recording: replayedRecording });

const count = z.number().nonnegative();

const usage = z
  .object({
    inputTokens: count.optional(),
    outputTokens: count.optional(),
    cost: count.optional(),
    models: z.array(z.string()).optional(),
  })
  .optional();

export const result = z.object({
  type: z.literal('result'),
  session: z.string(),
  /** Made by the agent of the base. */
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
  }).shape,
  callError: problem.optional(),
  usage,
  warnings: z.array(problem).optional(),
  forbidden: z.array(z.object({ sentence: z.string(), tool: z.string().optional() })).optional(),
  replaced: z.array(replay.shape.replaced.unwrap().element.extend({ usage })).optional(),
  /** Since the run was started. */
  atMs: count,
  /** What it did; runs that behaved alike share the recording of the first. */
  behaviour: z.string().optional(),
  /** When this run's own clock began, in milliseconds since 1970; the recording has that of the first. */
  clock: z.number().optional(),
  /** Or why it is in doubt. */
  error: problem.optional(),
});

/** Kept sessions from being replayed, or came to an agent on the way. */
const failure = z.object({ type: z.literal('failure'), error: problem, sessions: z.array(z.string()) });

/** The commit that runs are judged against. */
const base = z.object({ type: z.literal('base'), ref: z.string(), commit: z.string() });
export type BaseCommit = Omit<z.infer<typeof base>, 'type'>;

/** Why there is no agent of the base for some sessions, by id. */
const noBase = z.object({
  type: z.literal('no-base'),
  agentId: z.string().optional(),
  reason: z.string(),
  sessions: z.array(z.string()),
});
export type NoBase = Omit<z.infer<typeof noBase>, 'type'>;

/** What the user's judge has said of an answer in other words. */
const judged = z.object({
  type: z.literal('judged'),
  session: z.string(),
  turn: z.int().positive(),
  ...judgements.unwrap().element.shape,
});

/** The last lines of an agent's output. */
const log = z.object({ type: z.literal('log'), lines: z.array(z.string()) });

/** What reading the traces of one agent took. */
const tracing = z.object({ type: z.literal('tracing'), sum: evidence.shape.tracing.unwrap() });
export type TracingSum = z.infer<typeof tracing>['sum'];

/** Last line: what is missing will not come. */
const end = z.object({
  type: z.literal('end'),
  durationMs: count,
  interruptedBy: evidence.shape.interruptedBy.unwrap().exclude(['unknown']).optional(),
  /** Why it came before everything had been done. */
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
