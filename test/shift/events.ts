import type { CompareRules, ReadStep } from '../../src/compare/index.ts';
import { type ShiftEvent, turnEvents } from '../../src/shift/index.ts';

/** The events of replays that are numbered from 1. @param most replays of the last look; default: these are all */
export function eventsOf(
  recordings: readonly (readonly ReadStep[])[],
  replays: readonly (readonly ReadStep[])[],
  tools: CompareRules['tools'],
  most = replays.length,
): ShiftEvent[] {
  const numbered = new Map(replays.map((run, index) => [index + 1, run]));
  const asked = { asked: most, isLast: replays.length >= most };
  return turnEvents({ recordings, replays: numbered, forbidden: new Map(), tools, ...asked });
}
