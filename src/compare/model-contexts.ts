import { type Generation, generationOf, type ModelAnswer } from '../chat/index.ts';
import type { TurnRequest } from '../contract/index.ts';
import { canonical, isJsonObject, type Json, type JsonObject, plain, textOrJson } from '../json/index.ts';
import type { Recording } from '../trace/index.ts';
import { conversationOf, type Given, type Said } from './explain/model-calls.ts';
import { type Clocks, differingByDay } from './explain/of-the-day.ts';
import { ownChanges } from './explain/own-input.ts';
import { runSteps } from './keys/run-steps.ts';
import type { CompareRules, StepKind } from './shapes/rules.ts';
import { trajectoryOf } from './steps/recorded-steps.ts';
import { pathRules } from './values/paths.ts';

export interface RecordedModelCall {
  /** Its output; undefined if it failed, or the recording does not show it. */
  readonly answer: ModelAnswer | undefined;
  readonly isFailed: boolean;
  /** Numbers of the steps that it decides, ascending. */
  readonly steps: readonly number[];
  /**
   * How a model request differs from the recorded input of this call; undefined if only generated values and the day do.
   * @param now time of the request, in milliseconds since 1970
   */
  differs(request: Json, now: number): string | undefined;
  /** Which setting of a model request is another one than recorded; undefined if none is that both hold. */
  otherSetting(request: Json): string | undefined;
}

/** Steps that a model decides by itself. Results come from tools. */
const DECIDED: readonly StepKind[] = ['call', 'text', 'final', 'end'];

/** The model calls of a recording in order, each able to recognise its own request. */
export function recordedModelCalls(
  recording: Recording,
  rules: CompareRules,
  request: TurnRequest | undefined,
): RecordedModelCall[] {
  const context = { rules: { ...rules, include: undefined }, paths: pathRules(rules), request, original: undefined };
  const { trajectory, steps } = runSteps(recording, context);
  const decided = Map.groupBy(
    steps.filter(({ kind, isUnasked }) => isUnasked !== true && DECIDED.includes(kind)),
    ({ generation }) => generation,
  );
  return trajectory.modelCalls.flatMap(({ generation, outcome }, index) => {
    // A second instrumentation that only marks the call: an SDK that streams calls itself.
    if (outcome === 'untold' && conversationOf(trajectory, index).length === 0) return [];
    return {
      answer: outcome === 'told' ? answerOf(generation) : undefined,
      isFailed: outcome === 'failed',
      steps: (decided.get(index) ?? []).map(({ number }) => number),
      otherSetting: (input: Json) => otherSettingOf(generation, generationOf({ input })),
      // A history that is sent as it was recorded holds times of then, and what comes new of now.
      differs: (input: Json, now: number) =>
        differenceOf(trajectory, index, givenBy(input, trajectory.clock)) &&
        differenceOf(trajectory, index, givenBy(input, { from: now, to: now }, trajectory.clock)),
    };
  });
}

