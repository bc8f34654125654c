import {
  alarmFails,
  type EventRules,
  type Forbidden,
  forbiddenEvents,
  type NeverGreenEvent,
  neverGreenEvents,
  type Run,
} from './events.ts';
import type { ShiftEvent } from './shift-result.ts';

/** What the runs of a turn did, and how often the turn was looked at. */
interface TurnRecord extends EventRules {
  /** Everything that the agent is known to do; none if the turn is judged by its verdict alone. */
  readonly recordings?: readonly Run[] | undefined;
  /** By run. */
  readonly replays?: ReadonlyMap<number, Run> | undefined;
  /** What `compare.forbid` finds in each conclusive run. */
  readonly forbidden: ReadonlyMap<number, readonly Forbidden[]>;
  /** Runs of all looks. */
  readonly asked: number;
  /** There was a second look, or the turn has all runs that it can have. */
  readonly isLast: boolean;
}

/** What fails a turn whatever its tests say, and what raises an alarm. */
export function turnEvents({
  recordings = [],
  replays = new Map(),
  forbidden,
  tools,
  ...looks
}: TurnRecord): ShiftEvent[] {
  const [runs, checked] = [numbersOf(replays), numbersOf(forbidden)];
  const never = neverGreenEvents(
    recordings,
    runs.map((run) => replays.get(run) as Run),
    { tools },
  );
  const found = forbiddenEvents(checked.map((run) => forbidden.get(run) ?? []));
  return [
    ...never.map((event) => ({
      ...eventOf(event, runs, looks),
      ...(isCritical(event, tools) && { isCritical: true }),
    })),
    ...found.map((event) => eventOf(event, checked, looks)),
  ];
}

function numbersOf(runs: ReadonlyMap<number, unknown>): number[] {
  return [...runs.keys()].sort((a, b) => a - b);
}

function isCritical({ tool = '' }: NeverGreenEvent, tools: EventRules['tools']): boolean {
  return Object.hasOwn(tools, tool) && tools[tool]?.critical === true;
}

/** @param runs numbers of the replays that the event counts by their places */
function eventOf(
  event: NeverGreenEvent,
  runs: readonly number[],
  { asked, isLast }: Pick<TurnRecord, 'asked' | 'isLast'>,
): ShiftEvent {
  const { replays, ...told } = event;
  return {
    ...told,
    runs: replays.map((place) => runs[place] as number),
    fails: event.weight === 'red' || (isLast && alarmFails(event, asked)),
  };
}
