import { z } from 'zod';
import { COMPARED_ASPECTS, judgeAnswer, outcome, stepKind, turnComparison } from '../compare/index.ts';
import { nightDrift, runCost, runShift, shiftEvent, spent, turnShift } from '../shift/index.ts';
import { gateKind } from './gate-kind.ts';

/** A number of something, from 0; and a place or number from 1. */
const amount = z.int().nonnegative();
const ordinal = z.int().positive();

/** Version of `report.json`. A higher one is refused. */
export const REPORT_VERSION = 1;

/** Of the whole run. `failed` = diverged, `error` = could not tell. */
export const status = z.enum(['passed', 'failed', 'error', 'interrupted']);
export type Status = z.infer<typeof status>;

export const signal = z.enum(['SIGINT', 'SIGTERM', 'SIGHUP']);
export type Signal = z.infer<typeof signal>;

/** What ended a run early. `unknown`: it left no reason (killed, out of memory, machine lost). */
export const interruptedBy = z.enum([...signal.options, 'unknown']);
export type InterruptedBy = z.infer<typeof interruptedBy>;

/** One shard of a run, from 1: some of its sessions. */
export const shard = z.object({ index: ordinal, count: ordinal });
export type Shard = z.infer<typeof shard>;

/** A failure as data, redacted and bounded like every text of a report. */
export const problem = z.object({
  code: z.string(),
  message: z.string(),
  evidence: z.array(z.string()).default([]),
  hint: z.string().optional(),
  location: z
    .object({ file: z.string(), line: ordinal.optional(), column: ordinal.optional(), pointer: z.string().optional() })
    .optional(),
});
export type Problem = z.infer<typeof problem>;

/** Null if no trace tells it. */
const known = z.number().nonnegative().nullable();

/** Tokens and cost, summed from the replay traces that show them. */
export const usage = z.object({
  calls: amount,
  retries: amount,
  /** Replays that were made again because the model's provider had failed them. */
  replaced: ordinal.optional(),
  inputTokens: known,
  outputTokens: known,
  /** US dollars. */
  cost: known,
  /** Questions to the user's judge, and what they cost, which is not in `cost`; null if it does not say. */
  judge: z.object({ calls: ordinal, cost: known }).optional(),
});
export type Usage = z.infer<typeof usage>;

/** The policy's answer to a verdict, hardest first: fail the run, only report it, or let it pass. */
export const level = z.enum(['error', 'warn', 'off']);
export type Level = z.infer<typeof level>;

/** A step in a report: numbered from 1 in its run, with its value as cut text. */
const laidStep = z.object({
  number: ordinal,
  kind: stepKind,
  name: z.string().optional(),
  text: z.string().optional(),
  /** Length of the whole text in characters, if it is cut. */
  whole: ordinal.optional(),
});
export type LaidStep = z.infer<typeof laidStep>;

const flag = z.boolean().optional();

/** One row: the recording (left) beside a replay (right); null if a side has no such step. */
const laidRow = z.object({ left: laidStep.nullable(), right: laidStep.nullable(), same: z.boolean() });
export type LaidRow = z.infer<typeof laidRow>;

/** A stretch of steps that are the same on both sides, starting at these numbers. */
const laidStretch = z.object({ left: ordinal, right: ordinal, count: ordinal });
export type LaidStretch = z.infer<typeof laidStretch>;

/** The recorded turn beside one behaviour. */
const laidPair = z.object({
  cluster: amount,
  /** Equal rows are folded wherever they are, so that no difference is left out before equal rows are. */
  rows: z.array(z.union([laidStretch, laidRow])),
  /** Number of rows after the last listed one. */
  more: amount,
});
export type LaidPair = z.infer<typeof laidPair>;

const turnProblem = problem.extend({ runs: z.array(ordinal) });

const judgedText = z.string().optional();

/** What the user's judge said about a text in other words. */
export const judgement = z.object({
  recorded: z.string(),
  replayed: z.string(),
  /** Path of the text. */
  place: judgedText,
  /** Runs that said this. */
  runs: z.array(ordinal),
  /** `unsure`: not judged. */
  said: judgeAnswer,
  /** Why it was not judged. */
  why: judgedText,
});
export type Judgement = z.infer<typeof judgement>;

export const turnResult = z.object({
  turn: ordinal,
  /** What the user wrote in it, cut. */
  asked: z.string().optional(),
  level,
  comparison: turnComparison,
  /** The recorded steps; the pairs refer to them. */
  steps: z.array(laidStep).default([]),
  /** Recorded steps after the last listed one. */
  moreSteps: amount.optional(),
  /** The largest behaviours other than the original's, in enough detail to read without traces. */
  pairs: z.array(laidPair).default([]),
  /** Why runs of this turn could not be compared, one entry per kind of failure. */
  problems: z.array(turnProblem),
  /** Warnings about runs that were compared. They do not change the verdict. */
  warnings: z.array(turnProblem).optional(),
  /** Of its answers in other words, if there is a judge. */
  judgements: z.array(judgement).optional(),
  /** Events that fail it or raise an alarm, whatever else happened. */
  events: z.array(shiftEvent).optional(),
  /** Present if the session is judged by shift. */
  shift: turnShift.optional(),
});
export type TurnResult = z.infer<typeof turnResult>;