/** A request to a model, and its time in milliseconds since 1970. */
interface Asked {
  readonly request: JsonObject;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What the first request that only the second run makes has other than that of the first run in its place; empty: none is. */
export function askedOnly(before: readonly Asked[], after: readonly Asked[]): string {
  const left = [...before];
  for (const [index, asked] of after.entries()) {
    const same = left.findIndex((each) => otherPart(each, asked) === undefined);
    const there = before[index];
    if (same === -1) return there === undefined ? 'number of model calls' : (otherPart(there, asked) ?? 'order');
    left.splice(same, 1);
  }
  return left.length === 0 ? '' : 'number of model calls';
}

/** Beside the conversation, requests are compared whole, as nothing stands between them and the model. */
function otherPart(ours: Asked, theirs: Asked): string | undefined {
  const [a, b] = [ours, theirs].map(({ request, at }) => givenBy(request, { from: at, to: at })) as [Given, Given];
  const part = differenceOf(a, 0, b);
  if (part !== undefined) return part;
  const names = Object.keys({ ...ours.request, ...theirs.request }).filter((name) => !CONVERSED.has(name));
  return names.find((name) => canonical(ours.request[name] ?? null) !== canonical(theirs.request[name] ?? null));
}

const CONVERSED: ReadonlySet<string> = new Set(['messages', 'input', 'system', 'instructions']);

/** @returns in a sentence; undefined if they do not differ where both traces have the same model calls */
export function otherTools(recorded: Recording, replayed: Recording): string | undefined {
  const runs = [trajectoryOf(recorded), trajectoryOf(replayed)] as const;
  if (runs[0].modelCalls.length !== runs[1].modelCalls.length) return undefined;
  const changes = runs[0].modelCalls.flatMap((_, call) => ownChanges(runs, [call, call]));
  return changes.find(({ part, isOfDay }) => part === 'tools' && !isOfDay)?.said;
}

/** Behind the name that was asked for, the one that answered: `gpt-4o-2024-08-06` for `gpt-4o`. */
const SNAPSHOT = /^[-@:](?:\d[\d.-]*|latest)$/;

function otherSettingOf(recorded: Generation, { model, parameters = {} }: Generation): string | undefined {
  if (model !== undefined && recorded.model !== undefined) {
    const [asked = '', told = ''] = [model, recorded.model].map((name) => name.slice(name.lastIndexOf('/') + 1));
    if (asked !== told && !(told.startsWith(asked) && SNAPSHOT.test(told.slice(asked.length)))) return 'model';
  }
  return Object.keys(parameters).find((name) => {
    const told = recorded.parameters?.[name];
    return told !== undefined && !isPartOf(parameters[name], told);
  });
}

/** A provider that tells the settings it was given adds what was not set. */
function isPartOf(value: Json | undefined, whole: Json): boolean {
  // Some instrumentations write numbers as texts.
  if (!isJsonObject(value) || !isJsonObject(whole)) return textOrJson(value ?? null) === textOrJson(whole);
  return Object.entries(value).every(([name, each]) => isPartOf(each, whole[name] ?? null));
}

function answerOf({ said, calls, cutShort, model }: Generation): ModelAnswer {
  const text = said.map((each) => textOrJson(each)).join('\n');
  return { text, calls, isCutShort: cutShort !== undefined, model };
}

/** A request as a run with one model call, which has no answer yet. */
function givenBy(input: Json, clock: Given['clock'], then?: Given['clock']): Given {
  const modelCalls = [{ generation: generationOf({ input }), owner: undefined, outcome: 'untold' }] as const;
  return { modelCalls, clock, otherClocks: then === undefined ? [] : [then] };
}

function differenceOf(recorded: Given, call: number, asked: Given): string | undefined {
  const [ours, theirs] = [recorded.modelCalls[call]?.generation, asked.modelCalls[0]?.generation];
  if (ours === undefined || theirs === undefined) return 'no model call';
  const clocks = [recorded.clock, asked.clock] as const;
  if (!isSameText(plain(ours.system), plain(theirs.system), clocks)) return 'system prompt';
  if (!isSameTools(ours.tools, theirs.tools)) return 'tools';
  const [before, after] = [conversationOf(recorded, call), conversationOf(asked, 0)];
  const at = before.findIndex((said, index) => !isSame(said, after[index], clocks));
  if (at === -1 && before.length === after.length) return undefined;
  const place = at === -1 ? before.length : at;
  return `message ${place + 1} (${(after[place] ?? before[place])?.role})`;
}

function isSame(a: Said, b: Said | undefined, clocks: Clocks): boolean {
  if (b === undefined || a.role !== b.role || canonical([...a.calls]) !== canonical([...b.calls])) return false;
  return isSameText(a.text, b.text, clocks);
}

function isSameText(a: string, b: string, clocks: Clocks): boolean {
  return a === b || differingByDay(a, b, clocks) !== undefined;
}

/** Instrumentations leave tools out, or write schemas in their own way, so only names and descriptions are compared. */
function isSameTools(a: Generation['tools'], b: Generation['tools']): boolean {
  if (a === undefined || b === undefined) return true;
  const told = (tools: NonNullable<Generation['tools']>) =>
    canonical(tools.map(({ name, description = null }) => [name, description]).sort(byName));
  return told(a) === told(b);
}

function byName([a]: readonly (string | null)[], [b]: readonly (string | null)[]): number {
  return String(a) < String(b) ? -1 : 1;
}
