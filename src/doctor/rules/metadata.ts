import { readTraceMetadata } from '../../contract/index.ts';
import { asText, type Json } from '../../json/index.ts';
import { counted } from '../../text/index.ts';
import type { Trace } from '../../trace/index.ts';
import type { AgentEvidence, Call } from '../evidence/evidence.ts';
import { againOf, misplaced, ownSpans, plainOf, shortJson, traceOf } from '../evidence/reading.ts';
import { fail, pass, type Rule, skip, warn } from '../evidence/rule.ts';

export const METADATA_RULES: readonly Rule<AgentEvidence>[] = [
  {
    id: 'trace-level',
    demand: 'The metadata is at trace level, not on one observation.',
    fix: {
      javascript:
        'Use `propagateAttributes({ metadata })`, or attributes `langfuse.trace.metadata.<field>` on the root span; `update({ metadata })` describes one observation.',
      python:
        'Use `propagate_attributes(metadata=...)`, or attributes `langfuse.trace.metadata.<field>` on the root span; `update(metadata=...)` describes one observation.',
    },
    needs: ['complete'],
    judge: (evidence) => {
      const keys = [...Object.values(evidence.names.keys), 'agent_id', 'session_id', 'run_id'];
      const wrong = Map.groupBy(keys, (key) => misplaced(traceOf(evidence), key));
      wrong.delete(undefined);
      const seen = [...wrong].map(([where, those]) => `${where}: ${those.join(', ')}`);
      return seen.length === 0 ? pass('at trace level') : fail(...seen);
    },
  },
  {
    id: 'inherited',
    demand: 'Every observation inherits the metadata.',
    fix: {
      javascript: 'Set it on every span: `replaySpanProcessor()`, or `propagateAttributes` around the whole turn.',
      python: 'Set it on every span: `ReplaySpanProcessor()`, or `propagate_attributes` around the whole turn.',
    },
    needs: ['trace-level'],
    judge: ({ source, names, calls: [plain] }) => {
      if (source !== 'embedded') return skip('not checked: a platform shows metadata as it processed it');
      const key = names.keys.replayRunId;
      const spans = ownSpans(plain as Call);
      const stating = spans.flatMap(({ metadata }) => metadata ?? []);
      if (stating.length < spans.length) return pass('said once for the whole trace, as older SDKs do');
      const without = spans.filter(({ metadata }) => metadata?.[key] === undefined);
      if (without.length === 0) return pass(`on all ${counted(spans.length, 'span')}`);
      const names_ = [...new Set(without.map(({ name }) => `"${name}"`))].slice(0, 5).join(', ');
      return warn(`${without.length} of ${spans.length} spans do not carry ${key}: ${names_}`);
    },
  },
  {
    id: 'replay-metadata',
    demand:
      'The trace carries `is_replay`, `svc_original_session_id`, `svc_turn_trace_id`, `svc_include_prior_context`.',
    fix: "Put them on the trace as text (`'true'`, not `true`): SDKs drop booleans, numbers and texts over 200 characters.",
    needs: ['complete'],
    judge: (evidence) => {
      const plain = plainOf(evidence);
      const { keys } = evidence.names;
      const expected: Record<string, string> = {
        [keys.isReplay]: 'true',
        [keys.originalSessionId]: plain.originalSessionId,
        [keys.turnTraceId]: plain.turnTraceId,
        [keys.includePriorContext]: 'true',
      };
      const trace = traceOf(evidence);
      const wrong = Object.entries(expected).flatMap(([key, value]) => {
        const said = trace.metadata[key];
        // Platforms and SDKs write booleans in several ways.
        if (asText(said).toLowerCase() === value || misplaced(trace, key) !== undefined) return [];
        return [said === undefined ? `${key} is missing` : `${key} is ${shortJson(said)}, not ${shortJson(value)}`];
      });
      return wrong.length === 0 ? pass('all four') : fail(...wrong);
    },
  },
  {
    id: 'agent-id',
    demand: 'The trace carries `agent_id`, the value of `SVC_AGENT_ID`.',
    fix: 'Write the variable SVC_AGENT_ID to the metadata of the trace as `agent_id`; set `agent.id` to what it should be.',
    needs: ['complete'],
    judge: (evidence) => {
      const { agentId } = evidence;
      const trace = traceOf(evidence);
      const said = trace.metadata.agent_id;
      if (misplaced(trace, 'agent_id') !== undefined) return skip('see trace-level');
      if (agentId === undefined) {
        return said === undefined
          ? warn('agent.id is not set: no pin would say which agent it belongs to')
          : pass(shortJson(said));
      }
      return said === agentId ? pass(agentId) : fail(`it says ${shortJson(said)}, not ${shortJson(agentId)}`);
    },
  },
  {
    id: 'session-id',
    demand: 'The trace carries `session_id`: the same for every replay of a session, and not the original one.',
    fix: 'Derive it from the original, such as `replay-<svc_original_session_id>`, and write it to the metadata of the trace.',
    needs: ['complete'],
    judge: (evidence) => {
      const plain = plainOf(evidence);
      const again = againOf(evidence);
      const trace = traceOf(evidence);
      if (misplaced(trace, 'session_id') !== undefined) return skip('see trace-level');
      const said = sessionOf(trace);
      if (said === undefined) return fail(missing(trace, 'session_id'));
      if (again?.trace !== undefined && sessionOf(again.trace) !== said) {
        return fail(`"${said}", and in a replay of the same session "${sessionOf(again.trace)}"`);
      }
      return said === plain.originalSessionId ? warn('it is that of the original session') : pass(said);
    },
  },
  {
    id: 'run-id',
    demand: 'The trace carries `run_id`, as text, unique for every replay.',
    fix: 'Make a new one for each request (`crypto.randomUUID()`), and write it to the metadata of the trace.',
    needs: ['complete'],
    judge: (evidence) => {
      const trace = traceOf(evidence);
      if (misplaced(trace, 'run_id') !== undefined) return skip('see trace-level');
      const said = evidence.calls.flatMap((call) => (call.trace ? [readTraceMetadata(call.trace.metadata).runId] : []));
      if (said[0] === undefined) return fail(missing(trace, 'run_id'));
      const twice = said.find((id, index) => id !== undefined && said.indexOf(id) !== index);
      return twice === undefined ? pass(said[0]) : fail(`${shortJson(twice)} was used more than once`);
    },
  },
];

/** Some agents set only the platform's own session. */
function sessionOf({ metadata, sessionId }: Trace): string | undefined {
  return readTraceMetadata(metadata).sessionId ?? sessionId;
}

function missing({ metadata }: Trace, key: string): string {
  const said: Json | undefined = metadata[key];
  return said === undefined ? `${key} is missing` : `${key} is ${shortJson(said)}, which is not text`;
}
