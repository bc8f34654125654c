import { isJsonObject, isRawNumber, type Json, type JsonObject, pointerPart } from '../../contract/index.ts';
import { leavesOf } from '../explain/tools.ts';
import type { Change, DifferenceKind } from '../result.ts';
import type { StepKind } from '../rules.ts';
import { canonical, isContainer } from '../values/canonical.ts';
import type { PathRules } from '../values/paths.ts';
import { type Call, callsOf, messagesIn, type Part, type Script } from './script.ts';

/** What a comparison has to say of a planted change, for it to be caught. */
export interface Planted {
  readonly kinds: readonly DifferenceKind[];
  /** Steps at any of which it may be told; the first is its own. */
  readonly steps: readonly number[];
  /** Whose steps these are; default the recording's. */
  readonly side?: 'replayed';
  readonly pointer?: string;
  /** Left out where the value itself changed: a number that was a time is told as one of another type. */
  readonly change?: Exclude<Change, 'value'>;
}

/** A change that matters, and how to plant it. */
export interface Mutation {
  readonly name: string;
  /** Only where all of these steps are compared. */
  readonly needs: readonly StepKind[];
  /**
   * Plants it in a script.
   * @param place from 0
   * @param rules what they ignore is no place
   * @returns undefined when it cannot be planted there; `past` when there is no such place
   */
  readonly plant: (script: Script, place: number, rules: PathRules) => Planted | undefined | 'past';
}

const NEW_NAME = 'planted_by_self_test';

export const MUTATIONS: readonly Mutation[] = [
  onCalls('another tool', ['call'], (call, { siblings }) => {
    // Sorts right behind the name that it stands for, so that a parallel group keeps its order.
    call.name = `${call.name}!`;
    const steps = stepsOf(call, siblings);
    // Among parallel calls of one tool, the one that was swapped has no place of its own: it is missed.
    return siblings.length > 1
      ? { kinds: ['call-name', 'call-missing', 'call-retry'], steps }
      : { kinds: ['call-name'], steps };
  }),
  onArguments('argument changed', undefined, (args, place, isSeen, tolerance) =>
    changedLeaf(args, place, isSeen, (value, pointer) => otherScalar(value, tolerance(pointer))),
  ),
  onArguments('argument of another type', 'type', (args, place, isSeen) =>
    changedLeaf(args, place, isSeen, (value, pointer) => (pointer === '' ? undefined : otherType(value))),
  ),
  onArguments('argument added', 'added', (args, _, isSeen) => {
    if (!isJsonObject(args)) return undefined;
    const value = { ...args, [NEW_NAME]: true };
    return isSeen(value) ? { value, pointer: pointerPart(NEW_NAME) } : undefined;
  }),
  onArguments('argument removed', 'removed', (args, place, isSeen) => {
    if (!isJsonObject(args)) return undefined;
    const key = rotated(Object.keys(args), place).find((each) => isSeen(without(args, each)));
    return key === undefined ? undefined : { value: without(args, key), pointer: pointerPart(key) };
  }),
  onCalls('call left out', ['call'], (call, { list, equal }) => {
    list.splice(list.indexOf(call), 1);
    // Which of several equal calls is missing cannot be told, and one that repeats another counts as a retry.
    return { kinds: ['call-missing', 'call-retry'], steps: stepsOf(call, equal) };
  }),
  { name: 'call put in', needs: ['call'], plant: plantCall },
  { name: 'calls in another order', needs: ['call'], plant: plantOrder },
  onCalls('result changed', ['call', 'result'], (call, { siblings, equal, rules }, place) => {
    const { outcome, name } = call;
    // Which of equal parallel calls came to which result cannot be told.
    const isOneOfEqual = siblings.some((each) => each !== call && equal.includes(each));
    if (outcome?.kind !== 'result' || isOneOfEqual) return undefined;
    const step = { kind: 'result', name, value: outcome.value } as const;
    const changed = changedLeaf(
      outcome.value,
      place,
      (value) => isSeenBy(rules, step, value),
      (value, pointer) => otherScalar(value, rules.tolerance(step, pointer)),
    );
    if (changed === undefined) return undefined;
    outcome.value = changed.value;
    const steps = [outcome, ...siblings.flatMap((each) => each.outcome ?? [])].map((each) => each.step);
    return { kinds: ['result'], steps, pointer: changed.pointer };
  }),
  { name: 'number in the answer changed', needs: ['final'], plant: plantNumber },
];

