import { z } from 'zod';
import { judgeAnswer, stepKind, turnComparison, verdict } from '../compare/index.ts';
import { gateKind, runShift, shiftEvent, suiteShift, turnShift } from '../shift/index.ts';

/** Version of `report.json`. A higher one is refused, never guessed at. */
export const REPORT_VERSION = 1;

/** Of the whole run. `failed` = diverged, `error` = could not tell. */
export const status = z.enum(['passed', 'failed', 'error', 'interrupted']);
export type Status = z.infer<typeof status>;

/** What can interrupt a run. */
export const signal = z.enum(['SIGINT', 'SIGTERM', 'SIGHUP']);
export type Signal = z.infer<typeof signal>;

/** What ended a run before its time. `unknown`: it left no reason (killed, out of memory, a machine that was lost). */
export const interruptedBy = z.enum([...signal.options, 'unknown']);
export type InterruptedBy = z.infer<typeof interruptedBy>;

/** One part of a run that several jobs share, from 1: its sessions, or its runs of each session. */
export const shard = z.object({
  index: z.int().positive(),
  count: z.int().positive(),
  by: z.enum(['sessions', 'runs']),
});
export type Shard = z.infer<typeof shard>;

/** A failure as data: what a report says of an error. Redacted and bounded like every text of a report. */
export const problem = z.object({
  code: z.string(),
  message: z.string(),
  evidence: z.array(z.string()).default([]),
  hint: z.string().optional(),
  location: z
    .object({
      file: z.string(),
      line: z.int().positive().optional(),
      column: z.int().positive().optional(),
      pointer: z.string().optional(),
    })
    .optional(),
});
export type Problem = z.infer<typeof problem>;

/** Tokens and cost summed from the replay traces that carry them. */
export const usage = z.object({
  calls: z.int().nonnegative(),
  retries: z.int().nonnegative(),
  /** Replays that were made again, as the model's provider had failed them. */
  replaced: z.int().positive().optional(),
  inputTokens: z.number().nonnegative().nullable(),
  outputTokens: z.number().nonnegative().nullable(),
  /** US dollars. */
  cost: z.number().nonnegative().nullable(),
});
export type Usage = z.infer<typeof usage>;

/** What the policy makes of a verdict: it fails the run, it is only said, or it is let pass. */
export const level = z.enum(['error', 'warn', 'off']);
export type Level = z.infer<typeof level>;

/** A step as a report shows it: numbered from 1 in its run, its value as text, cut. */
const laidStep = z.object({
  number: z.int().positive(),
  kind: stepKind,
  name: z.string().optional(),
  text: z.string().optional(),
  /** Characters of the whole text, where it is cut. */
  whole: z.int().positive().optional(),
});
export type LaidStep = z.infer<typeof laidStep>;

/** One line of a recording (left) laid beside a replay (right); null where a side has no such step. */
const laidRow = z.object({ left: laidStep.nullable(), right: laidStep.nullable(), same: z.boolean() });
export type LaidRow = z.infer<typeof laidRow>;

/** So many steps that are the same on both sides, from these numbers on. */
const laidStretch = z.object({
  left: z.int().positive(),
  right: z.int().positive(),
  count: z.int().positive(),
});
export type LaidStretch = z.infer<typeof laidStretch>;

/** The recorded turn beside one behaviour. */
export const laidPair = z.object({
  cluster: z.int().nonnegative(),
  /** What is the same is folded, wherever it lies: nothing that differs is left out before what is the same. */
  rows: z.array(z.union([laidStretch, laidRow])),
  /** Rows after the last one that is listed. */
  more: z.int().nonnegative(),
});
export type LaidPair = z.infer<typeof laidPair>;

const turnProblem = problem.extend({ runs: z.array(z.int().positive()) });

/** What the user's judge has said of an answer in other words. */
export const judgement = z.object({
  recorded: z.string(),
  replayed: z.string(),
  /** Runs that say so. */
  runs: z.array(z.int().positive()),
  /** `unsure`: not judged. */
  said: judgeAnswer,
  /** Why it was not judged. */
  why: z.string().optional(),
});
export type Judgement = z.infer<typeof judgement>;

