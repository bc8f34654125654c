import type { Generation } from '../../chat/index.ts';
import { byCodeUnit, canonical, type Json } from '../../json/index.ts';
import { cut } from '../../text/index.ts';
import { quotes } from '../shapes/excerpt.ts';
import type { Cause } from '../shapes/result.ts';
import { remembered } from '../values/remembered.ts';
import { type CallPair, clocksOf, type Given, generationsAt, inputHeld, MAX_QUOTED, type Runs } from './model-calls.ts';
import { differingByDay } from './of-the-day.ts';
import { sourceOf } from './sources.ts';

type ToolDefinition = NonNullable<Generation['tools']>[number];
/** A part of what the agent itself gives its model, and how it differs. */
export interface OwnChange {
  readonly part: 'system prompt' | 'tools' | 'model' | 'parameters' | 'messages';
  readonly said: string;
  /** It differs only in a date, time or id of the request. */
  readonly isOfDay: boolean;
  /** For a text: the first line that differs. */
  readonly line?: Cause['line'];
}

/** How prompt, tools, model and parameters of two model calls differ. Prompts count only if both traces hold them. */
export function ownChanges(runs: Runs, pair: CallPair): OwnChange[] {
  const [a, b] = generationsAt(runs, pair);
  if (a === undefined || b === undefined) return [];
  const areWhole = inputHeld(runs[0], pair[0]) === 'whole' && inputHeld(runs[1], pair[1]) === 'whole';
  const changes: OwnChange[] = [];
  if (areWhole && a.system !== b.system && sourceOf(runs, pair, a.system, b.system) === undefined)
    changes.push(promptChange(a.system, b.system, runs));
  if (areWhole && runs.every(tellsTools)) changes.push(...toolsChange(a.tools ?? [], b.tools ?? [], runs));
  if (a.model !== b.model) {
    const said = `its model differs: recorded ${a.model ?? 'none'}, replayed ${b.model ?? 'none'}`;
    changes.push({ part: 'model', said, isOfDay: false });
  }
  changes.push(...parametersChange(a.parameters ?? {}, b.parameters ?? {}));
  return changes;
}

/** Whether the trace shows tool definitions. A run that called tools had some, but not every trace source records them. */
function tellsTools({ modelCalls }: Given): boolean {
  return remembered(
    tellingTools,
    modelCalls,
    () =>
      modelCalls.some(({ generation }) => generation.tools !== undefined) ||
      modelCalls.every(({ generation }) => generation.calls.length === 0),
  );
}

/** Computed once per run, because it is needed at each of its differences. */
const tellingTools = new WeakMap<Given['modelCalls'], boolean>();

/** Of a line that is shown as it is. */
const MAX_LINE_CHARS = 400;

/** Prompts that share less than this of their lines and words belong to two agents. */
const SHARED_BY_AN_EDIT = 0.5;

/** Whether the prompts of two model calls belong to two agents: an edited prompt keeps most of its text. */
export function areOfTwoAgents(runs: Runs, pair: CallPair): boolean {
  const [ours = '', theirs = ''] = generationsAt(runs, pair).map((each) => each?.system);
  return [/\n/, /[^\p{L}\p{N}]{1,100}/u].every((between) => sharedParts(ours, theirs, between) < SHARED_BY_AN_EDIT);
}

/** The share of parts that both texts have, of the text with fewer parts. */
function sharedParts(a: string, b: string, between: RegExp): number {
  const [ours, theirs] = [a, b].map((text) => new Set(text.toLowerCase().split(between)));
  const [fewer = new Set(), more = new Set()] =
    (ours?.size ?? 0) <= (theirs?.size ?? 0) ? [ours, theirs] : [theirs, ours];
  return [...fewer].filter((part) => more.has(part)).length / Math.max(1, fewer.size);
}

