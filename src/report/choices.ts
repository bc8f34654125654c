import { isDoubt, isInOtherWords, reachedNoEdit } from '../compare/index.ts';
import { acceptCommand } from './commands.ts';
import type { SessionResult, TurnResult } from './schema.ts';

/** Whether nothing of it is in doubt but what other words mean. */
export function isUnread({ problems, turns }: Pick<SessionResult, 'problems' | 'turns'>): boolean {
  const doubts = turns.filter(({ comparison }) => isDoubt(comparison.verdict));
  return problems.length === 0 && doubts.length > 0 && doubts.every(({ comparison }) => isInOtherWords(comparison));
}

const isVarying = ({ shift, comparison }: TurnResult) => shift !== undefined || comparison.figures.behaviours > 1;

/**
 * How what these turns do now is accepted: where replays do several things, all of them become recordings; what must never
 * happen is accepted by force alone.
 */
export function acceptFlags(turns: readonly TurnResult[]): string[] {
  return [
    ...(turns.length > 0 && turns.every(isVarying) ? ['--as-recordings'] : []),
    ...(turns.some(isForced) ? ['--force'] : []),
  ];
}

/** All that was done otherwise ended at a call that the recording does not hold, so nothing of it can be accepted. */
export function endedAtCalls(turns: readonly TurnResult[]): boolean {
  const others = turns.flatMap(({ comparison: { clusters } }) =>
    clusters.filter(({ recorded, runs }) => !recorded && runs.length > 0),
  );
  return others.length > 0 && others.every(({ differences }) => differences.some(({ missed }) => missed));
}

/** What comes before these turns can be accepted. */
export function liveFirst(turns: readonly TurnResult[]): string {
  return endedAtCalls(turns) ? 'run it with `--tools live`, then ' : '';
}

/** Something that must never happen is not accepted with the rest. */
export function isForced({ events = [] }: TurnResult): boolean {
  return events.some(({ fails }) => fails);
}

/** All sessions of a run, and what became of pins in the change that is looked at. */
export interface Surroundings {
  readonly sessions: readonly Pick<SessionResult, 'turns'>[];
  readonly pins?: string;
  /** How what replays do now is accepted where this is read; by default the command. */
  readonly wanted?: string;
}

/**
 * Whether the model was given the same as recorded in all of these turns. Where calls failed or pins changed, nobody knows
 * that no edit did it.
 */
export function isByModelAlone(turns: readonly TurnResult[], { sessions, pins = '' }: Surroundings): boolean {
  const isWhole = sessions.every((session) => session.turns.every(({ problems }) => problems.length === 0));
  return pins === '' && isWhole && causesIn(turns).every((cause) => cause !== undefined && reachedNoEdit(cause));
}

const causesIn = (turns: readonly TurnResult[]) => turns.map(({ comparison }) => comparison.divergence?.cause);

/** Pairs of when and what. */
export function choicesFor(turns: readonly TurnResult[], within: Surroundings): [when: string, what: string][] {
  const wanted: [string, string] = [
    'If this change is wanted',
    within.wanted ?? liveFirst(turns) + acceptWords(turns, acceptCommand),
  ];
  const causes = causesIn(turns);
  if (causes.some((cause) => cause?.kind !== 'model')) return [wanted, ['If not', mendFor(causes)]];
  const again = 'if it stays, the model itself may have changed: name a fixed version of it';
  return isByModelAlone(turns, within) ? [['Run again', again], wanted] : [wanted, ['If not', `run again; ${again}`]];
}

/** @param command the command with these flags, as a sentence quotes it */
export function acceptWords(turns: readonly TurnResult[], command: (...flags: string[]) => string): string {
  const flags = acceptFlags(turns);
  const meaning = flags.length === 0 ? '' : ` (${flags.map((flag) => FLAGS[flag]).join(', ')})`;
  return `run ${command(...flags)}${meaning} and commit the changed recordings`;
}

/** What a reader who has never seen a flag must know of it. */
const FLAGS: Readonly<Record<string, string>> = {
  '--as-recordings': 'keeps each run as a recording',
  '--force': 'even what no recording does',
};

/** By the kind of the only cause. */
const MENDS = new Map<string | undefined, string>([
  ['agent', 'undo that edit'],
  ['environment', 'mend the tool or its data'],
]);

function mendFor(causes: ReturnType<typeof causesIn>): string {
  const lines = new Set(causes.map((cause) => cause?.line && `line ${cause.line.number} of the ${cause.line.of}`));
  if (!lines.has(undefined)) return `change ${lines.size === 1 ? [...lines][0] : 'those lines'} back`;
  const [kind, ...others] = new Set(causes.map((cause) => cause?.kind));
  return (others.length === 0 && MENDS.get(kind)) || 'fix the agent';
}
