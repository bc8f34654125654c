import { TRACE_SPANS } from '../../contract/index.ts';
import { isJsonObject } from '../../json/index.ts';
import { echoesIn, endedInError, type Observation } from '../../trace/index.ts';
import type { TraceRecord } from '../mapping/trace-record.ts';
import { isRunning, stepsIn, type TracingHabits, type TurnHabits } from './habits.ts';
import { type MentionedCall, mentionedIn, unobserved } from './mentioned.ts';

/** How complete a trace is, in words and with ids of what is wrong. */
export interface Progress {
  /** Without these it cannot be judged: the root, a parent, and what all recordings of the agent have in such a place. */
  readonly missing: readonly string[];
  /**
   * Results of calls, and calls that were asked for, as all recordings of the agent have them: without them the turn is not
   * over, unless its spans are counted.
   */
  readonly goesOn: readonly string[];
  /**
   * These may never come, as far as recordings show: the end of an observation that nobody ends, the result of a call that
   * nobody carries out (a client-side tool, structured output, a step limit).
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
  const ends = running.map(endOf);
  const isEnded = habits?.leavesOpen === false;
  return {
    missing: [
      ...(hasRoot || hiddenTop !== undefined ? [] : ['the root span']),
      ...parents,
      ...(isEnded ? ends : []),
      ...contentMissing(observations, habits),
      ...calls.missing,
    ],
    goesOn: calls.goesOn,
    open: [...(isEnded ? [] : ends), ...calls.open],
    circles: circlesIn(records),
    tops: severalTops(records),
    hiddenTop,
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

/** Parts of model calls that all recordings have: some SDKs send them apart, as log records. */
function contentMissing(observations: readonly Observation[], habits: TracingHabits | undefined): string[] {
  const isBare = (each: Observation) => each.type === 'generation' && each.level !== 'ERROR' && !isRunning(each);
  return observations.filter(isBare).flatMap((each) => {
    if (each.input !== undefined && each.output !== undefined) return [];
    const parts = (['input', 'output'] as const).filter(
      (part) => each[part] === undefined && habits?.content.has(part),
    );
    return parts.map((part) => `the ${part} of span ${labelOf(each)}`);
  });
}

interface Calls {
  readonly missing: readonly string[];
  readonly goesOn: readonly string[];
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
  const goesOn = new Set<string>();
  const open = new Set<string>();
  /** A model call went on without its result. */
  const isLeft = ({ id }: MentionedCall) =>
    id !== undefined && mentioned.some((each) => each.history.some((call) => call.id === id) && !each.answered.has(id));
  const judge = (call: MentionedCall, isOver: boolean): void => {
    const { id, name } = call;
    const label = `tool call "${name}"${id === undefined ? '' : ` (${id})`}`;
    const observed = habits?.observationOf(name) ?? 'not always';
    if (isOver) {
      if (observed !== 'not always') (observed === 'always' ? missing : open).add(`the observation of ${label}`);
      return;
    }
    const result = habits?.resultOf(name);
    if (result === 'always' && !isLeft(call)) goesOn.add(`the result of ${label}`);
    else if (result !== 'not always' || observed === 'always') open.add(`the result of ${label}`);
  };
  const unseen = unobserved(asked, observations);
  for (const call of unseen) judge(call, isAnswered(call));
  for (const call of habits === undefined ? [] : asked) {
    // Its observation came, and the model call that is given its result did not.
    const isCutOff = !unseen.includes(call) && call.id !== undefined && !isAnswered(call);
    if (isCutOff && habits?.resultOf(call.name) === 'always') judge(call, false);
  }
  // Ids may differ from those in the output, so each history is matched separately.
  for (const { history } of mentioned) {
    for (const call of unobserved(history, observations)) judge(call, !isLeft(call) || isAnswered(call));
  }
  const ids = new Set(asked.map(({ id }) => id));
  const unasked = observations.filter(({ callId }) => callId !== undefined && !ids.has(callId));
  const askedFor = new Set(asked.map(({ name }) => name));
  for (const { name, callId } of habits?.actsUnasked === false ? unasked : []) {
    // Agents may note another id than their model gave.
    if (!askedFor.has(name)) goesOn.add(`the model call that asked for "${name}" (${callId})`);
  }
  return {
    missing: [...missing],
    goesOn: [...goesOn],
    open: [...open],
    areMatched: unseen.length + unasked.length === 0,
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

/** How long nothing must have come, in milliseconds. */
export interface Patience {
  /** After the last change of a trace that lacks nothing, and after the response. */
  readonly quietMs: number;
  /** If something is missing that may never come. Longer than 5 s, every SDK's default flush interval. */
  readonly settleMs: number;
}

/** What is known of one replay's trace. */
export interface Seen {
  readonly records: readonly TraceRecord[];
  /** How many observations it should have, where somebody says so, and how many of them came that name the replay. */
  readonly said?: number;
  readonly named?: number;
  /** Answers that its models gave, where somebody else counts them. */
  readonly answers?: number;
  /** What came earlier may be seen later, as on a platform. */
  readonly isDelayed?: boolean;
  /** Part of it may have been in an export that was lost. */
  readonly isLossy?: boolean;
  /** Rows show which span is the root, even where its parent is never exported. */
  readonly marksRoots: boolean;
}

/** What the recordings of an agent and of a turn show. */
export interface Known {
  readonly habits?: TracingHabits;
  readonly turn: TurnHabits;
}

/** Whether the response to the call has come; `broken`: none will. */
export type Call = 'running' | 'answered' | 'broken';

/** What a trace is if nothing more comes. */
export interface Wholeness {
  /**
   * `broken`: no further span can mend it. `lacking`: it goes on, and cannot be judged. The others can: `open` without what
   * may never come, `short` without steps that all recordings have, `whole` with everything.
   */
  readonly is: 'broken' | 'lacking' | 'open' | 'short' | 'whole';
  /** What is wrong or missing, in words. */
  readonly lacks: readonly string[];
  /** The silence after which that is so: infinite, it is the deadline's; negative, there is none. */
  readonly waitMs: number;
}

/** The least silence before a step that all recordings have counts as missing. */
const SHORT_MS = 2_000;
/** The next silence may be this many times as long as those of the recordings, and of this run. */
const MARGIN = 2;

/** Decides whether more of a trace is expected, for every source alike, by what came and what recordings show. Pure. */
export function wholenessOf(
  { records, said: told, named = 0, answers, isDelayed, isLossy, marksRoots }: Seen,
  call: Call,
  { habits, turn }: Known,
  { quietMs, settleMs, seenMs = 0 }: Patience & { readonly seenMs?: number },
): Wholeness {
  const { missing, goesOn, open, circles, tops, hiddenTop, areCallsMatched } = progressOf(records, habits);
  if (circles.length + tops.length > 0) return { is: 'broken', lacks: [...circles, ...tops], waitMs: quietMs };
  const isHidden = hiddenTop !== undefined && habits?.hidesTop !== true;
  const isRootless = isHidden && (marksRoots || habits !== undefined);
  const observations = records.flatMap(({ observation }) => observation ?? []);
  const said = told ?? endMark(observations);
  // Where all spans of a turn name it, others were not counted.
  const came = named > 1 || told !== undefined ? named : observations.length;
  const isCounted = said !== undefined && came >= said;
  const uncounted = isCounted || said === undefined ? [] : [`${said - came} of ${said} spans`];
  const lacks = [...(isRootless ? ['the root span', `the parent span ${hiddenTop}`] : []), ...missing];
  const results = isCounted || isEveryAnswer(observations, answers) ? [] : goesOn;
  const doubts = [...(isHidden && !isRootless ? ['the root span'] : []), ...open];
  const isOpen = doubts.length > 0;
  if (lacks.length > 0 || (isOpen && call === 'broken')) return lacking([...lacks, ...results, ...doubts]);
  const isDoubtful = results.length > 0 || (isOpen && isLossy);
  if (isDoubtful) return lacking([...results, ...doubts], isLossy ? settleMs : undefined);
  const isMatched = isCounted || (!isOpen && (areCallsMatched || !isDelayed));
  const wholeMs = isCounted && !isDelayed ? Number.NEGATIVE_INFINITY : isMatched ? quietMs : settleMs;
  const steps = call === 'broken' ? [] : stepsMissing(observations, turn);
  if (steps.length === 0) return { is: isOpen ? 'open' : 'whole', lacks: doubts, waitMs: wholeMs };
  const shortMs = Math.max(isCounted ? 0 : SHORT_MS, MARGIN * turn.silenceMs, MARGIN * seenMs);
  if (isLossy || uncounted.length > 0) return lacking([...steps, ...uncounted], isLossy ? shortMs : undefined);
  return { is: 'short', lacks: steps, waitMs: Math.max(wholeMs, shortMs) };
}

/** No model was asked for more than what came. */
function isEveryAnswer(observations: readonly Observation[], answers = Number.POSITIVE_INFINITY): boolean {
  const echoes = echoesIn(observations);
  return observations.filter((each) => each.type === 'generation' && !echoes.has(each)).length >= answers;
}

/** What its spans say themselves of their number: more, where the turn went on after the first to say so. */
function endMark(observations: readonly Observation[]): number | undefined {
  const said = observations.map(({ metadata }) => {
    const { [TRACE_SPANS]: own, attributes } = metadata ?? {};
    return Number(own ?? (isJsonObject(attributes) ? attributes[TRACE_SPANS] : undefined));
  });
  return said
    .filter((number) => number > 0)
    .reduce<number | undefined>((most = 0, number) => Math.max(most, number), undefined);
}

function lacking(lacks: readonly string[], waitMs = Number.POSITIVE_INFINITY): Wholeness {
  return { is: 'lacking', lacks, waitMs };
}

/** Steps that all recordings of a turn have and its trace has not, unless its root says that it failed. */
function stepsMissing(observations: readonly Observation[], { steps }: TurnHabits): string[] {
  if (steps.size === 0 || endedInError({ output: true, observations: [...observations] })) return [];
  const came = stepsIn(observations);
  return [...steps].flatMap(([step, times]) => ((came.get(step) ?? 0) < times ? step : []));
}
