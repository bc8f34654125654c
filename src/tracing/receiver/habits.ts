import type { Observation, Recording } from '../../trace/index.ts';
import { type Mentioned, type MentionedCall, mentionedIn, unobserved } from './mentioned.ts';

/** Whether something always comes with a tool's calls, as far as recordings show. */
export type Regularity = 'always' | 'not always' | 'unknown';

/** What an agent's recordings show about how it traces: the receiver does not wait for what the agent never writes. */
export interface TracingHabits {
  /** Whether calls of this tool have an observation; for a tool without recorded calls, whether those of others have. */
  observationOf(tool: string): Regularity;
  /** Whether a later generation receives its result. A tool run by the caller or the provider may have none. */
  resultOf(tool: string): Regularity;
  /** Its topmost span has a parent that it does not export, such as its web framework's. */
  readonly hidesTop: boolean;
  /** It leaves observations without an end. */
  readonly leavesOpen: boolean;
}

/** Calls of one tool, or of all tools. */
interface Count {
  calls: number;
  observed: number;
  answered: number;
}

/** Reads recordings only if something seems to be missing. @param recordings all recordings of one agent */
export function habitsOf(recordings: () => Iterable<Recording>): TracingHabits {
  let found: TracingHabits | undefined;
  const known = (): TracingHabits => {
    found ??= habitsIn(recordings());
    return found;
  };
  return {
    observationOf: (tool) => known().observationOf(tool),
    resultOf: (tool) => known().resultOf(tool),
    get hidesTop() {
      return known().hidesTop;
    },
    get leavesOpen() {
      return known().leavesOpen;
    },
  };
}

function habitsIn(recordings: Iterable<Recording>): TracingHabits {
  const all = newCount();
  const byTool = new Map<string, Count>();
  const count = (calls: readonly MentionedCall[], among: readonly Observation[], answered: Mentioned['answered']) => {
    const missing = new Set(unobserved(calls, among));
    for (const call of calls) {
      const ofTool = byTool.get(call.name) ?? newCount();
      byTool.set(call.name, ofTool);
      for (const each of [ofTool, all]) {
        each.calls++;
        if (!missing.has(call)) each.observed++;
        if (call.id === undefined || answered.has(call.id)) each.answered++;
      }
    }
  };
  let hidesTop = false;
  let leavesOpen = false;
  for (const { observations } of recordings) {
    const mentioned = observations.filter(({ type }) => type === 'generation').map(mentionedIn);
    const answered = new Set(mentioned.flatMap((each) => [...each.answered]));
    const asked = mentioned.flatMap((each) => each.asked);
    for (const calls of [asked, ...mentioned.map(({ history }) => history)]) count(calls, observations, answered);
    hidesTop ||= hasHiddenTop(observations);
    leavesOpen ||= observations.some(isRunning);
  }
  const of = (tool: string, part: 'observed' | 'answered'): Regularity => {
    const { calls, [part]: had } = byTool.get(tool) ?? all;
    return calls === 0 ? 'unknown' : had === calls ? 'always' : 'not always';
  };
  return {
    observationOf: (tool) => of(tool, 'observed'),
    resultOf: (tool) => of(tool, 'answered'),
    hidesTop,
    leavesOpen,
  };
}

function newCount(): Count {
  return { calls: 0, observed: 0, answered: 0 };
}

/** With an output it is done: users of the older SDK often omit the end. */
export function isRunning({ type, endTime, output }: Observation): boolean {
  return endTime === null && output === undefined && type !== 'event';
}

function hasHiddenTop(observations: readonly Observation[]): boolean {
  const ids = new Set(observations.map(({ id }) => id));
  const parents = new Set(observations.map(({ parentId }) => parentId));
  return !parents.has(null) && [...parents].filter((id) => id !== null && !ids.has(id)).length === 1;
}
