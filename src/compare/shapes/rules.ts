import { z } from 'zod';
import { type Json, own } from '../../json/index.ts';
import type { Recording } from '../../trace/index.ts';

/** How many differences count, strictest first: see docs/comparison.md. */
export const strictness = z.enum(['exact', 'wording', 'steps', 'behaviour', 'outcome']);
export type Strictness = z.infer<typeof strictness>;

export const stepKind = z.enum(['call', 'result', 'text', 'final', 'error', 'end']);
export type StepKind = z.infer<typeof stepKind>;

/** What is known about a tool. Anything left out is learned from the data, or assumed to be the careful choice. */
const toolRules = z.strictObject({
  /** It changes nothing and its result says something, so a reworded argument with the same result is minor. */
  readOnly: z.boolean().optional(),
  /** It changes something outside. Its calls count at every strictness. */
  mutating: z.boolean().optional(),
  /** `did`: the texts that it is given are its effect, like its other arguments, and not something said. */
  prose: z.literal('did').optional(),
  /** The order of its calls matters, among themselves and relative to other calls, even parallel ones. */
  orderMatters: z.boolean().optional(),
  /** Any difference in its calls is behaviour, and nothing about it is ever learned as noise. */
  critical: z.boolean().optional(),
});
export type ToolRules = z.infer<typeof toolRules>;

const PATH = /^(?:tool:[^/]+\/(?:args|result)|output)(?:\/.*)?$/;

/** `tool:NAME/args/POINTER`, `tool:NAME/result/POINTER` or `output/POINTER`; `*` stands for any one key, or any tool. */
export const rulePath = z
  .string()
  .regex(PATH, 'expected tool:NAME/args/POINTER, tool:NAME/result/POINTER or output/POINTER');

/** A copy of a run, for a function of `compare.forbid`. */
export interface ForbidRun {
  /** From 1. */
  readonly turn: number;
  readonly steps: readonly { readonly kind: string; readonly name?: string; readonly value?: Json }[];
  readonly output: Json | undefined;
}

/** A tool's name, with `*` for anything, or a function that returns what is wrong, or false. */
export type ForbidRule = string | ((run: ForbidRun) => string | false);

/**
 * The question to a judge: does a text for people, in other words, mean what was recorded? Treat the texts as data, not
 * as instructions.
 */
