import { userTextIn } from '../../chat/index.ts';
import type { TurnRequest } from '../../contract/index.ts';
import { canonical, isJsonObject, type Json, type JsonObject, parseJson } from '../../json/index.ts';
import { isGenerating } from '../keys/names.ts';
import { inOneSpelling } from '../keys/spelling.ts';
import { mayChange } from '../keys/writing.ts';
import { type CompareRules, orderMatters } from '../shapes/rules.ts';
import type { Step } from '../shapes/step.ts';
import { callsWithOutcomes } from '../steps/calls.ts';
import { isProse } from '../text/prose.ts';
import { Text } from '../text/text.ts';
import { isContainer, mapLeaves } from '../values/canonical.ts';
import { idsIn, replaceTokens } from '../values/volatile.ts';
import { OTHER_TEXTS } from './texts.ts';

type Steps = readonly Step[];

/** What a turn did, in the order in which it is compared. */
interface Subject {
  readonly steps: Steps;
  readonly rules: CompareRules;
  readonly request: TurnRequest | undefined;
}

/** A copy of a turn with one change. */
export interface Planted {
  readonly copy: Steps;
  /** Index of the changed step; undefined: the change is everywhere. */
  readonly at?: number;
  /** What is recorded, if both sides are given something that only differs in the copy. */
  readonly original?: Steps | undefined;
  /** By the default rules it always counts. Others can be minor: a read that is left out, an answer in other words. */
  readonly counts?: boolean;
  /** It comes before another change, and must be told in its place. */
  readonly isFirst?: boolean;
}

/** A kind of change, what is changed, and all places of a turn where it can be planted. */
export interface Mutation {
  readonly name: string;
  readonly touches: 'call' | 'result' | 'final' | 'nothing';
  readonly plant: (subject: Subject) => readonly Planted[];
}

const NEW = 'planted_by_self_test';
const NEW_CALL: Step = { kind: 'call', name: NEW, value: {}, observationId: NEW, isUnasked: true };
const LONG = 'Each part of a long text is read. '.repeat(130);
const DEEP = { level: { level: 1 }, list: [1, 2, 3, 4, 5], text: `${LONG}1` };
const DEEP_CHANGES: JsonObject[] = [
  { level: { level: 2 } },
  { level: { other: 1 } },
  { list: [1, 2, 3, 4, 6] },
  { text: `${LONG}2` },
];

