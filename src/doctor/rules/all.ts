import type { AgentEvidence } from '../evidence.ts';
import { type Rule, skip } from '../rule.ts';
import { ARRIVAL_RULES } from './arrival.ts';
import { CONTENT_RULES } from './content.ts';
import { ENDPOINT_RULES } from './endpoint.ts';
import { METADATA_RULES } from './metadata.ts';

export { ENVIRONMENT_RULES } from './environment.ts';

const TRACE_RULES = [...ARRIVAL_RULES, ...METADATA_RULES, ...CONTENT_RULES];

/** The rules about an agent, in their order. */
export const AGENT_RULES: readonly Rule<AgentEvidence>[] = [...ENDPOINT_RULES, ...TRACE_RULES];

/** The same where no trace is read: what needs one is skipped. */
export const AGENT_RULES_WITHOUT_TRACES: readonly Rule<AgentEvidence>[] = [
  ...ENDPOINT_RULES,
  ...TRACE_RULES.map((rule) => ({ ...rule, needs: [], judge: () => skip('tracing is none: no trace is read') })),
];