export const turnResult = z.object({
  /** From 1. */
  turn: z.int().positive(),
  level,
  comparison: turnComparison,
  /** The recorded steps, by which the pairs are read. */
  steps: z.array(laidStep).default([]),
  /** Recorded steps after the last one that is listed. */
  moreSteps: z.int().nonnegative().optional(),
  /** Of the largest behaviours that are not the original's: enough to look at without the traces. */
  pairs: z.array(laidPair).default([]),
  /** Why runs of this turn could not be compared, one entry per kind of failure. */
  problems: z.array(turnProblem),
  /** Warnings about runs that were compared all the same; they change no verdict. */
  warnings: z.array(turnProblem).optional(),
  /** Of its answers in other words, where there is a judge. */
  judgements: z.array(judgement).optional(),
  /** What fails it or raises an alarm, regardless of everything else. */
  events: z.array(shiftEvent).optional(),
  /** Where the session is judged by shift. */
  shift: turnShift.optional(),
});
export type TurnResult = z.infer<typeof turnResult>;

/** A session that is known to be broken, and fails no run for a while. */
const quarantine = z.object({ until: z.iso.date(), why: z.string() });

/** What the configuration says of one session, in place of what it says of all. */
const ownSettings = z.object({
  runs: z.int().positive().optional(),
  gate: gateKind.optional(),
  strictness: z.string().optional(),
  /** Verdicts that fail the run. */
  failOn: z.array(verdict).optional(),
  /** Where results of tools come from that are not named. */
  tools: z.string().optional(),
});

export const sessionResult = z.object({
  id: z.string(),
  /** The pin's path from the project's root. */
  pin: z.string(),
  title: z.string().optional(),
  agentId: z.string().optional(),
  own: ownSettings.optional(),
  /** It fails no run until then, but by what must never be. */
  quarantine: quarantine.optional(),
  /** What it is judged by. Default: every run. */
  gate: gateKind.optional(),
  /** Of a session that is judged by shift: when and by what its recordings were made. */
  recordings: z
    .object({
      oldest: z.iso.datetime({ offset: true }),
      newest: z.iso.datetime({ offset: true }),
      models: z.array(z.string()),
    })
    .optional(),
  /** The worst of its turns. */
  verdict,
  /** The worst of its turns: a turn may fail the run although another one gives the session its verdict. */
  level,
  turns: z.array(turnResult),
  /** Why the session as a whole could not be replayed (not replayable, agent crashed before it); empty otherwise. */
  problems: z.array(problem),
});
export type SessionResult = z.infer<typeof sessionResult>;

/** A replay that another one was made in place of, as the model's provider had failed it: it counts for nothing. */
export const replacedRun = z.object({
  replayRunId: z.string(),
  traceId: z.string().optional(),
  attempts: z.int().positive(),
  status: z.int().optional(),
  /** In a word or two of ours: `429`, `connection refused`. */
  reason: z.string().regex(/^[\w ]{1,40}$/),
  message: z.string(),
});
export type ReplacedRun = z.infer<typeof replacedRun>;

/** Spans of a replay that came after its trace had been taken, and those of them that came only when the agent was stopped. */
export const lateSpans = z.object({ spans: z.int().positive(), last: z.int().nonnegative() });
export type LateSpans = z.infer<typeof lateSpans>;

/** Calls of tools in a replay, by where their results came from; `missed`: calls that the recording does not hold. */
export const toolCounts = z.object({
  recorded: z.int().nonnegative(),
  live: z.int().nonnegative(),
  missed: z.int().nonnegative(),
});
export type ToolCounts = z.infer<typeof toolCounts>;

/** What one replay left behind: ids, times and places. Never part of `results`. */
export const runEvidence = z.object({
  session: z.string(),
  turn: z.int().positive(),
  run: z.int().positive(),
  replayRunId: z.string(),
  traceId: z.string().optional(),
  attempts: z.int().positive(),
  /** HTTP status of the last attempt; absent when no whole response came. */
  status: z.int().optional(),
  /** Why the call failed, or why the replay could not be compared. */
  error: problem.pick({ code: true, message: true }).optional(),
  /** From the first byte sent to the response's end, of the last attempt. */
  callMs: z.number().nonnegative().optional(),
  /** From the response's end to the complete trace. */
  traceMs: z.number().nonnegative().optional(),
  outcome: z.enum(['replayed', 'inconclusive']),
  /** Absent where nothing stood in for the agent's tools. */
  tools: toolCounts.optional(),
  /** It was judged by its trace as it stood at the end of the run. */
  late: lateSpans.optional(),
  /** The first one first. */
  replaced: z.array(replacedRun).optional(),
});
export type RunEvidence = z.infer<typeof runEvidence>;

