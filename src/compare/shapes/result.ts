import { z } from 'zod';
import { json } from '../../json/index.ts';
import { ASPECTS, COMPARED_ASPECTS } from './aspects.ts';
import { WORST_FIRST } from './outcomes.ts';
import { stepKind } from './rules.ts';

export const outcome = z.enum(WORST_FIRST);

/** How much a difference matters, least first. */
export const severity = z.enum(['noise', 'wording', 'minor', 'behaviour']);
export type Severity = z.infer<typeof severity>;

const differenceKind = z.enum([
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

/** How the value at the pointer differs. */
export const change = z.enum(['value', 'added', 'removed', 'type']);
export type Change = z.infer<typeof change>;

/**
 * Why two texts say different things, and the words of each that do. `empty`, `refusal`: only one of them is. `cut-off`:
 * the replay stops within a sentence. `polarity`: an English yes or no more or less. `form`: another number, id, date, URL,
 * quotation or code. `exchange`: only two words swapped places. `topic`: hardly a shared word. `name`, `word`: in a short
 * or much changed text, a name of the recording is missing, or one content word was replaced. `judge`: the user's judge
 * says so. No words if the whole texts differ.
 */
export const textDifference = z.object({
  because: z.enum(['empty', 'cut-off', 'refusal', 'polarity', 'form', 'exchange', 'topic', 'name', 'word', 'judge']),
  recorded: z.array(z.string()),
  replayed: z.array(z.string()),
});

export type TextDifference = z.infer<typeof textDifference>;

/**
 * Step numbers count from 1 on each side; null if that side has no such step. Values are cut to {@link MAX_VALUE_CHARS}
 * characters of JSON.
 */
export const difference = z.object({
  kind: differenceKind,
  aspect: z.enum(ASPECTS),
  severity,
  recordedStep: z.int().positive().nullable(),
  replayedStep: z.int().positive().nullable(),
  tool: z.string().optional(),
  change: change.optional(),
  /** JSON pointer into the arguments, the result or the output. */
  pointer: z.string().optional(),
  recorded: json.optional(),
  replayed: json.optional(),
  /** Present for two texts that say different things. */
  text: textDifference.optional(),
  /** On a `result`: a sub-agent's model wrote it. */
  byModel: z.boolean().optional(),
  /** On a `call-order`: the calls were in one message on both sides, or overlapped in the recording. */
  atOnce: z.boolean().optional(),
  /** It follows from a tool's changed answer or from another call, so it does not count by itself. */
  downstream: z.boolean().optional(),
  /** The recording does not hold this call, with which the replay ended. */
  missed: z
    .object({
      name: z.string(),
      /** The most similar recorded call of the tool, if any. `args`: null if they are long. */
      nearest: z.object({ step: z.int().positive(), args: json, isSame: z.boolean() }).optional(),
    })
    .optional(),
});
export type Difference = z.infer<typeof difference>;

const causeKind = z.enum(['agent', 'environment', 'concurrency', 'model', 'unknown']);

/** Why the runs part, as far as the traces tell. */
export const cause = z.object({
  kind: causeKind,
  /** Parts of the model's input that differ: `system prompt`, `tools`, `model`, `parameters`, `messages`. */
  changed: z.array(z.string()).optional(),
  /** One short clause for people, e.g. `the model call failed`. */
  detail: z.string(),
  /** The first line that differs in a text of the model's input, each side cut; null if a side has no such line. */
  line: z
    .object({
      of: z.string(),
      number: z.int().positive(),
      recorded: z.string().nullable(),
      replayed: z.string().nullable(),
    })
    .optional(),
  /** The difference explains only part: it may have moved the agent, but excuses nothing. */
  partial: z.boolean().optional(),
});
export type Cause = z.infer<typeof cause>;

const countedDifference = difference.extend({ cause });
export type CountedDifference = z.infer<typeof countedDifference>;

/** The first meaningful divergence of one cluster of runs from the recording. */
export const divergence = countedDifference.extend({
  /** Conclusive replays in which the same differs at this place, whatever they have there instead. */
  runs: z.int().nonnegative(),
  of: z.int().nonnegative(),
  /** What these have there instead, the most frequent first: at most {@link MAX_WAYS}, and the number of further ones. */
  ways: z.array(z.object({ replayed: json.optional(), runs: z.int().positive() })),
  moreWays: z.int().nonnegative(),
  /** What the original's answer states and none of the replays', each of which answers otherwise. */
  inNone: z.array(z.string()).optional(),
  /** Later differences that nothing before explains: at most {@link MAX_OTHERS} per cause. */
  others: z.array(countedDifference),
});
export type Divergence = z.infer<typeof divergence>;

/** Where two runs part, by position alone: after their longest common prefix of keys. */
export const firstDifference = z.object({
  /** From 1, on both sides. */
  step: z.int().positive(),
  /** Among calls alone, from 0. */
  callIndex: z.int().nonnegative(),
  kind: z.enum(['name', 'args', 'ended', 'extra', 'value']),
  recordedName: z.string().nullable(),
  replayedName: z.string().nullable(),
  pointers: z.array(z.string()),
});
export type FirstDifference = z.infer<typeof firstDifference>;

const shownStep = z.object({
  kind: stepKind,
  name: z.string().optional(),
  value: json.optional(),
  observationId: z.string().optional(),
});
export type ShownStep = z.infer<typeof shownStep>;

/** A difference with the runs that have it, ascending. */
const seenDifference = difference.extend({ runs: z.array(z.int().positive()) });
export type SeenDifference = z.infer<typeof seenDifference>;

/** Runs that behaved alike. Cluster 0 is the recording's own, even if no replay is in it. */
export const cluster = z.object({
  id: z.int().nonnegative(),
  /** Numbers of the replays in it, ascending. */
  runs: z.array(z.int().positive()),
  /** A recording did this. */
  recorded: z.boolean(),
  /** Number of recordings that did this; absent if there is only one recording. */
  recordings: z.int().nonnegative().optional(),
  /** The run that is shown for it; null in cluster 0 if no replay is in it. */
  representative: z.int().positive().nullable(),
  firstDifference: firstDifference.nullable(),
  divergence: divergence.nullable(),
  /** In order, at most {@link MAX_DIFFERENCES}, those in what it did before others. */
  differences: z.array(difference),
  /** Minor differences of its runs from the recording. They do not count, but are always reported. */
  minor: z.array(seenDifference).default([]),
  /** Runs that are as recorded in other words, ascending; empty in a cluster that was not recorded. */
  inOtherWords: z.array(z.int().positive()).default([]),
  /** Distinct texts of its runs that differ from the recorded one, whether or not they count: at most {@link MAX_TEXTS}. */
  texts: z.array(seenDifference).default([]),
  moreTexts: z.int().nonnegative().default(0),
});
export type Cluster = z.infer<typeof cluster>;

/** A place where runs part. */
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
  asRecorded: z.int().nonnegative(),
  /** Those of them with minor differences. */
  minor: z.int().nonnegative().default(0),
  /** Those of them that answer in other words, which nobody judged. */
  inOtherWords: z.int().nonnegative().default(0),
  /** Distinct ones among the replays. */
  behaviours: z.int().nonnegative(),
  /** Share of pairs of replays that agree (TAR@2); null with fewer than two. */
  agreement: rate.nullable(),
  /** Unbiased TAR@k = sum C(n_c,k)/C(n,k), for k = 1..n, at most 10 of them. */
  tarAtK: z.array(rate),
  /** pass^k = C(c,k)/C(n,k), for k = 1..n, at most 10 of them. */
  passHatK: z.array(rate),
  /** Wilson score interval of the share as recorded, 95 %. */
  interval: z.tuple([rate, rate]).nullable(),
});
export type Figures = z.infer<typeof figures>;