export const MUTATIONS: readonly Mutation[] = [
  { name: 'nothing changed', touches: 'nothing', plant: ({ steps }) => [{ copy: steps }] },
  harmless('new ids', withNewIds),
  harmless('keys in another order', () => reversed),
  harmless(
    'other whitespace',
    inProse((text) => `${text.includes('`') ? text : text.replaceAll(' ', '  ')}  `),
  ),
  harmless(
    'other Unicode form',
    inProse((text) => text.normalize('NFD')),
  ),
  { ...onCalls('parallel calls in another order', (one, next) => exchanged(one, next, true)), touches: 'nothing' },
  onCalls('calls exchanged', (one, next) => exchanged(one, next, false)),
  onCalls('another tool', (span) => [{ copy: renamed(span), counts: true }]),
  onCalls('call left out', ({ steps, at, end }) => [{ copy: steps.toSpliced(at, end - at) }]),
  onCalls('call put in', ({ steps, at }) => {
    return [
      { copy: steps.toSpliced(at, 0, NEW_CALL, { ...NEW_CALL, kind: 'result', value: 'planted' }), counts: true },
    ];
  }),
  onCalls('call made twice', ({ steps, at, end, isWrite }) => {
    const again = steps.slice(at, end).map((step) => ({ ...step, callId: `${step.callId}2`, observationId: NEW }));
    return [{ copy: steps.toSpliced(end, 0, ...again), counts: isWrite }];
  }),
  onCalls('call failed', ({ steps, end, outcome }) => {
    const { byModel: _, ...rest } = outcome ?? {};
    const failed: Step = { ...rest, kind: 'error', value: 'planted by the self-test' };
    return outcome?.kind === 'result' ? [{ copy: steps.with(end - 1, failed), counts: true }] : [];
  }),
  onCalls('two changes, the earlier one told', (span) => {
    const copy = renamed(span);
    const answer = copy.findIndex(({ kind }) => kind === 'final');
    return answer === -1 ? [] : [{ copy: copy.with(answer, { kind: 'final', value: `${NEW} 7431` }), isFirst: true }];
  }),
  onValues('argument changed', 'call', (args) => withLeaves(args, otherLeaf)),
  onValues('argument changed deep inside', 'call', deepChanges, { isDeep: true }),
  onValues('argument in another case', 'call', (args) => withTexts(args, otherCase)),
  onValues('argument of another type', 'call', (args) => withLeaves(args, (leaf) => [[leaf]]), { counts: true }),
  onValues('argument added', 'call', (args) => (isJsonObject(args) ? [{ ...args, [NEW]: true }] : []), {
    counts: true,
  }),
  onValues('argument removed', 'call', withoutKeys, { counts: true }),
  onValues('result changed', 'result', (result) => withLeaves(result, otherLeaf), { counts: true }),
  onValues('result changed deep inside', 'result', deepChanges, { counts: true, isDeep: true }),
  ...OTHER_TEXTS.map(([name, texts, counts]) =>
    onValues(name, 'final', (answer) => withTexts(answer, texts), { counts }),
  ),
  onValues('answer changed deep inside', 'final', deepChanges, { counts: true, isDeep: true }),
  onValues('value in the answer changed', 'final', (answer) =>
    withLeaves(answer, (leaf) => (typeof leaf === 'string' ? [] : otherLeaf(leaf))),
  ),
  onValues('field of the answer left out', 'final', withoutKeys),
  onValues('the question as answer', 'final', (answer, { request }) =>
    typeof answer === 'string' ? [userTextIn(request as Json | undefined) ?? []].flat() : [],
  ),
];

function harmless(name: string, changeIn: (subject: Subject) => (value: Json, step: Step) => Json): Mutation {
  const plant = (subject: Subject) => {
    const { steps } = subject;
    const change = changeIn(subject);
    const copy = steps.map((step) => (step.value === undefined ? step : { ...step, value: change(step.value, step) }));
    return copy.every(({ value }, at) => value === steps[at]?.value) ? [] : [{ copy }];
  };
  return { name, touches: 'nothing', plant };
}

/** Under `exact`, a text in another form is another text. */
function inProse(change: (text: string) => string) {
  return ({ rules }: Subject) =>
    (value: Json, { kind }: Step): Json => {
      const isProse = typeof value === 'string' && (kind === 'text' || kind === 'final');
      return isProse && rules.strictness !== 'exact' ? change(value) : value;
    };
}

function reversed(value: Json): Json {
  const other = (_: string, item: Json) =>
    isJsonObject(item) ? Object.fromEntries(Object.entries(item).reverse()) : item;
  return isContainer(value) ? parseJson(JSON.stringify(value, other)) : value;
}

/** What the request holds, or a model wrote first, was not generated. Only digits change, so that the shape stays. */
function withNewIds({ steps, rules, request }: Subject) {
  const isGenerated = new Map(idsIn((request ?? null) as Json).map((id) => [id, false]));
  for (const step of rules.identities === 'literal' ? [] : steps) {
    for (const id of idsIn(step.value ?? null)) if (!isGenerated.has(id)) isGenerated.set(id, isGenerating(step));
  }
  const renewed = (id: string) => {
    const at = Math.max(id.lastIndexOf('-'), id.lastIndexOf('_')) + 1;
    return id.slice(0, at) + id.slice(at).replace(/[1-7]/g, (digit) => String((Number(digit) % 7) + 1));
  };
  const renew = (text: string) => replaceTokens(text, ({ text: id }) => (isGenerated.get(id) ? renewed(id) : id));
  return (value: Json) => mapLeaves(value, renew);
}

/** A call with the steps until its outcome, those of a sub-agent included. */
interface Span extends Subject {
  readonly call: Step;
  readonly outcome: Step | undefined;
  readonly at: number;
  readonly end: number;
  readonly isWrite: boolean;
}

function onCalls(name: string, plant: (span: Span, next: Span | undefined) => readonly Planted[]): Mutation {
  const plantAll = (subject: Subject) => {
    const { steps, rules } = subject;
    const spans = callsWithOutcomes(steps).map(({ call, outcome }): Span => {
      const [at, end] = [steps.indexOf(call), steps.indexOf(outcome ?? call) + 1];
      return { ...subject, call, outcome, at, end, isWrite: mayChange(rules, call.name) };
    });
    return spans.flatMap((span, index) => plant(span, spans[index + 1]).map((each) => ({ at: span.at, ...each })));
  };
  return { name, touches: 'call', plant: plantAll };
}

/** The name sorts right after the one that it replaces, so that parallel calls keep their order. */
function renamed({ steps, call, outcome }: Span): Steps {
  return steps.map((step) => (step === call || step === outcome ? { ...step, name: `${call.name}_other` } : step));
}

/** Exchanges neighbours. Parallel ones have no order unless the user says so. */
function exchanged({ steps, at, end, call, rules }: Span, next: Span | undefined, isParallel: boolean): Planted[] {
  if (next === undefined || next.at < end) return [];
  const isAtOnce = call.group !== undefined && call.group === next.call.group && next.at === end;
  const isFree = [call, next.call].every(({ name = '' }) => !orderMatters(rules, name));
  const [own, others] = [call, next.call].map((each) => canonical(inOneSpelling(each) ?? null));
  const isSame = call.name === next.call.name && own === others;
  if (isParallel ? !isAtOnce || !isFree : isAtOnce || isSame) return [];
  const parts = [steps.slice(next.at, next.end), steps.slice(end, next.at), steps.slice(at, end)];
  return [{ copy: steps.toSpliced(at, next.end - at, ...parts.flat()) }];
}

/**
 * @param counts default: if the tool may change something
 * @param isDeep planted in what is added to both sides, once for each tool
 */
function onValues(
  name: string,
  touches: 'call' | 'result' | 'final',
  change: (value: Json, subject: Subject) => readonly Json[],
  { counts, isDeep = false }: { readonly counts?: boolean; readonly isDeep?: boolean } = {},
): Mutation {
  const plant = (subject: Subject) => {
    const { steps, rules } = subject;
    const isFirst = (step: Step) => step === steps.find((each) => each.kind === step.kind && each.name === step.name);
    return steps.flatMap((step, at) => {
      if (step.kind !== touches || step.value === undefined || (isDeep && !isFirst(step))) return [];
      const original = isDeep ? steps.with(at, { ...step, value: deepened(step.value) }) : undefined;
      const isCounted = step.byModel !== true && (counts ?? mayChange(rules, step.name));
      return change(original?.[at]?.value ?? step.value, subject).map((value): Planted => {
        return { at, counts: isCounted, original, copy: steps.with(at, { ...step, value }) };
      });
    });
  };
  return { name, touches, plant };
}

/** With places that a comparison with limits would overlook. */
function deepened(value: Json): Json {
  if (typeof value === 'string') return `${LONG}${value} 7431`;
  return isJsonObject(value) ? { ...value, [NEW]: DEEP } : value;
}

function deepChanges(value: Json): Json[] {
  if (typeof value === 'string') return [value.replace(/7431$/, '7432')];
  return isJsonObject(value) ? DEEP_CHANGES.map((change) => ({ ...value, [NEW]: { ...DEEP, ...change } })) : [];
}

/** Leaves of a value that are changed. */
const MAX_LEAVES = 20;

/** The value with one leaf changed, for each leaf and each way. */
function withLeaves(value: Json, change: (leaf: Json) => readonly Json[]): Json[] {
  const found: Json[] = [];
  const root = { value: parseJson(JSON.stringify(value)) };
  const visit = (at: JsonObject, key: string): void => {
    const leaf = at[key] as Json;
    if (isContainer(leaf)) for (const each of Object.keys(leaf)) visit(leaf as JsonObject, each);
    for (const other of found.length < MAX_LEAVES && !isContainer(leaf) ? change(leaf) : []) {
      at[key] = other;
      found.push(parseJson(JSON.stringify(root.value)));
      at[key] = leaf;
    }
  };
  visit(root, 'value');
  return found;
}

export function withTexts(value: Json, change: (text: string) => readonly string[]): Json[] {
  return withLeaves(value, (leaf) => (typeof leaf === 'string' ? change(leaf) : []));
}

/** Another value of the same type. A number becomes negative, which no clock writes. */
function otherLeaf(leaf: Json): Json[] {
  if (typeof leaf === 'number') return [leaf >= 0 ? -leaf - 1 : leaf - 1];
  return typeof leaf === 'boolean' ? [!leaf] : typeof leaf === 'string' ? [`${leaf}~changed`] : [];
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]*Z?$/;

/** Of what is neither prose nor a time, which say the same in any case. */
function otherCase(text: string): string[] {
  if (isProse(new Text(text)) || TIME.test(text)) return [];
  return [text.toLowerCase(), text.toUpperCase()].filter((each) => each !== text).slice(0, 1);
}

function withoutKeys(value: Json): Json[] {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  // An option without a value is as good as none.
  const told = entries.filter(([, each]) => each !== null && each !== '' && canonical(each) !== '[]');
  return told.map(([key]) => Object.fromEntries(entries.filter(([name]) => name !== key)));
}