/** A session known to be broken, which fails no run for a while. */
const quarantine = z.object({ until: z.iso.date(), why: z.string() });

/** A session's own settings, in place of those for all. */
const ownSettings = z.object({
  runs: ordinal.optional(),
  gate: gateKind.optional(),
  strictness: z.string().optional(),
  /** What fails the run: `did changed`. */
  failOn: z.array(z.string()).optional(),
  /** Where results come from for tools that are not named. */
  tools: z.string().optional(),
});

export const sessionResult = z.object({
  id: z.string(),
  /** The pin's path, relative to the project's root. */
  pin: z.string(),
  title: z.string().optional(),
  agentId: z.string().optional(),
  own: ownSettings.optional(),
  /** Until then it fails no run, except through a never-green event. */
  quarantine: quarantine.optional(),
  /** The name of the gate that judges it. Default: `every-run`. */
  gate: z.string().optional(),
  /** For a session judged by shift: when and by which models its recordings were made. */
  recordings: z
    .object({
      oldest: z.iso.datetime({ offset: true }),
      newest: z.iso.datetime({ offset: true }),
      models: z.array(z.string()),
    })
    .optional(),
  /** Recordings in its pin that are copies of others. Each counts once. */
  copies: ordinal.optional(),
  /** The worst of its turns, in the aspects that count. */
  verdict: outcome,
  /** The worst of its turns in each aspect; absent if none was replayed. */
  aspects: z.record(z.enum(COMPARED_ASPECTS), outcome).optional(),
  /** What its runs used; absent if no trace tells. */
  spent: spent.optional(),
  /** The worst level of its turns. That turn may be another one than the turn that decided the verdict. */
  level,
  turns: z.array(turnResult),
  /** Why the session could not be replayed at all (not replayable, agent crashed before it); otherwise empty. */
  problems: z.array(problem),
});
export type SessionResult = z.infer<typeof sessionResult>;

/** A replay that was replaced because the model's provider had failed it. It counts for nothing. */
const replacedRun = z.object({
  replayRunId: z.string(),
  traceId: z.string().optional(),
  attempts: ordinal,
  status: z.int().optional(),
  /** A short reason in our own words: `429`, `connection refused`. */
  reason: z.string().regex(/^[\w ]{1,40}$/),
  message: z.string(),
});
export type ReplacedRun = z.infer<typeof replacedRun>;

/** Spans of a replay that arrived after its trace was taken, and those of them that came only when the agent was stopped. */
export const lateSpans = z.object({ spans: ordinal, last: amount });
export type LateSpans = z.infer<typeof lateSpans>;

/** Calls of tools in a replay, by where their results came from; `missed`: calls that the recording does not hold. */
const toolCounts = z.object({ recorded: amount, live: amount, missed: amount });
export type ToolCounts = z.infer<typeof toolCounts>;

/** Why steps that all recordings have count as missing: in milliseconds, as the trace tells. */
const ended = z.object({
  without: z.array(z.string()),
  silentMs: amount.nullable(),
  recordedMs: amount,
  seenMs: amount,
});

/** What one replay left: ids, times and places. Never part of `results`. */
const runEvidence = z.object({
  session: z.string(),
  turn: ordinal,
  run: ordinal,
  replayRunId: z.string(),
  traceId: z.string().optional(),
  attempts: ordinal,
  /** HTTP status of the last attempt; absent if no response began. */
  status: z.int().optional(),
  /** Why the call failed, or why the replay could not be compared. */
  error: problem.pick({ code: true, message: true }).optional(),
  /** From the first byte sent to the end of the response, in the last attempt. */
  callMs: z.number().nonnegative().optional(),
  /** From the end of the response to the complete trace. */
  traceMs: z.number().nonnegative().optional(),
  outcome: z.enum(['replayed', 'unverified']),
  /** Absent if nothing stood in for the agent's tools. */
  tools: toolCounts.optional(),
  /** It was judged by its trace as it was at the end of the run. */
  late: lateSpans.optional(),
  /** Its trace lacks steps that all recordings have: why no more is expected. */
  ended: ended.optional(),
  /** In the order of the attempts. */
  replaced: z.array(replacedRun).optional(),
});
export type RunEvidence = z.infer<typeof runEvidence>;

export const tracingSum = z
  .object({
    reads: amount,
    /** How many replays these reads were for. */
    awaited: amount,
    /** Exports that were forwarded, and that could not be. */
    forwarded: amount,
    undelivered: amount,
  })
  .partial();
export type TracingSum = z.infer<typeof tracingSum>;

/** The commit that a run is judged against. */
const baseCommit = z.object({ ref: z.string(), commit: z.string() });
export type BaseCommit = z.infer<typeof baseCommit>;