export const tracingSum = z
  .object({
    reads: z.int().nonnegative(),
    /** Replays whose traces the reads were for. */
    awaited: z.int().nonnegative(),
    /** Exports that were passed on, and that could not be. */
    forwarded: z.int().nonnegative(),
    undelivered: z.int().nonnegative(),
  })
  .partial();
export type TracingSum = z.infer<typeof tracingSum>;

/** The commit that a run is judged against. */
export const baseCommit = z.object({ ref: z.string(), commit: z.string() });
export type BaseCommit = z.infer<typeof baseCommit>;

/** Why the agent of the base could not be had: its sessions are judged by their recordings. */
export const withoutBase = z.object({ agentId: z.string().optional(), reason: z.string() });

/** Who made the difference. `open`: runs are not as recorded, and no test says who did it. */
export const blame = z.enum(['neither', 'change', 'world', 'both', 'open']);
export type Blame = z.infer<typeof blame>;

/** What is said of a run that was judged against another commit. */
export const baseResult = baseCommit.partial().extend({
  ref: z.string(),
  /** Null where no session was judged against it. */
  blame: blame.nullable(),
  /** Sessions that were judged against it. */
  sessions: z.int().nonnegative(),
  /** Of these the ones of which the base is no longer as recorded, by id; and agents of which all together are not. */
  drifted: z.array(z.string()),
  driftedSuites: z.array(suiteShift),
  without: z.array(withoutBase),
});
export type BaseResult = z.infer<typeof baseResult>;

/** One whole run, as in `report.json`. Every other output is a rendering of it. */
export const report = z.object({
  version: z.literal(REPORT_VERSION),
  /** Byte-identical for the same behaviours, with any ids, times, order of arrival and number of workers. */
  results: z.object({
    status,
    /** One line for people: `2 of 8 sessions diverged`. */
    title: z.string(),
    /** What that means and what to do next, in a few sentences. */
    message: z.string(),
    runs: z.int().positive(),
    strictness: z.string(),
    /** What was compared, in words: `calls`, `answers`. */
    compared: z.array(z.string()).default([]),
    sessions: z.array(sessionResult),
    /** Failures that belong to no session: unreadable pins, an agent that did not start. */
    problems: z.array(problem),
    /** Why sessions are judged by what, where any is judged by shift or that was set. */
    gates: z.string().optional(),
    /** Where some sessions are judged by shift. */
    shift: runShift.optional(),
    /** The judge that was asked about answers in other words, and how many it has said what of. */
    judge: z
      .object({
        version: z.string(),
        same: z.int().nonnegative(),
        different: z.int().nonnegative(),
        unsure: z.int().nonnegative(),
      })
      .optional(),
    /** Where the run was to be judged against another commit. */
    base: baseResult.optional(),
  }),
  evidence: z.object({
    tool: z.object({ name: z.literal('agent-replay'), version: z.string() }),
    startedAt: z.iso.datetime(),
    durationMs: z.number().nonnegative(),
    command: z.string(),
    /** The configuration, when it was named by hand: a rerun has to name it too. */
    config: z.string().optional(),
    /** Set when the run did not get to its end. */
    interruptedBy: interruptedBy.optional(),
    /** Set when this is the report of a part only. */
    shard: shard.optional(),
    target: z.string().optional(),
    traceSource: z.string(),
    /** What reading traces from a platform, and passing them on to one, took. */
    tracing: tracingSum.optional(),
    /** Of the project, where it is known. */
    commit: z.string().optional(),
    branch: z.string().optional(),
    /** Models that the traces of the replays name, sorted. */
    models: z.array(z.string()).optional(),
    usage,
    /** Tail of the agent's log, one entry a line. */
    agentLog: z.array(z.string()),
    runs: z.array(runEvidence),
    /** What ids were that are shown by a name: those of a recorded turn (`cluster` null), and of each behaviour. */
    ids: z
      .array(
        z.object({
          session: z.string(),
          turn: z.int().positive(),
          cluster: z.int().nonnegative().nullable(),
          named: z.array(z.object({ name: z.string(), text: z.string() })),
        }),
      )
      .optional(),
    /** Those of the agent of the base. */
    baseRuns: z.array(runEvidence).optional(),
    /** The evidence of runs of a turn that failed, once for each problem by code and message: that of its first run. */
    failures: z
      .array(
        problem
          .pick({ code: true, evidence: true, hint: true })
          .extend({ session: z.string(), turn: z.int().positive(), message: z.string().optional() }),
      )
      .optional(),
    environment: z.record(z.string(), z.string()),
  }),
});
export type Report = z.infer<typeof report>;
