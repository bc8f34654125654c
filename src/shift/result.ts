import { z } from 'zod';
import { turnComparison } from '../compare/index.ts';
import { CHANNELS } from './channels.ts';

/** What a session is judged by: every run as recorded, or whether behaviour has shifted. */
export const gateKind = z.enum(['every-run', 'shift']);
export type GateKind = z.infer<typeof gateKind>;

/** `.012`: two figures are enough of a p. */
export function textOfP(p: number): string {
  return String(Number(p.toPrecision(2)));
}

const channel = z.enum(CHANNELS);
const probability = z.number().min(0).max(1);
const runs = z.array(z.int().positive());

/** Something that no recording did; see `NeverGreenEvent`. */
export const shiftEvent = z.object({
  kind: z.enum(['unseen', 'more-often', 'never', 'error', 'end', 'forbidden']),
  weight: z.enum(['red', 'alarm']),
  tool: z.string().optional(),
  /** The tool is declared critical. */
  isCritical: z.boolean().optional(),
  /** Replays in which it stands. */
  runs,
  of: z.int().positive(),
  /** It fails the run: an alarm does when it stands in every replay of both looks. */
  fails: z.boolean(),
  sentence: z.string(),
});
export type ShiftEvent = z.infer<typeof shiftEvent>;

/** Places of runs in one channel, for a picture; see `DotRow`. */
const dotRow = z.object({
  channel,
  feature: z.string().nullable(),
  recordings: z.array(z.number()),
  replays: z.array(z.number()),
});

/** One look at a turn. */
const look = z.object({ p: probability, replays: z.int().positive(), relabelings: z.int().positive() });

/** Whether a turn behaves as its recordings do. */
export const turnShift = z.object({
  /** `untested`: too few replays could be compared. `open`: it needs a second look and had none. */
  state: z.enum(['shifted', 'may-have-shifted', 'as-before', 'untested', 'open']),
  /** Recordings that it is tested against. */
  recordings: z.int().nonnegative(),
  /** What is called recordings here are runs of the base. */
  against: z.literal('base').optional(),
  /** The recordings differ among themselves. */
  recordingsVary: z.boolean(),
  first: look.nullable(),
  /** Of all replays, those of the first look included. */
  second: look.nullable(),
  /** The p of the second look by Holm, over all turns of the run. */
  adjusted: probability,
  /** .03 is 3 % further from the recordings than runs of one side are from each other, in the channel that speaks; null where these do not differ. Absent where it was not tested. */
  shift: z.number().nullable().optional(),
  speaks: channel.nullable(),
  /** In words what sets replays and recordings apart. */
  separation: z.array(z.string()),
  rows: z.array(dotRow),
  /** The verdict that the turn would have run by run. */
  everyRun: turnComparison.shape.verdict,
  /** Turns go on from each other: what is said is of the session as a whole. */
  ofSession: z.boolean().optional(),
});
export type TurnShift = z.infer<typeof turnShift>;

/** Whether all sessions of an agent together behave as their recordings do. */
export const suiteShift = z.object({
  agentId: z.string().optional(),
  state: z.enum(['as-before', 'too-small', 'unconfirmed', 'shifted']),
  /** A red one was found again with more replays of every session; false where none could be made. */
  isConfirmed: z.boolean(),
  p: probability,
  /** .03 is 3 % further; null where no two runs of one side differ. */
  shift: z.number().nullable(),
  speaks: channel,
  turns: z.int().positive(),
  varying: z.int().nonnegative(),
  byPasses: z.boolean(),
  /** What it has shifted from, where that is not the recordings. */
  against: z.literal('base').optional(),
});
export type SuiteShift = z.infer<typeof suiteShift>;

/** What is said of a run in which some sessions are judged by shift. */
export const runShift = z.object({
  alpha: probability,
  minShift: z.number().nonnegative(),
  /** Turns that are tested, and those of them in which some runs differ: the correction counts these. */
  turns: z.int().nonnegative(),
  varying: z.int().nonnegative(),
  /** The fewest recordings of a turn that is tested. */
  recordings: z.int().nonnegative(),
  /** The least p that so few recordings can reach, the p that the first of so many turns needs, and recordings that reach it. */
  reach: z.object({ least: probability, needed: probability, recordings: z.int().positive() }).nullable(),
  suites: z.array(suiteShift),
  /** A part of a run: what has shifted by its p, merge decides. */
  isPart: z.boolean().optional(),
  /** Every session was replayed and tested by itself: all of them together were not. */
  bySession: z.boolean().optional(),
});
export type RunShift = z.infer<typeof runShift>;
