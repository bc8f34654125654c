import { hash } from 'node:crypto';
import { canonical, type Json, present } from '../../json/index.ts';
import type { ShownStep } from '../shapes/result.ts';
import { type CompareRules, isMutating, onlyExplains, seesKind } from '../shapes/rules.ts';
import type { Step } from '../shapes/step.ts';
import { RecordedWords } from '../text/recorded-words.ts';
import { mapLeaves, readable } from '../values/canonical.ts';
import type { NamedStep } from './names.ts';
import { inOneSpelling } from './spelling.ts';
import { isToTheLetter, mayChange } from './writing.ts';

/** A step with everything that the comparison needs, computed once. */
export interface KeyedStep extends NamedStep {
  /** Its place among all steps of the run, from 1. */
  readonly number: number;
  /** Digest after renaming. Equal digests mean no difference at all. */
  readonly exact: string;
  /** The same, without the numbers of generated ids. */
  readonly loose: string;
  /** Digest under the strictness; null if the strictness ignores the step. */
  readonly key: string | null;
}

/**
 * Computes the keys of renamed and stripped steps.
 * @param recorded texts of the recordings, which a replay may put in other words
 */
export function keyedSteps(
  steps: readonly NamedStep[],
  rules: CompareRules,
  recorded = new RecordedWords([]),
): KeyedStep[] {
  const numbered = steps.map((step, index) => ({ ...step, number: index + 1 }));
  return withKeys(numbered, rules, recorded).filter(
    ({ kind, isMissed }) => isMissed || rules.include === undefined || rules.include.includes(kind),
  );
}

/** Computes the keys of steps with changed values. Step numbers stay. */
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
    const text = textOf(step, inOneSpelling(step));
    const exact = digest(text);
    const loose = text.includes('#') ? digest(text.replace(NUMBERED, '<$1>')) : exact;
    const inWords = () =>
      inOneSpelling(step, recorded.keyed(step, nth, step.kind === 'call' && mayChange(rules, step.name))) as Json;
    const key = isSeen(step, rules)
      ? recorded.keyAt(`${nth} ${exact}`, () => keyOf(step, exact, rules, inWords))
      : null;
    return { ...step, exact, loose, key };
  });
}

export function withoutKeys({ kind, name, value, observationId }: KeyedStep): ShownStep {
  return { kind, ...present({ name, value, observationId }) };
}

/** The step with other names for its ids; its digests stay. */
export function renamedStep(step: KeyedStep, names: ReadonlyMap<string, string>): KeyedStep {
  if (step.value === undefined || step.exact === step.loose) return step;
  const value = withNames(step.value, names);
  return value === step.value ? step : { ...step, value, exact: digest(textOf(step, inOneSpelling(step, value))) };
}

/** The value with the names of ids replaced. */
export function withNames(value: Json, names: ReadonlyMap<string, string>): Json {
  return mapLeaves(value, (text) => text.replace(NUMBERED, (name) => names.get(name) ?? name));
}

/** The name of a renamed id: the tool and the shape, then a number. */
const NUMBERED = /<([^<>#]+)#\d+>/g;

/**
 * A raw string differs from the canonical value in what only `exact` compares.
 * @param inWords the value with each rewordable text replaced by what it states
 */
function keyOf(step: Step, exact: string, rules: CompareRules, inWords: () => Json): string {
  const { strictness } = rules;
  if (strictness === 'exact') return exact;
  if (strictness === 'wording')
    return typeof step.value === 'string' && isProse(step) ? digest(textOf(step, readable(step.value))) : exact;
  strictness satisfies 'steps' | 'behaviour' | 'outcome';
  if (isReport(step)) return digest(textOf(step, ['report']));
  return mayBeReworded(step, rules) ? digest(textOf(step, inWords())) : exact;
}

/** An answer, or the arguments of a tool of which nobody says that its texts are the effect. */
function mayBeReworded({ kind, name }: Pick<Step, 'kind' | 'name'>, rules: Pick<CompareRules, 'tools'>): boolean {
  return kind === 'final' || (kind === 'call' && !isToTheLetter(rules, name));
}

function isSeen({ kind, name, isMissed }: Step, rules: CompareRules): boolean {
  if (isMissed) return true;
  if (onlyExplains(kind, rules)) return false;
  if (rules.strictness === 'outcome' && kind === 'call') return isMutating(rules, name);
  return seesKind(rules.strictness, kind);
}

/** Text for people, whose layout means nothing. */
export function isProse(step: Step): boolean {
  return step.kind === 'text' || step.kind === 'final' || isReport(step);
}

/** A sub-agent's text, although it is in the place of a tool's result. */
export function isReport({ byModel, value }: Step): boolean {
  return byModel === true && typeof value === 'string';
}

/** All that is compared of a step, in one text. */
function textOf(step: Step, value: Json | undefined): string {
  // A raw text stays as it is; everything else is canonical, so key order, number forms and NFC never differ.
  const text = typeof value === 'string' && isProse(step) ? JSON.stringify(value) : canonical(value);
  return `${step.kind}\0${step.name ?? ''}\0${value === undefined ? 'missing' : 'value'}\0${text}`;
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** As a reader sees it. */
export function answerOf({ value }: Step): Json {
  return typeof value === 'string' ? readable(value) : (value ?? null);
}
