import { given, type Message, putOut } from '../chat/index.ts';
import { byCodeUnit, canonical, type Json, spelledOut } from '../json/index.ts';
import { isTool, type Observation } from './trace.ts';

/**
 * Observations in the order in which they happened, whatever order they arrived in: parents before children, siblings by
 * start, each id once. Clocks are too coarse for a fast agent, which does much in one millisecond; SDKs even count a span's
 * nanoseconds from a start in whole milliseconds, so of two spans the longer one seems to end last. Observations that start
 * in the same millisecond are ordered by cause: a tool comes after the model call that asked for it, and before the one
 * that was given its result. Where no id links them, the order follows values that are the same in runs that behave alike.
 */
export function inCausalOrder(observations: readonly Observation[]): Observation[] {
  const byId = withoutDuplicates(observations);
  const parentOf = ({ id, parentId }: Observation) =>
    parentId === null || parentId === id ? undefined : byId.get(parentId);
  const sorted = inLine([...byId.values()], parentOf);
  const children = Map.groupBy(sorted, parentOf);
  const ordered = new Set<Observation>();
  const visit = (roots: readonly Observation[]): void => {
    const pending = roots.toReversed();
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (ordered.has(next)) continue;
      ordered.add(next);
      const below = children.get(next) ?? [];
      for (let i = below.length - 1; i >= 0; i--) pending.push(below[i] as Observation);
    }
  };
  visit(children.get(undefined) ?? []);
  // Observations in a parent loop are reached from no root. They come last, by start.
  for (const each of sorted) visit([each]);
  return [...ordered];
}

/**
 * Whether a recording shows which of two model calls in the same millisecond came first: the later one was given the result
 * of a tool that the earlier one asked for, or the same messages and more.
 */
export function isKnownBefore(a: Observation, b: Observation): boolean {
  if (isContinued(a, b)) return true;
  return isAnswered(a, b) && !isAnswered(b, a) && !isContinued(b, a);
}

/** If two reports have the same id, the later one counts, in whichever order they arrived. */
function withoutDuplicates(observations: readonly Observation[]): ReadonlyMap<string, Observation> {
  const byId = new Map<string, Observation>();
  for (const each of observations) {
    const known = byId.get(each.id);
    if (known === undefined || isLater(each, known)) byId.set(each.id, each);
  }
  return byId;
}

function isLater(a: Observation, b: Observation): boolean {
  const [endA, endB] = [a, b].map(({ startTime, endTime }) => Date.parse(endTime ?? startTime)) as [number, number];
  return endA > endB || (endA === endB && canonical(a) > canonical(b));
}

/**
 * Orders by start and cause. A span stands where the first act inside it does, because nothing else shows what it was for;
 * other observations of its millisecond come first if that act is later.
 */
function inLine(
  observations: readonly Observation[],
  parentOf: (each: Observation) => Observation | undefined,
): Observation[] {
  const starts = new Map(observations.map((each) => [each, Date.parse(each.startTime)]));
  const startOf = (each: Observation): number => starts.get(each) as number;
  const moments = [...Map.groupBy(observations, startOf)].sort(([a], [b]) => a - b);
  const acted = moments.flatMap(([, tied]) => (tied.length === 1 ? tied : byCause(tied)));
  const places = new Map<Observation, number>();
  for (const [place, act] of acted.entries()) {
    if (!isAct(act)) continue;
    places.set(act, place);
    let around = parentOf(act);
    while (around !== undefined && !places.has(around) && !isAct(around) && startOf(around) === startOf(act)) {
      places.set(around, place);
      around = parentOf(around);
    }
  }
  const lasts = new Map(acted.map((each, place) => [startOf(each), place]));
  const beforeActs = spansBefore(acted, parentOf, startOf);
  for (const [place, each] of acted.entries()) {
    if (!places.has(each)) places.set(each, beforeActs.has(each) ? (lasts.get(startOf(each)) as number) + 0.5 : place);
  }
  return acted.toSorted((a, b) => (places.get(a) as number) - (places.get(b) as number));
}

/** Spans whose acts all start later than the span. */
function spansBefore(
  observations: readonly Observation[],
  parentOf: (each: Observation) => Observation | undefined,
  startOf: (each: Observation) => number,
): ReadonlySet<Observation> {
  const spans = new Set<Observation>();
  for (const act of observations.filter(isAct)) {
    let around = parentOf(act);
    while (around !== undefined && !isAct(around) && !spans.has(around) && startOf(around) < startOf(act)) {
      spans.add(around);
      around = parentOf(around);
    }
  }
  return spans;
}

/** Acts take part in cause and effect: model calls and tools. */
function isAct(each: Observation): boolean {
  return each.type === 'generation' || isCalled(each);
}

/** No model call asked for a retriever, so it may come before the first one. */
function isCalled(each: Observation): boolean {
  return isTool(each) && each.type !== 'retriever';
}

