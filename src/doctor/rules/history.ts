import type { AgentEvidence, Call } from '../evidence/evidence.ts';
import {
  callLines,
  holdsResult,
  isReplayed,
  modelInputs,
  NOT_REACHED,
  obstacleOf,
  shows,
} from '../evidence/reading.ts';
import { because, fail, pass, type Rule, type RuleResult, skip, warn } from '../evidence/rule.ts';

/** Rule: a turn with a history is replayed correctly. Two of one session are sent at the same time. */
export const HISTORY_RULES: readonly Rule<AgentEvidence>[] = [
  {
    id: 'history',
    demand: 'It takes a conversation that holds a tool call and its result.',
    fix: {
      javascript:
        "Take OpenAI's chat form, calls and results included; `agent-replay/endpoint` converts it for the AI SDK, OpenAI, LangChain, Anthropic and Gemini (docs/endpoint.md).",
      python:
        "Take OpenAI's chat form, calls and results included; `agent_replay.messages` converts it for OpenAI, LangChain and Anthropic (docs/python.md).",
    },
    needs: ['side-by-side'],
    judge: judgeHistory,
  },
  {
    id: 'memory',
    demand: 'The model is given the earlier turns of the request, and no others.',
    fix: 'Fill the memory from `messages`, under a key of the call and not of the session (docs/endpoint.md, "The memory of a session").',
    needs: ['side-by-side'],
    judge: (evidence) => {
      // Without a known tool there is no call to check, but the rest of the history is checked anyway.
      const { state } = judgeHistory(evidence);
      return state === 'pass' || state === 'skip' ? judgeMemory(evidence) : skip('needs history');
    },
  },
];

function judgeHistory({ calls, converter }: AgentEvidence): RuleResult {
  const own = calls.filter(({ history }) => history !== undefined);
  const [first, , alone] = own;
  if (first === undefined) return NOT_REACHED;
  const obstacle = own.map(obstacleOf).find((found) => found !== undefined);
  if (obstacle !== undefined) return because('unknown', obstacle);
  const fix =
    converter &&
    `Convert what comes to what ${converter.framework} takes, with ${converter.name}(messages) of ${converter.module}.`;
  if (alone !== undefined && !isReplayed(alone)) return { ...fail(...callLines(alone)), fix };
  if (first.history?.tool === undefined)
    return skip('no tool is known: give a question that needs one, with --question');
  const lacking = own.find(
    ({ trace, history }) =>
      trace !== undefined &&
      modelInputs(trace).length > 0 &&
      shows(trace, history?.said ?? '') &&
      !shows(trace, history?.result ?? '') &&
      !holdsResult(trace),
  );
  if (lacking !== undefined) {
    return { ...fail(`call ${lacking.number}: the model was given no result of the earlier call of a tool`), fix };
  }
  return pass(`with a call of ${first.history.tool} in it`);
}

function judgeMemory({ calls }: AgentEvidence): RuleResult {
  const [one, other, alone] = calls.filter(({ history }) => history !== undefined);
  if (one === undefined || other === undefined) return NOT_REACHED;
  // Alone it worked.
  if (alone !== undefined) return fail(...[one, other].filter((call) => !isReplayed(call)).flatMap(callLines));
  for (const [own, foreign] of [
    [one, other],
    [other, one],
  ] as const) {
    if (own.trace !== undefined && says(own, foreign)) {
      return fail(
        `in call ${own.number} the model was given what was said in call ${foreign.number}, of the same session`,
      );
    }
  }
  const shown = [one, other].filter(({ trace }) => trace !== undefined && modelInputs(trace).length > 0);
  if (shown.length === 0) return skip('no trace shows what the model was given');
  const forgetful = shown.find((call) => !says(call, call));
  return forgetful === undefined
    ? pass('2 of one session at the same time')
    : warn(`call ${forgetful.number}: the model was not given the earlier turns that were sent`);
}

function says({ trace }: Call, { history }: Call): boolean {
  return trace !== undefined && shows(trace, history?.said ?? '');
}
