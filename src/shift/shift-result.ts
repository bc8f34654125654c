import { z } from 'zod';

/**
 * What runs are compared by. `calls` and `answer`: distances between runs. `tools`, `arguments`, `words`: features that
 * some runs have and others do not. Each kind of feature has its own channel: among hundreds of words, chance differences
 * would hide a tool that is no longer called.
 */
export const CHANNELS = ['calls', 'tools', 'arguments', 'answer', 'words'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Fewer recordings show nothing about how an agent varies. */
export const LEAST_RECORDINGS = 5;
/** Replays of a turn at its last look, if nothing else is set. */
export const MOST_REPLAYS = 20;
/** With few recordings, and where something looks odd, no turn ends as recorded before so many. */
export const SOME_REPLAYS = 5;
/** Fresh runs of each side for another look against a base, which is tested on these alone. */
export const FRESH_RUNS = 10;

const channel = z.enum(CHANNELS);
const probability = z.number().min(0).max(1);
const runs = z.array(z.int().positive());

/**
 * Something that no recording of the agent did. `unseen`: a tool is called. `more-often`: it is called more often in one
 * replay than in any recording, in total or with the same arguments. `never`: no replay calls it, and every recording does.
 * `error`, `end`: most replays fail, or end, as no recording does. `forbidden`: the user forbids it.
 */
export const shiftEvent = z.object({
  kind: z.enum(['unseen', 'more-often', 'never', 'error', 'end', 'forbidden']),
  /** `alarm`: the tool changes something but is not declared critical. It asks for further replays. */
  weight: z.enum(['red', 'alarm']),
  tool: z.string().optional(),
  /** The tool is declared critical. */
  isCritical: z.boolean().optional(),
  /** Replays that show it. */
  runs,
  of: z.int().positive(),
  /** It fails the run. An alarm does so if every replay of all looks shows it. */
  fails: z.boolean(),
  sentence: z.string(),
});
export type ShiftEvent = z.infer<typeof shiftEvent>;

export const turnShift = z.object({
  /** `untested`: too few replays could be compared. `open`: it needs more replays and had none. */
  state: z.enum(['shifted', 'may-have-shifted', 'as-before', 'untested', 'open']),
  /** Number of recordings that it is tested against. */
  recordings: z.int().nonnegative(),
  /** Here "recordings" means runs of the base. */
  against: z.literal('base').optional(),
  /** The recordings differ among themselves. */
  recordingsVary: z.boolean(),
  /** Of the last look at it; null if there was none. */
  p: probability.nullable(),
  /** The p of all its looks, corrected for all turns of the run. */
  adjusted: probability,
  speaks: channel.nullable(),
  /** Replays of the last look; absent if no two runs differ. */
  tested: z.int().positive().optional(),
  separation: z.array(z.string()),
  /** Of the session as a whole, as its turns build on each other. */
  ofSession: z.boolean().optional(),
});
export type TurnShift = z.infer<typeof turnShift>;

/** Whether all sessions of an agent together behave as their recordings do. */
export const suiteShift = z.object({
  agentId: z.string().optional(),
  state: z.enum(['as-before', 'too-small', 'shifted']),
  p: probability,
  /** .03 means 3 % further; null if no two runs of one side differ. */
  shift: z.number().nullable(),
  speaks: channel,
  turns: z.int().positive(),
  varying: z.int().nonnegative(),
  /** What it has shifted from, if not the recordings. */
  against: z.literal('base').optional(),
});
export type SuiteShift = z.infer<typeof suiteShift>;

/** Where the runs of a unit stand, and nothing that they did or said. */
const unitMarks = z.lazy(() => {
  /** How far a run is from some recordings, in thousandths: by its calls, and by its answers. */
  const place = z.tuple([z.int().nonnegative(), z.int().nonnegative()]);
  return z.object({
    id: z.string(),
    agentId: z.string().optional(),
    /** The same as long as the recordings, and the rules that they are read by, are the same. */
    key: z.string(),
    /** The other recordings. */
    recorded: z.array(place),
    /** The first replays, of which no look has added one. */
    replayed: z.array(place),
  });
});
export type UnitMarks = z.infer<typeof unitMarks>;

/** What nights together show of an agent: a line of the history has one for each. */
export const nightDrift = z.lazy(() =>
  z.object({
    agentId: z.string().optional(),
    /** The first night of its epoch, and how many there were. */
    start: z.iso.datetime(),
    nights: z.int().positive(),
    /** The least of this night: by calls, by answers, by both. */
    p: z.number().min(0).max(1),
    /** The sums of bets on each of these. */
    bets: z.array(z.number().nonnegative()),
    /** 34 says that an agent that does not change would show as much once in 34 years of nights. */
    evidence: z.number().nonnegative(),
    /** Since when it is at least 1. */
    since: z.iso.datetime().optional(),
    units: z.array(unitMarks.unwrap().pick({ id: true, key: true, replayed: true })),
  }),
);
export type NightDrift = z.infer<typeof nightDrift>;

/** Why an odd turn is looked at again. */
export const RAISES_ALARM = 'a turn raises an alarm';

/** The result of a run in which shift judges some sessions. */
export const runShift = z.object({
  /** Turns in which some runs differ, which the correction counts. */
  varying: z.int().nonnegative(),
  /** The smallest number of recordings of a tested turn. */
  recordings: z.int().nonnegative(),
  /**
   * The smallest p that so few recordings can reach, the p that the first of this many turns needs, and the number of
   * recordings that reaches it, if one does.
   */
  reach: z.object({ least: probability, needed: probability, recordings: z.int().positive().optional() }).nullable(),
  suites: z.array(suiteShift),
  /** Part of a run: `merge` decides what has shifted by its p. */
  isPart: z.boolean().optional(),
  /** Every session was replayed and tested by itself, not all together. */
  bySession: z.boolean().optional(),
  /**
   * What a run in which nothing is red could have seen: with a call missing in this share of one turn's runs, so many of
   * the simulated turns were red.
   */
  wouldSee: z.lazy(() => z.object({ share: probability, found: z.int(), of: z.int() })).optional(),
  /** Where the runs stand, for the test of many nights. */
  marks: z.array(unitMarks).optional(),
  /** Whether a drift over nights fails the run. */
  gatesDrift: z.boolean().optional(),
});
export type RunShift = z.infer<typeof runShift>;