function plantCall(script: Script, place: number): Planted | undefined | 'past' {
  const { parts, partSteps, hasTrace } = script;
  if (!hasTrace || place > parts.length) return 'past';
  const [before, behind] = [parts[place - 1], parts[place]];
  const group = behind?.kind === 'call' ? behind.group : undefined;
  if (before?.kind === 'call' && before.group !== undefined && before.group === group) return undefined;
  const step = behind?.step ?? partSteps + 1;
  const call: Call = {
    kind: 'call',
    step,
    name: NEW_NAME,
    args: {},
    callId: undefined,
    inner: [],
    outcome: { kind: 'result', value: 'planted', step: step + 1 },
  };
  // Where no generation asks for calls, one that does would take the others their order in time.
  const isAsked = messagesIn(parts).length > 0 || parts.length === 0;
  parts.splice(place, 0, isAsked ? { kind: 'message', step, texts: [], calls: [call] } : call);
  return { kinds: ['call-extra'], steps: [step], side: 'replayed' };
}

function plantOrder({ parts }: Script, place: number): Planted | undefined | 'past' {
  const [first, second] = [parts[place], parts[place + 1]];
  if (first === undefined || second === undefined) return 'past';
  const [a, b] = [onlyCall(first), onlyCall(second)];
  if (a === undefined || b === undefined || isUsedBy(a, b) || isUsedBy(b, a)) return undefined;
  const isSame = a.name === b.name && canonical(a.args) === canonical(b.args);
  if (isSame) return undefined;
  parts.splice(place, 2, second, first);
  return { kinds: ['call-order'], steps: [a.step, b.step] };
}

function plantNumber(script: Script, place: number, rules: PathRules): Planted | undefined | 'past' {
  const { final } = script;
  if (final === undefined || place > 0) return 'past';
  const { value: recorded, step: at } = final;
  const step = { kind: 'final', value: recorded } as const;
  const changed = changedLeaf(
    recorded,
    0,
    (value) => isSeenBy(rules, step, value),
    (value, pointer) =>
      typeof value === 'string' ? otherNumber(value) : otherScalar(value, rules.tolerance(step, pointer), 'number'),
  );
  if (changed === undefined) return undefined;
  final.value = changed.value;
  if (!isContainer(recorded)) return { kinds: ['final-text'], steps: [at] };
  return { kinds: ['final-structure'], steps: [at], pointer: changed.pointer };
}

/** What a mutation of one call may need to know. */
interface Surroundings {
  /** Where the call stands. */
  readonly list: Part[];
  /** Parallel calls of the same tool, the call itself among them: there is no order among them. */
  readonly siblings: readonly Call[];
  /** Calls that cannot be told from it. */
  readonly equal: readonly Call[];
  readonly rules: PathRules;
}

/** A mutation with one place for each call. */
function onCalls(
  name: string,
  needs: readonly StepKind[],
  plant: (call: Call, surroundings: Surroundings, place: number) => Planted | undefined,
): Mutation {
  return {
    name,
    needs,
    plant({ parts }, place, rules) {
      const calls = callsOf(parts);
      const call = calls[place];
      if (call === undefined) return 'past';
      const asked = messagesIn(parts).find((message) => message.calls.includes(call));
      const list: Part[] = asked?.calls ?? listWith(parts, call) ?? [];
      const isParallel = (each: Part): each is Call =>
        each === call ||
        (each.kind === 'call' && (asked !== undefined || (each.group !== undefined && each.group === call.group)));
      const siblings = list.filter(isParallel).filter((each) => each.name === call.name);
      const equal = calls.filter((each) => each.name === call.name && canonical(each.args) === canonical(call.args));
      return plant(call, { list, siblings, equal, rules }, place);
    },
  };
}

/** A mutation of a call's arguments. */
function onArguments(
  name: string,
  change: Planted['change'],
  mutate: (
    args: Json | undefined,
    place: number,
    isSeen: (args: Json) => boolean,
    tolerance: (pointer: string) => number,
  ) => Changed | undefined,
): Mutation {
  return onCalls(name, ['call'], (call, { siblings, rules }, place) => {
    const step = { kind: 'call', name: call.name, value: call.args } as const;
    const changed = mutate(
      call.args,
      place,
      (args) => isSeenBy(rules, step, args),
      (pointer) => rules.tolerance(step, pointer),
    );
    if (changed === undefined) return undefined;
    call.args = changed.value;
    const told = { kinds: ['argument'], steps: stepsOf(call, siblings), pointer: changed.pointer } as const;
    return change === undefined ? told : { ...told, change };
  });
}