/** A place that varies among replays of unchanged behaviour. Nothing is ignored automatically. */
const noiseProposal = z.object({
  path: z.string(),
  /** `volatile`: only generated values, may be ignored. `unstable`: the varying values mean something. */
  kind: z.enum(['volatile', 'unstable']),
  runs: z.int().positive(),
  examples: z.array(z.string()),
});
export type NoiseProposal = z.infer<typeof noiseProposal>;

const aspectOutcome = z.object({
  outcome,
  /** Conclusive replays that differ in it. */
  runs: z.int().nonnegative(),
  /** The recordings themselves differ in it. */
  recordingsVary: z.literal(true).optional(),
});

export const turnComparison = z.object({
  /** The worst of the aspects that count. */
  verdict: outcome,
  aspects: z.record(z.enum(COMPARED_ASPECTS), aspectOutcome),
  requested: z.int().nonnegative(),
  /** Runs that could be compared. */
  conclusive: z.int().nonnegative(),
  /** Why not every run counted, or the reason for this verdict, in one clause; null if the verdict says it all. */
  note: z.string().nullable(),
  clusters: z.array(cluster),
  /** Shown first. */
  divergence: divergence.nullable(),
  /** Where only words differ: an edit of what the agent gives its model, which is the likely reason. */
  edit: cause.optional(),
  forks: z.array(fork),
  figures,
  noise: z.array(noiseProposal),
});
export type TurnComparison = z.infer<typeof turnComparison>;

/** Longest value in a difference, in characters of JSON. */
export const MAX_VALUE_CHARS = 2_000;
/** Further differences reported per cause, beside the first one. */
export const MAX_OTHERS = 5;
/** Values listed of one place at which runs differ in many ways. */
export const MAX_WAYS = 5;
/** Differences listed per cluster. */
export const MAX_DIFFERENCES = 50;
/** Texts listed per cluster. */
export const MAX_TEXTS = 20;
