import type { Json } from '../../json/index.ts';
import { type Called, effectsOf, type Hints } from '../keys/effects.ts';
import type { KeyedStep } from '../keys/keys.ts';
import { isToTheLetter, mayChange } from '../keys/writing.ts';
import { type CompareRules, declaredRules, orderMatters } from '../shapes/rules.ts';
import { callsWithOutcomes } from '../steps/calls.ts';
import { leavesIn } from '../values/canonical.ts';
import { remembered } from '../values/remembered.ts';

/** Declared by the user, or learned from all runs of a turn. */
export type ToolKnowledge = ReturnType<typeof knowledge>;

/** Calls of one tool that are examined; further ones add nothing. */
const MAX_SAMPLES = 500;

/**
 * Learns which tools only inform: equal arguments give equal results, other arguments give other results, a result says
 * something that the arguments do not, and nothing is generated. Tools that only acknowledge never qualify, because their
 * result would not show that a reworded argument is a change.
 * @param hints in tool definitions of the recordings, and of the replays
 */
export function learnTools(
  runs: readonly (readonly KeyedStep[])[],
  { tools }: CompareRules,
  hints?: () => readonly [Hints, Hints],
): ToolKnowledge {
  const samples = new Map<string, Map<string, { args: Json | undefined; results: Map<string, Json> }>>();
  for (const run of runs) {
    for (const { call, outcome } of callsWithOutcomes(run)) {
      if (call.name === undefined || outcome?.kind !== 'result') continue;
      const ofTool = remembered(samples, call.name, () => new Map());
      if (ofTool.size >= MAX_SAMPLES) continue;
      const sample = remembered(ofTool, call.exact, () => ({ args: call.value, results: new Map() }));
      sample.results.set(outcome.exact, outcome.value ?? null);
    }
  }
  const learned = new Map<string, Learned>();
  const learn = (tool: string): Learned => {
    const calls = [...(samples.get(tool)?.values() ?? [])];
    const results = calls.flatMap(({ results: each }) => [...each.values()]);
    const told = new Set(calls.map((call) => [...news(call)].sort().join('\0')));
    const isSteady = calls.every((call) => call.results.size === 1);
    const isMade = results.some((result) => /#\d+>/.test(JSON.stringify(result)));
    return { tells: isSteady && !told.has(''), informs: isSteady && !isMade && told.size > 1 };
  };
  return knowledge(tools, (tool) => remembered(learned, tool, () => learn(tool)), hints);
}

/** What all calls of a tool show. */
interface Learned {
  /** Equal arguments have equal results, which say something that the arguments do not. */
  readonly tells: boolean;
  /** Besides, other arguments have other results, and nothing in them is generated. */
  readonly informs: boolean;
}

/** Declared knowledge first, and learned knowledge where nothing is declared. */
function knowledge(
  tools: CompareRules['tools'],
  learned: (tool: string) => Learned,
  hints: () => readonly [Hints?, Hints?] = () => [],
) {
  let known: ReturnType<typeof effectsOf> | undefined;
  const effects = () => {
    known ??= effectsOf({ tools }, ...hints());
    return known;
  };
  // A shell looks with one command and writes with the next.
  const isSureWrite = (call: Called) => effects().of(call) === 'write' && !effects().isGuess(call);
  return {
    /** What a call does outside. */
    effectOf: (call: Called) => effects().of(call),
    /** The user says that the texts which it is given are its effect. */
    isEffect: (tool: string) => declaredRules(tools, tool)?.prose === 'did',
    /** Each letter of the texts which it is given counts. */
    isToTheLetter: (tool?: string) => isToTheLetter({ tools }, tool),
    /** It is declared mutating or critical, or its name suggests a change and nobody declared that it only reads. */
    mayChange: (tool?: string) => mayChange({ tools }, tool),
    /** The user says that the order of its calls matters, also within one message. */
    orderMatters: (tool = '') => orderMatters({ tools }, tool),
    /** The call changes nothing, and its tool's results say something that the arguments do not. */
    isInformative: (call: Called) => {
      const { name: tool = '' } = call;
      if (mayChange({ tools }, tool)) return false;
      return declaredRules(tools, tool)?.readOnly ?? (learned(tool).informs && !isSureWrite(call));
    },
    /** Its name, its statement or an annotation says that it only looks, and it was told something each time. */
    isLook: (call: Called) => effects().of(call) === 'read' && learned(call.name ?? '').tells,
  };
}

/** What a result says that the arguments do not. */
function news({ args, results }: { args: Json | undefined; results: Map<string, Json> }): Set<string> {
  const known = leavesOf(args ?? null);
  const said = new Set<string>();
  for (const result of results.values()) for (const leaf of leavesOf(result)) if (!known.has(leaf)) said.add(leaf);
  return said;
}

/** Strings and numbers anywhere in a value, as text. */
export function leavesOf(value: Json): Set<string> {
  return new Set(leavesIn(value).map(String));
}
