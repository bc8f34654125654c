import { fixIn, type Language, type Rule, type RuleResult, type State, skip } from './rule.ts';

/** A rule with what it found. */
export interface CheckedRule extends RuleResult {
  readonly rule: string;
  /** The rule that did not pass, so that nothing was looked at for this one. */
  readonly blockedBy?: string | undefined;
}

/** Applies rules in their order, and says what to do in the words of a language. What a rule needs stands before it. */
export function judge<Evidence>(
  rules: readonly Rule<Evidence>[],
  evidence: Evidence,
  language?: Language,
): CheckedRule[] {
  const before = new Map<string, CheckedRule>();
  return rules.map(({ id, fix, needs = [], judge }) => {
    const missing = needs.find((need) => !isGiven(before.get(need)?.state));
    const blockedBy = missing && (before.get(missing)?.blockedBy ?? missing);
    const finding = blockedBy === undefined ? judge(evidence) : skip(`needs ${blockedBy}`);
    const isTrouble = finding.state !== 'pass' && finding.state !== 'skip';
    const verdict = {
      rule: id,
      ...finding,
      fix: isTrouble ? (finding.fix ?? fixIn(language, fix)) : undefined,
      blockedBy,
    };
    before.set(id, verdict);
    return verdict;
  });
}

function isGiven(state: State | undefined): boolean {
  return state === 'pass' || state === 'warn';
}
