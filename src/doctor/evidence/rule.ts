import type { AgentReplayError } from '../../errors.ts';
import type { InLanguages } from '../../files/index.ts';

/** `unknown`: something prevented the check. */
export type State = 'pass' | 'warn' | 'fail' | 'unknown' | 'skip';

export interface RuleResult {
  readonly state: State;
  /** The evidence, or why nothing was checked, one fact per line. */
  readonly seen: readonly string[];
  /** The user's next move, if it differs from the rule's own. */
  readonly fix?: string;
}

/**
 * One rule: a pure judgement of collected evidence. A new rule is a new entry in its list; the documentation is generated
 * from these texts.
 */
export interface Rule<Evidence> {
  /** Stable: people grep logs and write runbooks by it. */
  readonly id: string;
  /** The requirement, in one sentence. */
  readonly demand: string;
  readonly fix: InLanguages;
  /** If one of these rules fails, this one would show nothing, or the same again. */
  readonly needs?: readonly string[];
  readonly judge: (evidence: Evidence) => RuleResult;
}

export const pass = (...seen: string[]): RuleResult => ({ state: 'pass', seen });
export const warn = (...seen: string[]): RuleResult => ({ state: 'warn', seen });
export const fail = (...seen: string[]): RuleResult => ({ state: 'fail', seen });
export const skip = (...seen: string[]): RuleResult => ({ state: 'skip', seen });

/** The finding of an error: its sentence, evidence and next move. */
export function because(state: State, { code, message, evidence, hint }: AgentReplayError): RuleResult {
  return { state, seen: [`${message} (${code})`, ...evidence], fix: hint };
}
