import { inLanguage, type Language } from '../files/index.ts';
import { type Rule, type RuleResult, type State, skip } from './evidence/rule.ts';

export interface CheckedRule extends RuleResult {
  readonly rule: string;
  /** The failed rule because of which this one was skipped. */
  readonly blockedBy?: string;
}

/** Applies rules in order, with next moves in a language's words. A rule comes after those that it needs. */
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
      fix: isTrouble ? (finding.fix ?? inLanguage(language, fix)) : undefined,
      blockedBy,
    };
    before.set(id, verdict);
    return verdict;
  });
}

function isGiven(state: State | undefined): boolean {
  return state === 'pass' || state === 'warn';
}
