import { z } from 'zod';
import { json } from '../json/index.ts';
import { stepKind } from './rules.ts';

/** One verdict per turn and per session, worst first. `varies` and `reworded` are of one gate each: docs/gate.md. */
export const verdict = z.enum(['changed', 'unsettled', 'flaky', 'inconclusive', 'varies', 'reworded', 'reproduced']);
export type Verdict = z.infer<typeof verdict>;

/** How much a difference matters, least first. */
export const severity = z.enum(['noise', 'wording', 'minor', 'behaviour']);
export type Severity = z.infer<typeof severity>;

export const differenceKind = z.enum([
  'error',
  'end',
  'call-name',
  'call-missing',
  'call-extra',
  'call-retry',
  'call-order',
  'argument',
  'result',
  'final-structure',
  'final-text',
  'text',
  'format',
]);
export type DifferenceKind = z.infer<typeof differenceKind>;

/** How a value differs at its pointer. */
export const change = z.enum(['value', 'added', 'removed', 'type']);
export type Change = z.infer<typeof change>;

/** Why two texts do not say the same, and the words in which each of them says otherwise: none where the whole text does. */
export const textDifference = z.object({
  because: z.enum(['empty', 'cut-off', 'refusal', 'polarity', 'form', 'exchange', 'topic', 'name', 'word', 'judge']),
  recorded: z.array(z.string()),
  replayed: z.array(z.string()),
});

/**
 * One difference between the recorded turn and a replay. Step numbers count from 1, on each side by itself;
 * null where that side has no such step. Values are cut to {@link MAX_VALUE_CHARS} characters of JSON.
 */
export const difference = z.object({
  kind: differenceKind,
  severity,
  /** Step in the recording. */
  recordedStep: z.int().positive().nullable(),
  /** Step in the replay. */
  replayedStep: z.int().positive().nullable(),
  /** Tool of a call or a result. */
  tool: z.string().optional(),
  change: change.optional(),
  /** JSON pointer into the arguments, the result or the output. */
  pointer: z.string().optional(),
  recorded: json.optional(),
  replayed: json.optional(),
  /** Of two texts that do not say the same. */
  text: textDifference.optional(),
  /** Of `result`: a sub-agent's model wrote it, and not a tool. */
  byModel: z.boolean().optional(),
  /** Of `call-order`: the calls were asked for in one message, on both sides, or overlapped in the recording. */
  atOnce: z.boolean().optional(),
  /** It follows from what a tool answered otherwise, or from another call: it does not count by itself. */
  downstream: z.boolean().optional(),
  /** The recording does not hold this call, and the replay ended with it. */
  missed: z
    .object({
      name: z.string(),
      /** The recorded call of the tool that is nearest to it; absent where there is none. `args`: null when they are long. */
      nearest: z.object({ step: z.int().positive(), args: json, isSame: z.boolean() }).optional(),
    })
    .optional(),
});
export type Difference = z.infer<typeof difference>;

export const causeKind = z.enum(['agent', 'environment', 'concurrency', 'model', 'unknown']);

/** Why the runs part, as far as the traces tell. */
export const cause = z.object({
  kind: causeKind,
  /** What differs in what the model was given: `system prompt`, `tools`, `model`, `parameters`, `messages`. */
  changed: z.array(z.string()).optional(),
  /** One short clause for people, e.g. `same input, other output`. */
  detail: z.string(),
  /** The first line at which a text that the model was given differs, each side cut; null where a side has no such line. */
  line: z
    .object({
      of: z.string(),
      number: z.int().positive(),
      recorded: z.string().nullable(),
      replayed: z.string().nullable(),
    })
    .optional(),
  /** It may have moved the agent, and what differs is not in it: it excuses nothing. */
  partial: z.boolean().optional(),
  /** The model was asked again with all that was recorded before the step (`agent-replay fork`), so many times. */
  measured: z
    .object({
      of: z.int().positive(),
      asRecorded: z.int().nonnegative(),
      /** Wilson score interval of the share as recorded, 95 %. */
      interval: z.tuple([z.number().min(0).max(1), z.number().min(0).max(1)]),
    })
    .optional(),
});
export type Cause = z.infer<typeof cause>;

/** A difference that counts, and why the runs part there. */
export const countedDifference = difference.extend({ cause });
export type CountedDifference = z.infer<typeof countedDifference>;

/** The first meaningful divergence of one cluster of runs from the recording. */
export const divergence = countedDifference.extend({
  /** Replays that leave the recording at this place, however they go on, of the conclusive ones. */
  runs: z.int().nonnegative(),
  of: z.int().nonnegative(),
  /** Lesser differences before it, by severity. */
  earlier: z.partialRecord(severity, z.int().positive()),
  /** Later ones that count by themselves, as nothing before explains them: at most {@link MAX_OTHERS} of each cause. */
  others: z.array(countedDifference),
  /** Step of the recording at which this cluster is as recorded again. */
  meetsAgainAt: z.int().positive().nullable(),
  /** The whole of it in one sentence. */
  sentence: z.string(),
});
export type Divergence = z.infer<typeof divergence>;

/** Where two runs part by position alone: the length of their longest common prefix of keys. */
export const firstDifference = z.object({
  /** Step, from 1, on both sides. */
  step: z.int().positive(),
  /** Place in the sequence of calls alone, from 0. */
  callIndex: z.int().nonnegative(),
  kind: z.enum(['name', 'args', 'ended', 'extra', 'value']),
  recordedName: z.string().nullable(),
  replayedName: z.string().nullable(),
  pointers: z.array(z.string()),
});
export type FirstDifference = z.infer<typeof firstDifference>;

/** A step as reports show it. */
export const shownStep = z.object({
  kind: stepKind,
  name: z.string().optional(),
  value: json.optional(),
  observationId: z.string().optional(),
});
export type ShownStep = z.infer<typeof shownStep>;