/** Orders observations that start in one millisecond. */
function byCause(tied: readonly Observation[]): Observation[] {
  const depths = depthsOf(tied.filter(isAct));
  const keyed = tied.map((each) => ({
    each,
    order: [
      depths.get(each) ?? 0,
      // The model comes before the tools that it asked for.
      isCalled(each) ? 1 : 0,
      // Messages accumulate, so the call with more of them is later.
      each.type === 'generation' ? given(each.input).messages.length : 0,
      // What was over when the next one started ended in this millisecond.
      each.endTime !== null && Date.parse(each.endTime) <= Date.parse(each.startTime) ? 0 : 1,
    ],
  }));
  const contents = new Map<Observation, string>();
  /** Computed only when all else is equal, and only once. */
  const contentOf = (each: Observation): string => {
    const text = contents.get(each) ?? `${canonical(each.input)}\0${canonical(each.output)}`;
    contents.set(each, text);
    return text;
  };
  keyed.sort((a, b) => {
    const at = a.order.findIndex((number, index) => number !== b.order[index]);
    if (at !== -1) return (a.order[at] as number) - (b.order[at] as number);
    return (
      byCodeUnit(a.each.name, b.each.name) ||
      byCodeUnit(contentOf(a.each), contentOf(b.each)) ||
      byCodeUnit(a.each.id, b.each.id)
    );
  });
  return keyed.map(({ each }) => each);
}

/** The length of the longest chain of causes before each act. Acts in a circle, and those that follow from it, come last. */
function depthsOf(acts: readonly Observation[]): ReadonlyMap<unknown, number> {
  const depths = new Map<unknown, number>();
  if (acts.length < 2) return depths;
  const effects = new Map<unknown, unknown[]>();
  const causesLeft = new Map<unknown, number>();
  const link = (cause: unknown, effect: unknown): void => {
    const known = effects.get(cause);
    if (known === undefined) effects.set(cause, [effect]);
    else known.push(effect);
    causesLeft.set(effect, (causesLeft.get(effect) ?? 0) + 1);
  };
  for (const call of callsAmong(acts)) {
    // Linked through the call and its result, so that a thousand models and a thousand results need no million links.
    const result = {};
    for (const model of call.askedBy) link(model, call);
    link(call, result);
    for (const tool of call.ranAs) link(call, tool);
    for (const tool of call.ranAs) link(tool, result);
    for (const model of call.givenTo) link(result, model);
  }
  const reached = [...effects.keys()].filter((cause) => !causesLeft.has(cause));
  // The list grows during this loop.
  for (const cause of reached) {
    for (const effect of effects.get(cause) ?? []) {
      depths.set(effect, Math.max(depths.get(effect) ?? 0, (depths.get(cause) ?? 0) + 1));
      const left = (causesLeft.get(effect) as number) - 1;
      causesLeft.set(effect, left);
      if (left === 0) reached.push(effect);
    }
  }
  for (const [effect, left] of causesLeft) if (left > 0) depths.set(effect, Number.POSITIVE_INFINITY);
  return depths;
}

interface Call {
  readonly askedBy: Observation[];
  readonly ranAs: Observation[];
  readonly givenTo: Observation[];
}

/** By id. An id that a model asks for again after it got a result is used twice, and links nothing. */
function callsAmong(acts: readonly Observation[]): Iterable<Call> {
  const calls = new Map<string, Call>();
  const usedTwice = new Set<string>();
  const callOf = (id: string): Call => {
    const call = calls.get(id) ?? { askedBy: [], ranAs: [], givenTo: [] };
    calls.set(id, call);
    return call;
  };
  for (const act of acts) {
    const [asked, given] = [askedIn(act), givenIn(act)];
    for (const id of asked) callOf(id).askedBy.push(act);
    for (const id of given) callOf(id).givenTo.push(act);
    if (act.callId !== undefined) callOf(act.callId).ranAs.push(act);
    for (const id of asked) if (given.has(id)) usedTwice.add(id);
  }
  for (const [id, tool] of withoutIds(acts)) calls.get(id)?.ranAs.push(tool);
  for (const id of usedTwice) calls.delete(id);
  return calls.values();
}

/** Tools without an id, matched to the one call with their name and arguments. */
function withoutIds(acts: readonly Observation[]): [id: string, tool: Observation][] {
  const tools = acts.filter((act) => isCalled(act) && act.callId === undefined);
  if (tools.length === 0) return [];
  const models = acts.filter(({ type }) => type === 'generation');
  const told = models.flatMap(({ input, output }) => [...putOut(output).calls, ...given(input).calls]);
  const key = (name: string, args: Json | undefined) => `${name}\0${canonical(args)}`;
  const byKey = Map.groupBy(told, ({ name, args }) => key(name, args));
  return tools.flatMap((tool): [string, Observation][] => {
    // A model's output may lack the id that the next input has.
    const [id, ...others] = known((byKey.get(key(tool.name, spelledOut(tool.input))) ?? []).map((call) => call.id));
    return id === undefined || others.length > 0 ? [] : [[id, tool]];
  });
}

function askedIn({ type, output }: Observation): ReadonlySet<string> {
  const ids = type === 'generation' ? putOut(output).calls.map(({ id }) => id) : [];
  return known(ids);
}

function givenIn({ type, input }: Observation): ReadonlySet<string> {
  return type === 'generation' ? known(given(input).results.map(({ id }) => id)) : new Set();
}

function known(ids: readonly (string | undefined)[]): Set<string> {
  return new Set(ids.filter((id) => id !== undefined));
}

/** Whether a model call received a result that another one had asked for. */
function isAnswered(asking: Observation, later: Observation): boolean {
  const given = givenIn(later);
  return [...askedIn(asking)].some((id) => given.has(id));
}

/** Whether a model call has the messages of another one, and more. */
export function isContinued({ input }: Pick<Observation, 'input'>, later: Pick<Observation, 'input'>): boolean {
  const [first, more] = [given(input).messages, given(later.input).messages];
  const isPrefix = (message: Message, index: number) =>
    canonical(message as Json) === canonical(more[index] as Json | undefined);
  return first.length > 0 && first.length < more.length && first.every(isPrefix);
}
