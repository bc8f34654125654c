import { generationOf } from '../../chat/index.ts';
import type { InLanguages } from '../../files/index.ts';
import { sessionsFromTraces } from '../../session/index.ts';
import { counted } from '../../text/index.ts';
import { isTool, type Trace, topsOf, unreadError } from '../../trace/index.ts';
import type { AgentEvidence, Call } from '../evidence/evidence.ts';
import { leaksIn } from '../evidence/leaks.ts';
import { plainOf, shortJson, traceOf } from '../evidence/reading.ts';
import { because, fail, pass, type Rule, skip, warn } from '../evidence/rule.ts';

const WHOLE = '`npx agent-replay help trace each tool` shows it whole.';

/** What any SDK built on OpenTelemetry exports. */
const TRACED_TOOL: InLanguages = {
  javascript: `Trace each tool. Before it runs: \`const span = trace.getTracer('agent').startSpan(name, { attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name, 'gen_ai.tool.call.id': id, 'gen_ai.tool.call.arguments': JSON.stringify(args) } });\`, and then \`span.setAttribute('gen_ai.tool.call.result', JSON.stringify(result)).end();\`. ${WHOLE}`,
  python:
    'Trace each tool: `with tracer.start_as_current_span(name, attributes={"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.call.id": id, "gen_ai.tool.call.arguments": json.dumps(args)}) as span:`, and in it `span.set_attribute("gen_ai.tool.call.result", json.dumps(result))`.',
};

const TRACED_BY_LANGFUSE: Readonly<Record<string, string>> = {
  langfuse: `Trace each tool. Before it runs: \`const tool = startObservation(name, { input: args }, { asType: 'tool' });\` of @langfuse/tracing, and then \`tool.update({ output: result }).end();\`. ${WHOLE}`,
  'langfuse 3':
    'Trace each tool. Before it runs: `const tool = turn.span({ name, input: args, metadata: { callId: id } });` of the trace that the turn opens, and then `tool.end({ output: result });`.',
};

/** Rules: traces of replays contain the work of a normal turn, and no secrets; and the agent can read its prompts. */
export const CONTENT_RULES: readonly Rule<AgentEvidence>[] = [
  {
    id: 'same-path',
    demand: 'A replay is treated as a normal turn: two questions give two traces.',
    fix: 'Call the function that a normal turn calls: no canned answer, no demo agent.',
    needs: ['complete'],
    judge: (evidence) => {
      const plain = plainOf(evidence);
      const other = evidence.calls.find(({ trace, asked }) => trace !== undefined && asked !== plain.asked);
      if (other?.trace === undefined) return skip('no trace of another question arrived');
      const isSame = workOf(other.trace) === workOf(traceOf(evidence)) && isSameAnswer(plain, other);
      if (!isSame) return pass(`calls ${plain.number} and ${other.number} differ`);
      return fail(`"${plain.asked}" and "${other.asked}" were answered alike, and the traces show nothing else`);
    },
  },
  {
    id: 'generations',
    demand: 'The trace holds the model calls, with the messages given to the first.',
    fix: 'Trace model calls as generations whose input holds a `messages` array: without them, a replay sends the text of the user alone.',
    needs: ['same-path'],
    judge: (evidence) => {
      const trace = traceOf(evidence);
      const models = trace.observations.filter(({ type }) => type === 'generation');
      if (models.length === 0) return warn('there is no generation in the trace');
      // With the id of its replay it would be left out as a replay.
      const { sessions } = sessionsFromTraces([{ ...trace, metadata: {} }]);
      const hasMessages = sessions[0]?.turns[0]?.request?.messages !== undefined;
      return hasMessages ? pass(counted(models.length, 'generation')) : warn('no generation shows its messages');
    },
  },
  {
    id: 'tools',
    demand: 'The trace holds the tool calls with their results.',
    fix: TRACED_TOOL,
    needs: ['same-path'],
    judge: (evidence) => {
      const steps = evidence.calls.flatMap(({ trace }) => trace?.observations ?? []);
      const fix = evidence.language === 'javascript' ? TRACED_BY_LANGFUSE[evidence.tracing ?? ''] : undefined;
      const tools = steps.filter(isTool);
      if (tools.length === 0) {
        const [asked] = steps.filter(({ type }) => type === 'generation').flatMap((each) => generationOf(each).calls);
        return asked === undefined
          ? skip('no tool was called: give a question that needs one, with --question')
          : { ...warn(`the model called ${asked.name}, and no observation shows what came of it`), fix };
      }
      const bare = tools.find(({ output, level }) => output === undefined && level !== 'ERROR');
      if (bare === undefined) return pass(counted(tools.length, 'tool call'));
      return { ...warn(`"${bare.name}" shows no result`), fix };
    },
  },
  {
    id: 'unread',
    demand: 'Every value of a step has a name that agent-replay reads.',
    fix: 'Trace it under a convention that agent-replay knows, or list it in `tracing.acknowledge`.',
    needs: ['traced'],
    judge: ({ calls, acknowledged }) => {
      const traces = calls.flatMap(({ trace }) => trace ?? []);
      const lost = unreadError(traces, 'value', acknowledged);
      if (lost !== undefined) return because('fail', lost);
      const more = unreadError(traces, 'content', acknowledged);
      return more === undefined ? pass('all of it is read') : because('warn', more);
    },
  },
  {
    id: 'reads',
    demand: 'The agent can read from its tracing platform, such as prompts.',
    fix: 'Name the platform where agent-replay runs: TRACING_HOST and both keys, or the LANGFUSE_* variables. Reads are passed on to it.',
    judge: ({ reads }) => {
      if (reads === undefined || (reads.passed === 0 && reads.refused.length === 0)) {
        return skip('nothing was read through the receiver');
      }
      return reads.refused.length > 0 ? fail(...reads.refused) : pass(`${counted(reads.passed, 'read')} passed on`);
    },
  },
  {
    id: 'secrets',
    demand: 'No key or password is in a trace.',
    fix: 'Keep it out of what is traced. It has been sent: change it if it was real.',
    needs: ['traced'],
    judge: ({ calls, secrets }) => {
      const places = leaksIn(calls, secrets);
      return places.length === 0 ? pass('none found') : fail(...places);
    },
  },
];

function isSameAnswer({ outcome: one }: Call, { outcome: other }: Call): boolean {
  if (one.kind !== 'replayed' || other.kind !== 'replayed') return true;
  return shortJson(one.response?.output) === shortJson(other.response?.output);
}

/**
 * What a turn did. The root is left out, because it shows the question; one that is itself a model call or a tool stays. Model
 * calls show it in their inputs, so that two turns look alike only if none is traced with its input.
 */
function workOf({ observations, output }: Trace): string {
  const tops = new Set(topsOf(observations));
  const done = observations
    .filter((each) => each.type === 'generation' || isTool(each) || !tops.has(each))
    .map(({ type, name, input, output }) => ({ type, name, input, output }));
  return JSON.stringify({ done, output });
}
