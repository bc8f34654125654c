import type { AgentReplayError } from '../errors.ts';

/** How a rule came out. `unknown`: something stood between, so that it could not be told. */
export type State = 'pass' | 'warn' | 'fail' | 'unknown' | 'skip';

/** What a rule found. */
export interface RuleResult {
  readonly state: State;
  /** The evidence, or why nothing was looked at, one fact a line. */
  readonly seen: readonly string[];
  /** The user's next move, where it is another than the rule's own. */
  readonly fix?: string | undefined;
}

/** The language of an agent, which decides what is called how. */
export type Language = 'javascript' | 'python';

/** A next move, in the words of each language where they differ. */
export type Fix = string | Readonly<Record<Language, string>>;

/** @param language undefined where it is not known: then in the words of both */
export function fixIn(language: Language | undefined, fix: Fix): string {
  if (typeof fix === 'string') return fix;
  return language === undefined ? `${fix.javascript} In Python: ${fix.python}` : fix[language];
}

/**
 * One rule: a pure judgement of evidence that was collected before. A new rule is a new entry in its list; the
 * documentation is checked against these texts.
 */
export interface Rule<Evidence> {
  /** Stable: people grep logs and write runbooks by it. */
  readonly id: string;
  /** What is demanded, one sentence. */
  readonly demand: string;
  /** What to do when it fails. */
  readonly fix: Fix;
  /** Rules without which this one would say nothing, or the same again. */
  readonly needs?: readonly string[];
  readonly judge: (evidence: Evidence) => RuleResult;
}

export const pass = (...seen: string[]): RuleResult => ({ state: 'pass', seen });
export const warn = (...seen: string[]): RuleResult => ({ state: 'warn', seen });
export const fail = (...seen: string[]): RuleResult => ({ state: 'fail', seen });
export const skip = (...seen: string[]): RuleResult => ({ state: 'skip', seen });

/** The finding of an error: its sentence, its evidence, and its own next move. */
export function because(state: State, { code, message, evidence, hint }: AgentReplayError): RuleResult {
  return { state, seen: [`${message} (${code})`, ...evidence], fix: hint };
}
