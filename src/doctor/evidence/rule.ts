import type { AgentReplayError } from '../../errors.ts';
import type { InLanguages } from '../../files/index.ts';

/** `unknown`: something prevented the check. */
export type State = 'pass' | 'warn' | 'fail' | 'unknown' | 'skip';

export interface RuleResult {
  readonly state: State;
  /** Evidence, or why nothing was checked, one fact per line. */
  readonly seen: readonly string[];
  /** If it differs from the rule's own. */
  readonly fix?: string | undefined;
}

/** A pure judgement of collected evidence. The documentation is generated from these texts. */
export interface Rule<Evidence> {
  /** Stable: people grep logs and write runbooks by it. */
  readonly id: string;
  readonly demand: string;
  readonly fix: InLanguages;
  /** If one of these fails, this one would show nothing, or the same again. */
  readonly needs?: readonly string[];
  readonly judge: (evidence: Evidence) => RuleResult;
}

export const pass = (...seen: string[]): RuleResult => ({ state: 'pass', seen });
export const warn = (...seen: string[]): RuleResult => ({ state: 'warn', seen });
export const fail = (...seen: string[]): RuleResult => ({ state: 'fail', seen });
export const skip = (...seen: string[]): RuleResult => ({ state: 'skip', seen });

export function because(state: State, { code, message, evidence, hint }: AgentReplayError): RuleResult {
  return { state, seen: [`${message} (${code})`, ...evidence], fix: hint };
}