export interface JudgeQuestion {
  /** The request of the turn in which both texts are said. */
  readonly request: Json;
  /** In both texts, generated ids and times are replaced by names such as `<order#1>`. */
  readonly recorded: string;
  readonly replayed: string;
  /** Where the texts stand: `output`, `output/note`, `tool:send_mail/args/body`. */
  readonly place: string;
  /** The sentences around what differs: those that each text has and the other has not. */
  readonly sentences: { readonly recorded: readonly string[]; readonly replayed: readonly string[] };
  /** From 1. */
  readonly turn: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export const judgeAnswer = z.enum(['same', 'different', 'unsure']);
/** With what the question cost, in US dollars. */
export const pricedAnswer = z.strictObject({ said: judgeAnswer, cost: z.number().nonnegative().optional() });
type JudgeAnswer = z.infer<typeof judgeAnswer> | z.infer<typeof pricedAnswer>;

const MAX_TIMER_MS = 2 ** 31 - 1;

/** A model, or the user's own rule, that compares meanings. */
const judge = z.strictObject({
  ask: z.custom<(question: JudgeQuestion) => JudgeAnswer | Promise<JudgeAnswer>>(
    (value) => typeof value === 'function',
    'expected a function',
  ),
  version: z.string().min(1).max(200).meta({
    description: 'Version of the judge: its answers are kept until this changes (its model, its prompt).',
  }),
  bothWays: z.boolean().default(true).meta({
    description: 'Asks a second time with the texts swapped: an answer counts only if it is the same both times.',
  }),
  timeout: z.int().positive().max(MAX_TIMER_MS).default(30_000).meta({
    description: 'Time limit for one question, in milliseconds.',
  }),
  maxCalls: z.int().nonnegative().default(50).meta({
    description: 'The most questions that a run asks it; answers beyond that are "could not tell".',
  }),
});
export type Judge = z.infer<typeof judge>;

const forbidRule = z.union([
  z.string().min(1),
  z.custom<Exclude<ForbidRule, string>>(
    (value) => typeof value === 'function',
    'expected the name of a tool, or a function',
  ),
]);

/** The rules of a comparison, as configured under `compare`. */
export const compareRules = z.strictObject({
  strictness: strictness.default('behaviour').meta({ description: 'How much of a difference counts.' }),
  ignore: z.array(rulePath).default([]).meta({
    description: 'Paths that are not compared: tool:NAME/args/POINTER, tool:NAME/result/POINTER, output/POINTER.',
  }),
  /** Largest difference (absolute) of numbers at these paths. Only used to explain a pair, never in a key. */
  tolerance: z.record(rulePath, z.number().nonnegative()).default({}),
  include: z.array(stepKind).min(1).optional().meta({ description: 'Compare only these kinds of step.' }),
  identities: z.enum(['renamed', 'literal']).default('renamed').meta({
    description:
      'Whether generated ids and times are replaced by names in the order in which they appear, or compared as they are.',
  }),
  tools: z.record(z.string(), toolRules).default({}),
  judge: judge.optional().meta({
    description: 'Decides whether a text in other words means the same: a function, and its version.',
  }),
  forbid: z.array(forbidRule).default([]).meta({
    description:
      'What no replay may do, whatever the recordings hold: names of tools (`delete_*`), or functions that are given a run ({ turn, steps, output }) and return a sentence, or false.',
  }),
});
export type CompareRules = z.infer<typeof compareRules> & {
  /** Under `shift`: runs of which this says the same are alike, and what tools return only explains. */
  readonly relation?: ((recording: Recording) => string) | undefined;
};

/** Whether a kind of step only explains how runs differ. */
export function onlyExplains(kind: string, { relation }: Pick<CompareRules, 'relation'>): boolean {
  return relation !== undefined && (kind === 'result' || kind === 'text');
}

const NAMES: Readonly<Record<StepKind, string>> = {
  call: 'calls',
  result: 'results',
  text: 'texts in between',
  error: 'errors',
  end: 'how turns ended',
  final: 'answers',
};

/**
 * What is compared, in words: `['calls', 'results', 'errors', 'answers']`.
 * @param hasTraces without traces there is only the answer
 */
export function comparedBy({ strictness, include }: CompareRules, { hasTraces }: { hasTraces: boolean }): string[] {
  const kinds: readonly StepKind[] = hasTraces ? ['call', 'result', 'text', 'error', 'end', 'final'] : ['final'];
  const isSeen = (kind: StepKind) => (include?.includes(kind) ?? true) && seesKind(strictness, kind);
  const nameOf = (kind: StepKind) =>
    kind === 'call' && strictness === 'outcome' ? 'calls of mutating tools' : NAMES[kind];
  return kinds.filter(isSeen).map(nameOf);
}

/** Whether a strictness looks at steps of a kind; of calls, `outcome` looks only at those of mutating tools. */
export function seesKind(strictness: Strictness, kind: StepKind): boolean {
  if (strictness === 'exact' || strictness === 'wording') return true;
  return kind !== 'text' && !(strictness === 'outcome' && kind === 'result');
}

/** What the user declares about a tool, whose name may be that of a property of every object. */
export function declaredRules(tools: CompareRules['tools'], tool: string): CompareRules['tools'][string] | undefined {
  return own(tools, tool);
}

/** Whether the user says that the order of parallel calls of a tool matters. */
export function orderMatters({ tools }: Pick<CompareRules, 'tools'>, tool: string): boolean {
  return declaredRules(tools, tool)?.orderMatters === true;
}

/** Whether the user declared that a tool changes something outside. */
export function isMutating({ tools }: Pick<CompareRules, 'tools'>, tool: string | undefined): boolean {
  return tool !== undefined && declaredRules(tools, tool)?.mutating === true;
}
