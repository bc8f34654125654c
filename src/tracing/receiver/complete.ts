import { echoesIn, type Observation } from '../../trace/index.ts';
import type { TraceRecord } from '../mapping/trace-record.ts';
import { isRunning, type TracingHabits } from './habits.ts';
import { type MentionedCall, mentionedIn, unobserved } from './mentioned.ts';

/** How complete a trace is, in words and with ids of what is wrong. */
export interface Progress {
  /** Without these it cannot be judged: the root, a parent, the observation of a call whose result the model received. */
  readonly missing: readonly string[];
  /**
   * These may never come: the end of an observation that nobody ends, the result of a call that nobody carries out (a
   * client-side tool, structured output, a step limit), an observation of a tool that no recording contains.
   */
  readonly open: readonly string[];
  /** Spans in a parent loop, which no further span can fix. */
  readonly circles: readonly string[];
  /** Traces with several spans without a parent: nothing shows which one is the turn. */
  readonly tops: readonly string[];
  /**
   * There is no root, and everything hangs below one missing span, as for agents that do not export the span of their web
   * framework; `missing` does not include it.
   */
  readonly hiddenTop: string | undefined;
  /** There is a root, possibly made up by the platform. */
  readonly hasRoot: boolean;
  /** There is a model call, and every tool that ran under an id was asked for: nothing suggests another call to come. */
  readonly areCallsMatched: boolean;
}

/**
 * Judges the records of one run so far. Pure.
 * @param habits of the agent; without them, a result in a generation's input replaces the call's observation
 */
export function progressOf(records: readonly TraceRecord[], habits?: TracingHabits): Progress {
  const observations = records.flatMap(({ observation }) => observation ?? []);
  const hasRoot = records.some(({ isRoot }) => isRoot);
  const orphans = orphansIn(records);
  const [hiddenTop] = !hasRoot && orphans.size === 1 ? orphans.keys() : [];
  const parents =
    hiddenTop === undefined ? [...orphans].map(([id, child]) => `the parent span ${id} of span ${child}`) : [];
  const calls = judgeCalls(observations, habits);
  const running = records.filter(({ observation }) => observation !== undefined && isRunning(observation));
  const isAwaited = ({ isRoot }: TraceRecord) => isRoot && habits?.leavesOpen === false;
  return {
    missing: [
      ...(hasRoot || hiddenTop !== undefined ? [] : ['the root span']),
      ...parents,
      ...running.filter(isAwaited).map(endOf),
      ...calls.missing,
    ],
    open: [...running.filter((record) => !isAwaited(record)).map(endOf), ...calls.open],
    circles: circlesIn(records),
    tops: severalTops(records),
    hiddenTop,
    hasRoot,
    areCallsMatched: calls.areMatched && observations.some(({ type }) => type === 'generation'),
  };
}

/** For each missing parent, by its id, a span that has it. */
function orphansIn(records: readonly TraceRecord[]): Map<string, string> {
  const ids = new Set(records.map(({ observation }) => observation?.id));
  const orphans = new Map<string, string>();
  for (const { isRoot, observation } of records) {
    const parentId = observation?.parentId ?? null;
    if (isRoot || parentId === null || ids.has(parentId) || orphans.has(parentId)) continue;
    orphans.set(parentId, labelOf(observation as Observation));
  }
  return orphans;
}

function endOf({ observation }: TraceRecord): string {
  return `the end of span ${labelOf(observation as Observation)}`;
}

/** The id first: where lines are cut, it stays. */
function labelOf({ type, name, id }: Observation): string {
  return `${id}, ${type} "${name}"`;
}

interface Calls {
  readonly missing: readonly string[];
  readonly open: readonly string[];
  readonly areMatched: boolean;
}

/**
 * Calls of the turn without an observation, and what that means: calls that generations asked for, and calls in their
 * input.
 */
function judgeCalls(observations: readonly Observation[], habits: TracingHabits | undefined): Calls {
  const echoes = echoesIn(observations);
  const generations = observations.filter((each) => each.type === 'generation' && !echoes.has(each));
  const mentioned = generations.map(mentionedIn);
  const asked = mentioned.flatMap((each) => each.asked);
  const answered = new Set(mentioned.flatMap((each) => [...each.answered]));
  const told = new Set(mentioned.flatMap(({ history }) => history.map(({ name }) => name)));
  const isAnswered = ({ id, name }: MentionedCall) => (id === undefined ? told.has(name) : answered.has(id));
  const missing = new Set<string>();
  const open = new Set<string>();
  const judge = (call: MentionedCall, isOver: boolean): void => {
    const { id, name } = call;
    const label = `tool call "${name}"${id === undefined ? '' : ` (${id})`}`;
    switch (habits?.observationOf(name) ?? 'not always') {
      case 'always':
        if (isOver) missing.add(`the observation of ${label}`);
        else open.add(`the result of ${label}`);
        return;
      case 'unknown':
        open.add(isOver ? `the observation of ${label}` : `the result of ${label}`);
        return;
      case 'not always':
        if (!isOver && habits?.resultOf(name) !== 'not always') open.add(`the result of ${label}`);
    }
  };
  const unseen = unobserved(asked, observations);
  for (const call of unseen) judge(call, isAnswered(call));
  // Ids may differ from those in the output, so each history is matched separately.
  for (const { history } of mentioned) for (const call of unobserved(history, observations)) judge(call, true);
  const ids = new Set(asked.map(({ id }) => id));
  return {
    missing: [...missing],
    open: [...open],
    areMatched: unseen.length === 0 && observations.every(({ callId }) => callId === undefined || ids.has(callId)),
  };
}

function circlesIn(records: readonly TraceRecord[]): string[] {
  const byId = new Map(records.flatMap(({ observation }) => (observation ? [[observation.id, observation]] : [])));
  const sound = new Set<string>();
  const circles: string[] = [];
  for (const start of byId.values()) {
    const path: Observation[] = [];
    const onPath = new Set<string>();
    for (let each: Observation | undefined = start; each !== undefined && !sound.has(each.id); ) {
      if (onPath.has(each.id)) {
        const circle = path.slice(path.indexOf(each));
        circles.push(
          circle.length === 1
            ? `its own parent: span ${labelOf(each)}`
            : `a circle of parents: spans ${circle.map(({ id }) => id).join(', ')}`,
        );
        break;
      }
      path.push(each);
      onPath.add(each.id);
      each = each.parentId === null ? undefined : byId.get(each.parentId);
    }
    for (const { id } of path) sound.add(id);
  }
  return circles;
}

/** Only for spans: the older ingestion API has a separate record for the trace, and observations below it have no parent. */
function severalTops(records: readonly TraceRecord[]): string[] {
  const traces = Map.groupBy(records, ({ traceId }) => traceId);
  return [...traces].flatMap(([traceId, own]) => {
    if (own.some(({ observation }) => observation === undefined)) return [];
    const tops = own.flatMap(({ observation }) => (observation?.parentId === null ? observation : []));
    return tops.length < 2 ? [] : tops.map((each) => `a root of trace ${traceId}: span ${labelOf(each)}`);
  });
}