function stepsOf(call: Call, others: readonly Call[]): number[] {
  return [call, ...others].map(({ step }) => step);
}

/** The list of parts that a call stands in, which no model asked for. */
function listWith(parts: Part[], call: Call): Part[] | undefined {
  if (parts.includes(call)) return parts;
  for (const { inner } of callsOf(parts)) if (inner.includes(call)) return inner;
  return undefined;
}

/** A user who has ignored a place does not expect to be told of it. */
function isSeenBy(
  { strip }: PathRules,
  step: { kind: StepKind; name?: string; value: Json | undefined },
  value: Json | undefined,
): boolean {
  return canonical(strip({ ...step, value }).value) !== canonical(strip(step).value);
}

/** With more to say than this, two messages that change places are not worth to be aligned by their calls. */
const MAX_TEXTS = 2;

/** The call of a part that is nothing but one call; parallel ones have no order. */
function onlyCall(part: Part): Call | undefined {
  if (part.kind === 'failure') return undefined;
  if (part.kind === 'call') return part.group === undefined && part.inner.length === 0 ? part : undefined;
  const [call, ...others] = part.calls;
  const isPlain = others.length === 0 && part.texts.length <= MAX_TEXTS && part.error === undefined;
  return isPlain && call?.inner.length === 0 ? call : undefined;
}

/** Whether a call holds something that another one answered: in another order it would be another call. */
function isUsedBy(call: Call, other: Call): boolean {
  const args = canonical(other.args);
  return [...leavesOf(call.outcome?.value ?? null)].some((leaf) => args.includes(leaf));
}

interface Changed {
  readonly value: Json;
  readonly pointer: string;
}

/** Leaves that are tried, so that a huge value costs no more than a large one. */
const MAX_LEAVES = 100;

/** The value with one of its scalars changed: the first, from a place on, that can be changed and is looked at. */
function changedLeaf(
  value: Json | undefined,
  place: number,
  isSeen: (value: Json) => boolean,
  change: (leaf: Json, pointer: string) => Json | undefined,
): Changed | undefined {
  if (value === undefined) return undefined;
  for (const keys of rotated(scalarsIn(value), place)) {
    const pointer = keys.map(pointerPart).join('');
    const leaf = keys.reduce<Json>((at, key) => (at as JsonObject)[key] as Json, value);
    const other = change(leaf, pointer);
    if (other === undefined) continue;
    const changed = replacedAt(value, keys, other);
    if (isSeen(changed)) return { value: changed, pointer };
  }
  return undefined;
}

function scalarsIn(value: Json): string[][] {
  const found: string[][] = [];
  const visit = (at: Json, keys: string[]): void => {
    if (found.length >= MAX_LEAVES) return;
    if (!isContainer(at)) found.push(keys);
    else for (const [key, item] of Object.entries(at)) visit(item, [...keys, key]);
  };
  visit(value, []);
  return found;
}

function replacedAt(value: Json, [key, ...rest]: readonly string[], by: Json): Json {
  if (key === undefined) return by;
  if (Array.isArray(value)) {
    return value.map((item, index) => (String(index) === key ? replacedAt(item, rest, by) : item));
  }
  // `fromEntries` makes own keys of all names, `__proto__` included.
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, item]) => [name, name === key ? replacedAt(item, rest, by) : item]),
  );
}

function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

/** Another value of the same type. A number goes below zero, where no clock is, by more than is tolerated. */
function otherScalar(value: Json, tolerance: number, only?: 'number'): Json | undefined {
  if (typeof value === 'number') return value >= 0 ? -value - 1 - tolerance : value - 1 - tolerance;
  if (only !== undefined) return undefined;
  if (typeof value === 'string') return `${value}~changed`;
  return typeof value === 'boolean' ? !value : undefined;
}

/** Seconds since 1970, which may be renamed and are then a text already. */
const MAY_BE_TIME = 1e9;

function otherType(value: Json): Json | undefined {
  if (isRawNumber(value)) return undefined;
  if (typeof value === 'boolean' || (typeof value === 'number' && value < MAY_BE_TIME)) return String(value);
  return value === null ? '' : [value];
}

/** The text with its first digit another one, and no zero put before others. */
function otherNumber(text: string): string | undefined {
  const digit = /\d/.exec(text)?.[0];
  return digit === undefined ? undefined : text.replace(digit, digit === '9' ? '8' : String(Number(digit) + 1));
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
