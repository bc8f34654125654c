import { canonical, isJsonObject, type Json, type JsonObject, pointerPart } from '../../json/index.ts';
import { leavesOf } from '../explain/tool-knowledge.ts';
import type { StepKind } from '../rules.ts';
import { type Changed, changedLeaf, isSeenBy, otherScalar, otherType, rotated } from './changed-values.ts';
import type { Mutation, PlantContext, Planted } from './mutation.ts';
import { type Call, callsOf, type Message, messagesIn, type Part, type Script } from './script.ts';

const NEW_NAME = 'planted_by_self_test';

export const CALL_MUTATIONS: readonly Mutation[] = [
  onCalls('another tool', ['call'], (call, { siblings }) => {
    // Sorts right after the original name, so that a parallel group keeps its order.
    call.name = `${call.name}!`;
    const steps = stepsOf(call, siblings);
    // Among parallel calls of one tool, a swapped call has no place of its own: it counts as missing.
    return siblings.length > 1
      ? { kinds: ['call-name', 'call-missing', 'call-retry'], steps }
      : { kinds: ['call-name'], steps, isBehaviour: true };
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
  onCalls('call left out', ['call'], leaveOut),
  onCalls('check before a write left out', ['call'], (call, surroundings) =>
    isCheck(call, surroundings) ? leaveOut(call, surroundings) : undefined,
  ),
  { name: 'call put in', needs: ['call'], plant: plantCall },
  onCalls('call made twice', ['call'], (call, { script, isWrite }) => {
    const { callId } = call;
    const copy: Call = { ...call, callId: callId === undefined ? undefined : `${callId}2`, inner: [] };
    putBehind(script.parts, call, copy);
    // Nobody can tell which of the two is the extra one.
    return { kinds: ['call-retry', 'call-extra'], steps: [], side: 'replayed', isBehaviour: isWrite(call) };
  }),
  onCalls('call failed', ['call', 'error'], (call, { siblings }) => {
    if (call.outcome?.kind !== 'result') return undefined;
    call.outcome = { kind: 'error', value: 'planted by the self-test', step: call.outcome.step };
    const steps = [call, ...siblings].flatMap((each) => [each.outcome?.step ?? each.step, each.step]);
    return { kinds: ['error'], steps, isBehaviour: true };
  }),
  { name: 'calls in another order', needs: ['call'], plant: plantOrder },
  onCalls('result changed', ['call', 'result'], (call, { siblings, equal, paths }, place) => {
    const { outcome, name } = call;
    // Nobody can tell which of equal parallel calls had which result.
    const isOneOfEqual = siblings.some((each) => each !== call && equal.includes(each));
    // A sub-agent's report is a text.
    const isReport = typeof outcome?.value === 'string' && messagesIn(call.inner).length > 0;
    if (outcome?.kind !== 'result' || isOneOfEqual || isReport) return undefined;
    const step = { kind: 'result', name, value: outcome.value } as const;
    const changed = changedLeaf(
      outcome.value,
      place,
      (value) => isSeenBy(paths, step, value),
      (value, pointer) => otherScalar(value, paths.tolerance(step, pointer)),
    );
    if (changed === undefined) return undefined;
    outcome.value = changed.value;
    const steps = [outcome, ...siblings.flatMap((each) => each.outcome ?? [])].map((each) => each.step);
    return { kinds: ['result'], steps, pointer: changed.pointer, isBehaviour: true };
  }),
];

function leaveOut(call: Call, { list, equal }: Surroundings): Planted {
  list.splice(list.indexOf(call), 1);
  // Nobody can tell which of several equal calls is missing, and one that repeats another counts as a retry.
  return { kinds: ['call-missing', 'call-retry'], steps: stepsOf(call, equal) };
}

/** Reading something right before something is changed. */
function isCheck(call: Call, { script, isWrite }: Surroundings): boolean {
  const calls = callsOf(script.parts);
  const next = calls[calls.indexOf(call) + 1];
  return !isWrite(call) && next !== undefined && isWrite(next);
}

function plantCall({ parts, partSteps, hasTrace }: Script, place: number): Planted | undefined | 'past' {
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
  // If no generation asks for calls, a new one that does would change the order of the others in time.
  const isAsked = messagesIn(parts).length > 0 || parts.length === 0;
  parts.splice(place, 0, isAsked ? askedBy(call) : call);
  return { kinds: ['call-extra'], steps: [step], side: 'replayed', isBehaviour: true };
}

/** Inserts a call after another one; in a message of its own if a model asked for the other. */
function putBehind(parts: Part[], call: Call, added: Call): void {
  const asked = messagesIn(parts).find((message) => message.calls.includes(call));
  const list = listWith(parts, asked ?? call) ?? parts;
  const { group } = call;
  const isAtOnce = (part: Part | undefined) => part?.kind === 'call' && group !== undefined && part.group === group;
  let place = list.indexOf(asked ?? call) + 1;
  while (isAtOnce(list[place])) place++;
  list.splice(place, 0, asked === undefined ? { ...added, group: undefined } : askedBy(added));
}

function askedBy(call: Call): Message {
  return { kind: 'message', step: call.step, texts: [], calls: [call] };
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

/** What a mutation of one call may need to know. */
interface Surroundings {
  readonly script: Script;
  /** The list that contains the call. */
  readonly list: Part[];
  /** Parallel calls of the same tool, including the call itself. They have no order among themselves. */
  readonly siblings: readonly Call[];
  /** Calls that are indistinguishable from it. */
  readonly equal: readonly Call[];
  readonly paths: PlantContext['paths'];
  readonly isWrite: (call: Call) => boolean;
}

/** A mutation with one place per call. */
function onCalls(
  name: string,
  needs: readonly StepKind[],
  plant: (call: Call, surroundings: Surroundings, place: number) => Planted | undefined,
): Mutation {
  return {
    name,
    needs,
    plant(script, place, { paths, mayChange }) {
      const { parts } = script;
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
      const isWrite = (each: Call) => mayChange(each.name);
      const { name: tool } = call;
      const planted = plant(call, { script, list, siblings, equal, paths, isWrite }, place);
      return planted && { tool, ...planted };
    },
  };
}

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
  return onCalls(name, ['call'], (call, { siblings, paths, isWrite }, place) => {
    const step = { kind: 'call', name: call.name, value: call.args } as const;
    const changed = mutate(
      call.args,
      place,
      (args) => isSeenBy(paths, step, args),
      (pointer) => paths.tolerance(step, pointer),
    );
    if (changed === undefined) return undefined;
    call.args = changed.value;
    const told = { kinds: ['argument'], steps: stepsOf(call, siblings), pointer: changed.pointer } as const;
    return change === undefined ? { ...told, isBehaviour: isWrite(call) } : { ...told, change, isBehaviour: true };
  });
}

function stepsOf(call: Call, others: readonly Call[]): number[] {
  return [call, ...others].map(({ step }) => step);
}

/** The list that contains a part; for a call of a message, the list of the message. */
function listWith(parts: Part[], part: Part): Part[] | undefined {
  if (parts.includes(part)) return parts;
  for (const { inner } of callsOf(parts)) if (inner.includes(part)) return inner;
  return undefined;
}

/** With more texts than this, two swapped messages are not aligned by their calls. */
const MAX_TEXTS = 2;

/** The call of a part that is just one call. Parallel calls have no order to change. */
function onlyCall(part: Part): Call | undefined {
  if (part.kind === 'failure') return undefined;
  if (part.kind === 'call') return part.group === undefined && part.inner.length === 0 ? part : undefined;
  const [call, ...others] = part.calls;
  const isPlain = others.length === 0 && part.texts.length <= MAX_TEXTS && part.error === undefined;
  return isPlain && call?.inner.length === 0 ? call : undefined;
}

/** Whether a call uses something from another one's answer: in another order it would be another call. */
function isUsedBy(call: Call, other: Call): boolean {
  const args = canonical(other.args);
  return [...leavesOf(call.outcome?.value ?? null)].some((leaf) => args.includes(leaf));
}

function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}