/** A difference with the runs that have it, ascending. */
export const seenDifference = difference.extend({ runs: z.array(z.int().positive()) });
export type SeenDifference = z.infer<typeof seenDifference>;

/** Runs that behaved alike. Cluster 0 is the recording's own, also when no replay is in it. */
export const cluster = z.object({
  id: z.int().nonnegative(),
  /** Numbers of the replays in it, ascending. */
  runs: z.array(z.int().positive()),
  /** Its behaviour was recorded: in the original or in a baseline. */
  recorded: z.boolean(),
  /** Recordings that did this; left out where there is but one. */
  recordings: z.int().nonnegative().optional(),
  /** The run that is shown for it; null in cluster 0 when no replay is in it. */
  representative: z.int().positive().nullable(),
  firstDifference: firstDifference.nullable(),
  divergence: divergence.nullable(),
  /** All differences from the recording, in order, at most {@link MAX_DIFFERENCES}. */
  differences: z.array(difference),
  /** Minor differences of its runs from the recording: they do not count, and are always reported. */
  minor: z.array(seenDifference).default([]),
  /** Runs that are as recorded in other words, ascending; none in a cluster that was not recorded. */
  reworded: z.array(z.int().positive()).default([]),
  /** Every distinct text of its runs that is not the recorded one, whether or not it counts: at most {@link MAX_TEXTS}. */
  texts: z.array(seenDifference).default([]),
  /** How many more there are. */
  moreTexts: z.int().nonnegative().default(0),
});
export type Cluster = z.infer<typeof cluster>;

/** A place where runs part: which share goes where. */
export const fork = z.object({
  step: z.int().positive(),
  branches: z.array(
    z.object({
      /** What happens there: a tool's name, `answers`, `ends`. */
      label: z.string(),
      runs: z.array(z.int().positive()),
      recorded: z.boolean(),
    }),
  ),
});
export type Fork = z.infer<typeof fork>;

const rate = z.number().min(0).max(1);

/** Figures over the conclusive runs, each an estimate that falls or narrows with n. */
export const figures = z.object({
  n: z.int().nonnegative(),
  /** Runs as recorded. */
  asRecorded: z.int().nonnegative(),
  /** Those of them with minor differences. */
  minor: z.int().nonnegative().default(0),
  /** Those of them that answer in other words, which were not judged. */
  reworded: z.int().nonnegative().default(0),
  /** Number of distinct behaviours among the replays. */
  behaviours: z.int().nonnegative(),
  /** Share of pairs of replays that agree (TAR@2); null with fewer than two. */
  agreement: rate.nullable(),
  /** Unbiased TAR@k = sum C(n_c,k)/C(n,k), for k = 1..n, at most 10 of them. */
  tarAtK: z.array(rate),
  /** pass^k = C(c,k)/C(n,k), for k = 1..n, at most 10 of them. */
  passHatK: z.array(rate),
  /** Wilson score interval of the share as recorded, 95 %. */
  interval: z.tuple([rate, rate]).nullable(),
  /** Share of runs still on the recorded path after step k, for k = 1..steps of the recording. */
  survival: z.array(rate),
  /** Step of the recording after which the largest share leaves; null when none does. */
  leastStableStep: z.int().positive().nullable(),
});
export type Figures = z.infer<typeof figures>;

/** A path that varies among replays of unchanged behaviour, with evidence. Nothing is ignored by itself. */
export const noiseProposal = z.object({
  path: z.string(),
  /** `volatile`: generated values only, may be ignored. `unstable`: what varies means something. */
  kind: z.enum(['volatile', 'unstable']),
  runs: z.int().positive(),
  examples: z.array(z.string()),
});
export type NoiseProposal = z.infer<typeof noiseProposal>;

/** The exact permutation test of recordings against replays. Printed, never a gate. */
export const permutation = z.object({
  p: rate,
  /** The smallest p that so many recordings and replays can reach. */
  smallest: rate,
  baselines: z.int().positive(),
  replays: z.int().positive(),
});
export type Permutation = z.infer<typeof permutation>;

/** A comparison that was ended before all its runs had been made. */
const stopped = z.object({
  /** Runs that it rests on: 1 to this one. */
  after: z.int().positive(),
  /** What no further run could have changed. Short of the verdict, that stands for "not reproduced". */
  certain: z.enum(['status', 'verdict']),
});
export type Stopped = z.infer<typeof stopped>;

export const turnComparison = z.object({
  verdict,
  /** Runs that were asked for. */
  requested: z.int().nonnegative(),
  /** Runs that could be compared. */
  conclusive: z.int().nonnegative(),
  /** With `unsettled`: the least number of runs that could settle it; null when more runs are not likely to. */
  suggestedRuns: z.int().positive().nullable(),
  /** Why not every run counted, or why this is the verdict, in one clause; null when all is said by the verdict. */
  note: z.string().nullable(),
  clusters: z.array(cluster),
  /** The divergence to show first: that of the largest cluster that is not as recorded. */
  divergence: divergence.nullable(),
  forks: z.array(fork),
  figures,
  noise: z.array(noiseProposal),
  permutation: permutation.nullable(),
  /** Set when it was stopped early. No rate is given then. */
  stopped: stopped.nullable(),
});
export type TurnComparison = z.infer<typeof turnComparison>;

/** Longest value, in characters of JSON, that a difference carries. */
export const MAX_VALUE_CHARS = 2_000;
/** Most differences of one cause that are reported beside the first one. */
export const MAX_OTHERS = 5;
/** Most differences that a cluster lists. */
export const MAX_DIFFERENCES = 50;
/** Most texts that a cluster lists. */
export const MAX_TEXTS = 20;
