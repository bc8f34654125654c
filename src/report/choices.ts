import type { TurnResult } from './schema.ts';

/** How what these turns do now is accepted: where replays do several things, all of them become recordings. */
export function acceptFlags(turns: readonly TurnResult[]): string[] {
  const isOne = turns.some(({ shift, comparison }) => shift === undefined && comparison.figures.behaviours <= 1);
  return isOne || turns.length === 0 ? [] : ['--as-recordings'];
}

/** What a person can do about turns that differ, but to look at them: pairs of when and what. */
export function choicesFor(turns: readonly TurnResult[]): [when: string, what: string][] {
  const flags = acceptFlags(turns).map((flag) => ` ${flag}`);
  const wanted = `\`agent-replay accept${flags.join('')}\``;
  return turns.every(({ comparison }) => comparison.divergence?.cause.kind === 'model')
    ? [
        ['No edit did this', 'run again; if it stays, the model itself has changed'],
        ['If this change is wanted', wanted],
      ]
    : [
        ['If this change is wanted', wanted],
        ['If not', 'fix the agent'],
      ];
}
