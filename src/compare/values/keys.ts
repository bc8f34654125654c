import { hash } from 'node:crypto';
import { canonical, type Json } from '../../json/index.ts';
import { mayChange } from '../explain/writing.ts';
import type { ShownStep } from '../result.ts';
import { type CompareRules, isMutating } from '../rules.ts';
import type { Step } from '../steps/step.ts';
import { mapLeaves, readable } from './canonical.ts';
import type { NamedStep } from './names.ts';
import { RecordedWords } from './recorded-words.ts';

/** A step with what the comparison needs of it, computed once. */
export interface KeyedStep extends NamedStep {
  /** Place in the run, from 1, among all its steps. */
  readonly number: number;
  /** Digest of the step as it is, after renaming. Equal digests: nothing differs at all. */
  readonly exact: string;
  /** The same whatever the numbers of generated ids. */
  readonly loose: string;
  /** Digest as the strictness sees it; null where this strictness does not look. */
  readonly key: string | null;
}

const NOTHING_RECORDED = new RecordedWords([]);

/**
 * Computes the keys of renamed and stripped steps.
 * @param recorded what the recordings say, which a replay may say in other words
 */
export function keyedSteps(
  steps: readonly NamedStep[],
  rules: CompareRules,
  recorded: RecordedWords = NOTHING_RECORDED,
): KeyedStep[] {
  const numbered = steps.map((step, index) => ({ ...step, number: index + 1 }));
  return withKeys(numbered, rules, recorded).filter(
    ({ kind, isMissed }) => isMissed || rules.include === undefined || rules.include.includes(kind),
  );
}

/** Computes the keys of steps whose values were changed anew; they keep their numbers. */
export function withKeys(
  steps: readonly (NamedStep & Pick<KeyedStep, 'number'>)[],
  rules: CompareRules,
  recorded: RecordedWords,
): KeyedStep[] {
  const counts = new Map<string, number>();
  return steps.map((step) => {
    const place = `${step.kind} ${step.name ?? ''}`;
    const nth = counts.get(place) ?? 0;
    counts.set(place, nth + 1);
    const text = textOf(step, step.value);
    const exact = digest(text);
    const loose = text.includes('#') ? digest(text.replace(NUMBERED, '<$1>')) : exact;
    const key = isSeen(step, rules) ? keyOf(step, exact, rules, () => recorded.keyed(step, nth)) : null;
    return { ...step, exact, loose, key };
  });
}

/** The step as reports show it. */
export function shownStep({ kind, name, value, observationId }: KeyedStep): ShownStep {
  return {
    kind,
    ...(name === undefined ? {} : { name }),
    ...(value === undefined ? {} : { value }),
    ...(observationId === undefined ? {} : { observationId }),
  };
}

/** The step with other names for the ids in it; what it is counted by stays. */
export function renamedStep(step: KeyedStep, names: ReadonlyMap<string, string>): KeyedStep {
  if (step.value === undefined || step.exact === step.loose) return step;
  const value = withNames(step.value, names);
  return value === step.value ? step : { ...step, value, exact: digest(textOf(step, value)) };
}

/** The value with something else in the place of the names of ids. */
export function withNames(value: Json, names: ReadonlyMap<string, string>): Json {
  return mapLeaves(
    value,
    (text) => text.replace(NUMBERED, (name) => names.get(name) ?? name),
    (number) => number,
  );
}

/** What renaming put in the place of an id: the tool and the shape, and the number among those. */
const NUMBERED = /<([^<>#]+)#\d+>/g;

/**
 * Strings in their raw form differ in what only `exact` sees; all else is the canonical value.
 * @param inWords the value with what can be put in other words told apart by what it states
 */
function keyOf(step: Step, exact: string, rules: CompareRules, inWords: () => Json): string {
  switch (rules.strictness) {
    case 'exact':
      return exact;
    case 'wording':
      return typeof step.value === 'string' && isProse(step) ? digest(textOf(step, readable(step.value))) : exact;
    case 'steps':
    case 'behaviour':
    case 'outcome':
      if (isReport(step)) return digest(textOf(step, ['report']));
      return mayBeReworded(step, rules) ? digest(textOf(step, inWords())) : exact;
  }
}

/** An answer, and the arguments of a tool that changes nothing: what a tool writes into the world is compared to the letter. */
export function mayBeReworded(
  { kind, name }: Pick<Step, 'kind' | 'name'>,
  rules: Pick<CompareRules, 'tools'>,
): boolean {
  return kind === 'final' || (kind === 'call' && !mayChange(rules, name));
}

function isSeen({ kind, name, isMissed }: Step, rules: CompareRules): boolean {
  if (isMissed) return true;
  switch (rules.strictness) {
    case 'exact':
    case 'wording':
      return true;
    case 'steps':
    case 'behaviour':
      return kind !== 'text';
    case 'outcome':
      return kind === 'call' ? isMutating(rules, name) : kind !== 'text' && kind !== 'result';
  }
}

/** Text for people: its layout means nothing. */
export function isProse(step: Step): boolean {
  return step.kind === 'text' || step.kind === 'final' || isReport(step);
}

/** What a sub-agent has to say: a text, although it stands where a tool's result does. */
export function isReport({ byModel, value }: Step): boolean {
  return byModel === true && typeof value === 'string';
}

/** All that is compared of a step, in one text. */
function textOf(step: Step, value: Json | undefined): string {
  // A raw text is kept as it is, all else is canonical: key order, number forms and NFC are never a difference.
  const text = typeof value === 'string' && isProse(step) ? JSON.stringify(value) : canonical(value);
  return `${step.kind}\0${step.name ?? ''}\0${value === undefined ? 'missing' : 'value'}\0${text}`;
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** The answer as a reader sees it. */
export function answerOf({ value }: Step): Json {
  return typeof value === 'string' ? readable(value) : (value ?? null);
}
