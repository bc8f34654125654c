import type { AgentEvidence } from '../evidence/evidence.ts';
import { type Rule, skip } from '../evidence/rule.ts';
import { ANSWER_RULES } from './answer.ts';
import { ARRIVAL_RULES } from './arrival.ts';
import { CONTENT_RULES } from './content.ts';
import { HISTORY_RULES } from './history.ts';
import { METADATA_RULES } from './metadata.ts';
import { REACH_RULES } from './reach.ts';
import { TOOLS_RULES } from './recorded-tools.ts';
import { REPETITION_RULES } from './repetition.ts';
import { REQUEST_RULES } from './request.ts';

export { ENVIRONMENT_RULES } from './environment.ts';

const ENDPOINT_RULES = [...REACH_RULES, ...REQUEST_RULES, ...ANSWER_RULES, ...REPETITION_RULES, ...HISTORY_RULES];
const TRACE_RULES = [...ARRIVAL_RULES, ...METADATA_RULES, ...CONTENT_RULES, ...TOOLS_RULES];

export const AGENT_RULES: readonly Rule<AgentEvidence>[] = [...ENDPOINT_RULES, ...TRACE_RULES];

/** The same if no trace is read: rules that need one are skipped. */
export const AGENT_RULES_WITHOUT_TRACES: readonly Rule<AgentEvidence>[] = [
  ...ENDPOINT_RULES,
  ...TRACE_RULES.map((rule) => ({ ...rule, needs: [], judge: () => skip('tracing is none: no trace is read') })),
];
