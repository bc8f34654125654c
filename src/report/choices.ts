import { isDoubt, isInOtherWords } from '../compare/index.ts';
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

/** Something that must never happen is not accepted with the rest. */
export function isForced({ events = [] }: TurnResult): boolean {
  return events.some(({ fails }) => fails);
}

/**
 * Pairs of when and what.
 * @param of all sessions of the run, and what became of pins: where calls failed or pins changed, nobody knows that no edit
 * did it
 */
export function choicesFor(
  turns: readonly TurnResult[],
  { sessions, pins = '' }: { sessions: readonly Pick<SessionResult, 'turns'>[]; pins?: string | undefined },
): [when: string, what: string][] {
  const flags = acceptFlags(turns).map((flag) => ` ${flag}`);
  const why = turns.every(isVarying) ? ' (replays vary: all are kept)' : ' (where replays vary: `--as-recordings`)';
  const wanted: [string, string] = [
    'If this change is wanted',
    `\`agent-replay accept${flags.join('')}\` and commit the changed pins${turns.some(isVarying) ? why : ''}`,
  ];
  if (turns.some(({ comparison }) => comparison.divergence?.cause.kind !== 'model'))
    return [wanted, ['If not', 'fix the agent']];
  const isSure =
    pins === '' && sessions.every((session) => session.turns.every(({ problems }) => problems.length === 0));
  const again = 'run again; if it stays, the model itself has changed';
  return isSure ? [['No edit did this', again], wanted] : [wanted, ['If not', again]];
}
