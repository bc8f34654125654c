import { isAsRecorded, RecordedTurn } from '../../compare/index.ts';
import { type Config, ownSettingsOf, withOwn } from '../../config/index.ts';
import { type Pin, recordingsMade } from '../../session/index.ts';
import { LEAST_RECORDINGS } from '../../shift/index.ts';
import { timesMade } from './shift-gate.ts';

/** Of the sessions with enough recordings, the share that is recorded alike for an agent to be steady. */
const STEADY_SHARE = 0.9;

type Rules = Pick<Config, 'overrides' | 'runs' | 'looks' | 'gate' | 'failOn' | 'compare' | 'tools' | 'tracing'>;

/**
 * Whether an agent does the same each time, as its pins tell, whatever a change to it does.
 * @param pins all of one agent; those with fewer than five recordings made by runs tell nothing
 * @returns ids of the sessions whose recordings are alike in every aspect, if the agent is steady; otherwise none
 */
export function steadySessions(pins: readonly Pin[], rules: Rules): ReadonlySet<string> {
  const telling = pins.filter((pin) => isOftenRecorded(pin));
  const mayDiffer = Math.floor(telling.length * (1 - STEADY_SHARE) + Number.EPSILON);
  const alike = new Set<string>();
  for (const [index, pin] of telling.entries()) {
    if (areAlike(pin, rules)) alike.add(pin.session.id);
    // An agent that varies shows it in its first sessions, and the others need no comparison.
    if (index + 1 - alike.size > mayDiffer) return new Set();
  }
  return alike;
}

/** Whether runs recorded each turn that can be replayed often enough to tell how the agent varies. */
export function isOftenRecorded(pin: Pin): boolean {
  return timesRecorded(pin) >= LEAST_RECORDINGS;
}

/** How often runs recorded the turn that they recorded least often, of those that can be replayed. */
export function timesRecorded(pin: Pin): number {
  return timesMade({ pin, turns: replayableTurns(pin) });
}

function replayableTurns({ turns }: Pin): number[] {
  return turns.flatMap(({ ok }, index) => (ok ? [index + 1] : []));
}

function areAlike(pin: Pin, rules: Rules): boolean {
  const { compare } = withOwn(rules, ownSettingsOf(rules, pin.path));
  const hasTraces = rules.tracing.source !== 'none';
  return replayableTurns(pin).every((number) => {
    const turn = pin.session.turns[number - 1];
    const [first, ...others] = recordingsMade(turn ?? {});
    if (first === undefined) return false;
    const recorded = new RecordedTurn({ request: turn?.request, recorded: first }, compare, { hasTraces });
    return Object.values(recorded.compare(...others).aspects).every(({ outcome }) => isAsRecorded(outcome));
  });
}
