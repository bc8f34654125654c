import type { AgentEvidence } from '../evidence.ts';
import { type Rule, skip } from '../rule.ts';
import { ARRIVAL_RULES } from './arrival.ts';
import { CONTENT_RULES } from './content.ts';
import { ENDPOINT_RULES } from './endpoint.ts';
import { METADATA_RULES } from './metadata.ts';

export { ENVIRONMENT_RULES } from './environment.ts';

/** The rules about an agent, in their order. */
export const AGENT_RULES: readonly Rule<AgentEvidence>[] = [
  ...ENDPOINT_RULES,
  ...[...ARRIVAL_RULES, ...METADATA_RULES, ...CONTENT_RULES].map(onlyWithTraces),
];

function onlyWithTraces(rule: Rule<AgentEvidence>): Rule<AgentEvidence> {
  const judge = (evidence: AgentEvidence) =>
    evidence.source === 'none' ? skip('tracing is none: no trace is read') : rule.judge(evidence);
  return { ...rule, judge };
}