/** Why the base's agent was unavailable: its sessions are judged by their recordings. */
export const withoutBase = z.object({ agentId: z.string().optional(), reason: z.string() });

/** Who made the difference. `open`: runs are not as recorded, but no test shows who caused it. */
export const blame = z.enum(['neither', 'change', 'world', 'both', 'open']);
export type Blame = z.infer<typeof blame>;

/** The comparison with another commit. */
const baseResult = baseCommit.partial().extend({
  ref: z.string(),
  /** Null if no session was judged against it. */
  blame: blame.nullable(),
  /** Number of sessions judged against it. */
  sessions: amount,
  /** Sessions in which the base is no longer as recorded, and what sets its replays apart. */
  drifted: z.array(z.lazy(() => z.object({ id: z.string(), what: z.string() }))),
  /** Agents of which that is true for all sessions together. */
  driftedSuites: runShift.shape.suites,
  without: z.array(withoutBase),
});
export type BaseResult = z.infer<typeof baseResult>;

/** One whole run, as in `report.json`. Every other output is rendered from it. */
export const report = z.object({
  version: z.literal(REPORT_VERSION),
  /** Byte-identical for the same behaviours, whatever the ids, times, order of arrival and number of workers. */
  results: z.object({
    status,
    /** One line for people: `2 of 8 sessions diverged`. */
    title: z.string(),
    /** What it means and what to do next, in a few sentences. */
    message: z.string(),
    runs: ordinal,
    strictness: z.string(),
    /** What was compared, in words: `calls`, `answers`. */
    compared: z.array(z.string()).default([]),
    sessions: z.array(sessionResult),
    /** Failures that belong to no session: unreadable pins, an agent that did not start. */
    problems: z.array(problem),
    /** Present if shift judges any, or if it was configured. */
    gates: z.string().optional(),
    /** Present if some sessions are judged by shift. */
    shift: runShift.optional(),
    /** What the replays cost beside the recordings; absent if no trace tells. */
    cost: runCost.optional(),
    /** What the nights of a history show together, for each agent. */
    drift: z
      .lazy(() =>
        z.array(
          nightDrift
            .unwrap()
            .pick({ agentId: true, nights: true, evidence: true, since: true })
            .extend({
              isAlarm: z.boolean(),
              /** What speaks most tonight. */
              channel: z.enum(['calls', 'answers']),
              sessions: z.array(z.string()),
              fails: z.boolean(),
            }),
        ),
      )
      .optional(),
    /** The judge of reworded answers, with the number of each of its answers. */
    judge: z.object({ version: z.string(), same: amount, different: amount, unsure: amount }).optional(),
    /** Present if the run was to be judged against another commit. */
    base: baseResult.optional(),
    /** Sessions of missing shards: it could not be told what they do. */
    untold: amount.optional(),
    /** The configuration lets a run pass that finds no session. */
    allowEmpty: flag,
  }),
  evidence: z.object({
    tool: z.object({ name: z.literal('agent-replay'), version: z.string() }),
    startedAt: z.iso.datetime(),
    durationMs: z.number().nonnegative(),
    command: z.string(),
    /** Of the agents, if it is known. */
    language: z.enum(['javascript', 'python']).optional(),
    /** The configuration file, if it was named on the command line: a rerun must name it too. */
    config: z.string().optional(),
    /** The output folder, if it was named on the command line: commands that go on from this report must name it too. */
    outputDir: z.string().optional(),
    /** Set if the run did not finish. */
    interruptedBy: interruptedBy.optional(),
    /** Set if this is the report of one shard. */
    shard: shard.optional(),
    target: z.string().optional(),
    traceSource: z.string(),
    /** Set if the model answered as recorded. */
    offline: flag,
    /** What reading traces from a platform and forwarding them took. */
    tracing: tracingSum.optional(),
    /** Of the project, if known. */
    commit: z.string().optional(),
    branch: z.string().optional(),
    /** Models that the traces of the replays name, sorted. */
    models: z.array(z.string()).optional(),
    usage,
    /** Tail of the agent's log, one entry per line. */
    agentLog: z.array(z.string()),
    runs: z.array(runEvidence),
    /** The real values of ids that are shown by a name, for each recorded turn (`cluster` null) and each behaviour. */
    ids: z
      .array(
        z.object({
          session: z.string(),
          turn: ordinal,
          cluster: amount.nullable(),
          named: z.array(z.object({ name: z.string(), text: z.string() })),
        }),
      )
      .optional(),
    /** Runs of the base's agent. */
    baseRuns: z.array(runEvidence).optional(),
    /** The evidence of failed runs, once per problem (code and message) of a turn: from its first run. */
    failures: z
      .array(
        problem
          .pick({ code: true, message: true, evidence: true, hint: true })
          .extend({ session: z.string(), turn: ordinal }),
      )
      .optional(),
    environment: z.record(z.string(), z.string()),
  }),
});
export type Report = z.infer<typeof report>;