/** Whether two runs had the same prompts, tools, models and parameters except for the day. */
export function haveSameOwnInput(a: Given, b: Given): boolean {
  const distinct = ({ modelCalls }: Given) =>
    [...new Map(modelCalls.map(({ generation }, call) => [ownKey(generation), call]))] as const;
  const [ours, theirs] = [distinct(a), distinct(b)];
  const known = new Set(theirs.map(([key]) => key));
  const hasLike = (
    runs: Runs,
    [key, call]: readonly [string, number],
    others: readonly (readonly [string, number])[],
  ) =>
    others.some(
      ([other, otherCall]) => key === other || ownChanges(runs, [call, otherCall]).every(({ isOfDay }) => isOfDay),
    );
  if (ours.length === theirs.length && ours.every(([key]) => known.has(key))) return true;
  return ours.every((each) => hasLike([a, b], each, theirs)) && theirs.every((each) => hasLike([b, a], each, ours));
}

const ownKeys = new WeakMap<Generation, string>();

function ownKey(generation: Generation): string {
  const { system, tools, model, parameters } = generation;
  return remembered(ownKeys, generation, () =>
    canonical([system, (tools ?? null) as Json, model ?? null, parameters ?? null]),
  );
}

function promptChange(a: string, b: string, runs: Runs): OwnChange {
  const day = differingByDay(a, b, clocksOf(runs));
  const line = { of: 'system prompt', ...firstLine(a, b) };
  const [recorded, replayed] = quotes(line.recorded ?? undefined, line.replayed ?? undefined, MAX_QUOTED);
  const differs = `its system prompt differs at line ${line.number}: recorded ${recorded}, replayed ${replayed}`;
  const short = (text: string | null) => text && cut(text, MAX_LINE_CHARS);
  const shown = { ...line, recorded: short(line.recorded), replayed: short(line.replayed) };
  return {
    part: 'system prompt',
    said: sayDay(day, 'its system prompt') ?? differs,
    isOfDay: day !== undefined,
    line: shown,
  };
}

export function sayDay(day: [string, string] | undefined, where: string): string | undefined {
  if (day === undefined) return undefined;
  const [recorded, replayed] = quotes(...day, MAX_QUOTED);
  return `${where} ${where.endsWith('s') ? 'hold' : 'holds'} a value of the day: recorded ${recorded}, replayed ${replayed}`;
}

function toolsChange(a: readonly ToolDefinition[], b: readonly ToolDefinition[], runs: Runs): OwnChange[] {
  const [ours, theirs] = [a, b].map((tools) => new Map(tools.map((tool) => [tool.name, canonical(asJson(tool))])));
  const names = [...new Set([...a, ...b].map(({ name }) => name))];
  const other = names.filter((name) => ours?.get(name) !== theirs?.get(name));
  if (other.length === 0) {
    const isSameOrder = a.length === b.length && a.every(({ name }, index) => name === b[index]?.name);
    return isSameOrder ? [] : [{ part: 'tools', said: 'its tools are listed in another order', isOfDay: false }];
  }
  const days = other.map((name) => differingByDay(ours?.get(name) ?? '', theirs?.get(name) ?? '', clocksOf(runs)));
  const day = days.every((each) => each !== undefined) ? days[0] : undefined;
  const each = other.map((name) =>
    !ours?.has(name) ? `${name} is new` : theirs?.has(name) ? name : `${name} is gone`,
  );
  const said = sayDay(day, 'the definition of a tool') ?? `its tool definitions differ: ${each.join(', ')}`;
  return [{ part: 'tools', said, isOfDay: day !== undefined }];
}

function asJson(tool: ToolDefinition): Json {
  return { ...tool } as Record<string, Json>;
}

function parametersChange(a: Readonly<Record<string, Json>>, b: Readonly<Record<string, Json>>): OwnChange[] {
  const told = (value: Json | undefined) => (value === undefined ? 'unset' : canonical(value));
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(byCodeUnit);
  const other = names.filter((name) => told(a[name]) !== told(b[name]));
  if (other.length === 0) return [];
  const each = other.map((name) => `${name} ${told(a[name])} → ${told(b[name])}`);
  return [{ part: 'parameters', said: each.join(', '), isOfDay: false }];
}

function firstLine(a: string, b: string): { number: number; recorded: string | null; replayed: string | null } {
  const [ours, theirs] = [a.split('\n'), b.split('\n')];
  const found = ours.findIndex((line, index) => line !== theirs[index]);
  const at = found === -1 ? ours.length : found;
  return { number: at + 1, recorded: ours[at] ?? null, replayed: theirs[at] ?? null };
}
