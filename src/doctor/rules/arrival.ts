import { TRACE_SPANS } from '../../contract/index.ts';
import { counted, duration } from '../../text/index.ts';
import { splitError } from '../../trace/index.ts';
import type { AgentEvidence, Call, TimedSpan } from '../evidence/evidence.ts';
import { callOf, failureOf, oldTraceOf, ownSpans, plainOf, traceOf } from '../evidence/reading.ts';
import { because, fail, pass, type Rule, skip, warn } from '../evidence/rule.ts';

/** Clocks of two well-kept machines differ by less. */
const CLOCK_WARN_MS = 5_000;
/** A platform is asked for traces from ten minutes before the call, so this leaves a margin. */
const CLOCK_FAIL_MS = 5 * 60_000;

/** How long after a call's answer its last span arrived, in milliseconds. */
function afterAnswer(call: Call, at: (span: TimedSpan) => number): number {
  const answeredAt = call.exchanges.at(-1)?.endedAt ?? Number.POSITIVE_INFINITY;
  return Math.max(...ownSpans(call).map(at)) - answeredAt;
}

const GOES_ON =
  'Let `record` run until the agent has done all that it does after an answer: a run waits for what the recordings hold, and for nothing else.';

/** The last span of all that came after the trace of their call had been taken. */
function latestOf({ calls, lateSpans }: AgentEvidence): string | undefined {
  const last = lateSpans.at(-1);
  const call = callOf(calls, last);
  if (last === undefined || call === undefined) return undefined;
  const lateMs = last.arrivedAt - (call.exchanges.at(-1)?.endedAt ?? 0);
  return `call ${call.number}: "${last.name}" came ${duration(lateMs)} after the answer, when its trace had been taken`;
}

/** The number of spans according to the answer, or else to the trace itself. */
function spansSaid(evidence: AgentEvidence): number | undefined {
  const said = plainOf(evidence).exchanges.at(-1)?.headers[evidence.names.spansHeader.toLowerCase()];
  if (typeof said === 'string') return Number(said);
  const marks = ownSpans(plainOf(evidence)).map(({ attributes }) => Number(attributes[TRACE_SPANS] ?? 0));
  return Math.max(0, ...marks) || undefined;
}

