import { type Finding, type Rule, type State, skip } from './rule.ts';

/** A rule with what it found. */
export interface Verdict extends Finding {
  readonly rule: string;
}

/** Applies rules in their order. What a rule needs stands before it. */
export function judge<Evidence>(rules: readonly Rule<Evidence>[], evidence: Evidence): Verdict[] {
  const states = new Map<string, State>();
  return rules.map(({ id, fix, needs = [], judge }) => {
    const missing = needs.find((need) => !isGiven(states.get(need)));
    const finding = missing === undefined ? judge(evidence) : skip(`needs ${missing}`);
    states.set(id, finding.state);
    const isTrouble = finding.state !== 'pass' && finding.state !== 'skip';
    return { rule: id, ...finding, fix: isTrouble ? (finding.fix ?? fix) : undefined };
  });
}

function isGiven(state: State | undefined): boolean {
  return state === 'pass' || state === 'warn';
}