/** Rules: a trace comes for each replay, new, whole and in time. */
export const ARRIVAL_RULES: readonly Rule<AgentEvidence>[] = [
  {
    id: 'trace-keys',
    demand: 'Traces are sent with the keys that the agent was given.',
    fix: 'Let the agent read host and keys from the environment that it is started with, and nowhere else.',
    needs: ['answers'],
    judge: ({ source, unauthorized, calls }) => {
      if (source !== 'embedded') return skip('not checked: a platform does not say what it refused');
      const spans = calls.flatMap((call) => call.spans).length;
      if (unauthorized === 0) return spans > 0 ? pass('accepted') : skip('nothing was sent');
      return fail(`${counted(unauthorized, 'export')} had other keys`);
    },
  },
  {
    id: 'traced',
    demand: 'Each replay leaves a trace that carries its `svc_replay_run_id`.',
    fix: 'Write the id of the request to the metadata of the trace, as text, before the first span is started.',
    needs: ['answers', 'messages'],
    judge: (evidence) => {
      const plain = plainOf(evidence);
      const failure = failureOf(plain);
      if (evidence.unauthorized > 0 && failure !== undefined) return skip('needs trace-keys');
      if (plain.trace !== undefined || failure?.code === 'TRACE_INCOMPLETE' || failure?.code === 'TRACE_UNSTABLE') {
        return pass('found by it');
      }
      if (failure?.code !== 'TRACE_MISSING') return skip('no trace was waited for: the answer cannot be used');
      const spans = plain.spans.length;
      if (evidence.source !== 'embedded') return because('fail', failure);
      if (spans > 0) return fail(`${counted(spans, 'span')} arrived, and none carries svc_replay_run_id`);
      return { ...fail('nothing was sent to the receiver'), fix: failure.hint };
    },
  },
  {
    id: 'complete',
    demand: 'The trace has its root, all parents, the end of every span, the result of every tool call.',
    fix: 'End every span before the answer is sent; raise `timeouts.trace` if the agent traces slowly.',
    needs: ['traced'],
    judge: (evidence) => {
      const failure = failureOf(plainOf(evidence));
      if (failure === undefined) return pass(counted(traceOf(evidence).observations.length, 'observation'));
      return because('fail', failure);
    },
  },
  {
    id: 'new-trace',
    demand: 'Each replay makes a new trace.',
    fix: 'Start a root span for each request, with no trace id or parent from the request or the session.',
    needs: ['traced'],
    judge: (evidence) => {
      const old = oldTraceOf(evidence);
      return old === undefined ? pass('a new one each time') : fail(`a replay continued trace ${old}`);
    },
  },
  {
    id: 'one-trace',
    demand: 'Each replay makes one trace: a span around the turn holds all others.',
    fix: 'Open one span around the turn.',
    needs: ['traced'],
    judge: (evidence) => {
      const { trace } = plainOf(evidence);
      const split = splitError(trace === undefined ? [] : [trace], evidence.language);
      return split === undefined ? pass('one each time') : because('warn', split);
    },
  },
  {
    id: 'flushed',
    demand: 'All spans are exported before the answer, or it or the last span says how many there are.',
    fix: {
      javascript:
        "Use `replaySpanProcessor()` and `replayEndpoint`, which count them. Or add before the answer: `await processor.forceFlush(); await exporter.forceFlush();`. The first alone does not wait for an export that is under way. Or write the number of all spans on the last one, before it ends: `span.setAttribute('agent_replay.trace_spans', 7)`.",
      python:
        'Use `ReplaySpanProcessor()` and `replay_endpoint`, which count them, or give that `flush=provider.force_flush`. Or write the number of all spans on the last one, before it ends: `span.set_attribute("agent_replay.trace_spans", 7)`.',
    },
    needs: ['complete', 'new-trace'],
    judge: (evidence) => {
      const { source, calls } = evidence;
      if (source !== 'embedded') return skip('not checked: a platform does not say when a trace arrived');
      const plain = plainOf(evidence);
      const spans = ownSpans(plain);
      const late = latestOf(evidence);
      if (late !== undefined) return { ...warn(late), fix: GOES_ON };
      if (spans.length === 0) return skip(`taken ${duration(plain.concludedAt - plain.sentAt)} after the call`);
      const said = spansSaid(evidence);
      if (said !== undefined && spans.length >= said) return pass(`its spans are counted: ${said}`);
      if (said !== undefined) {
        const fix = 'Give the span processor the filter of your exporting one: `replaySpanProcessor({ exports })`.';
        return { ...warn(`${said} spans are counted, and ${spans.length} arrived`), fix };
      }
      // Only calls with the same request as the plain one: exports were held back for them.
      const timed = calls.slice(0, 2).filter((call) => call.request === plain.request);
      const lateMs = Math.max(...timed.map((call) => afterAnswer(call, ({ arrivedAt }) => arrivedAt)));
      if (lateMs > 0) return warn(`whole ${duration(lateMs)} after the answer`);
      const isUnderWay = timed.some((call) => afterAnswer(call, ({ arrivedAt, heldMs }) => arrivedAt + heldMs) > 0);
      if (isUnderWay)
        return warn('an export was still under way when the agent answered, so its spans could have arrived later');
      return pass('whole before the answer');
    },
  },
  {
    id: 'clock',
    demand: 'A trace lies within its call, by its clock.',
    fix: 'Set the clock of the machine that the agent runs on.',
    needs: ['complete'],
    judge: (evidence) => {
      const { sentAt, concludedAt } = plainOf(evidence);
      const startedAt = Date.parse(traceOf(evidence).timestamp);
      const offMs = startedAt < sentAt ? startedAt - sentAt : Math.max(0, startedAt - concludedAt);
      if (Math.abs(offMs) < CLOCK_WARN_MS) return pass('within the call');
      const seen = `${duration(Math.abs(offMs))} ${offMs < 0 ? 'behind' : 'ahead'}`;
      return Math.abs(offMs) < CLOCK_FAIL_MS ? warn(seen) : fail(seen);
    },
  },
];
