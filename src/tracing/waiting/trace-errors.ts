import { AgentReplayError } from '../../errors.ts';
import { cut, inBytes } from '../../text/index.ts';
import type { TraceRecord } from '../mapping/trace-record.ts';

/** What a receiver has seen since it started. */
export interface Traffic {
  exports: number;
  spans: number;
  /** Spans without a trace or span id. */
  unreadable: number;
  /** Spans that came after their trace was taken. */
  late: number;
  /** Run ids on late spans; some of them. */
  readonly lateRunIds: Set<string>;
  withoutRunId: number;
  /** Some run ids that no replay waits for. */
  readonly otherRunIds: Set<string>;
  /** Requests with other keys. */
  unauthorized: number;
  /** Requests that were refused, by reason; some of them. */
  readonly refused: Map<string, number>;
  /** Some of the reasons why exports with this run's keys could not be taken. */
  readonly lost: Set<string>;
}

/** Lines of evidence: enough to recognise a trace, and few enough to read. */
const MAX_LISTED = 20;
/** Names come from outside and can be of any length. */
const MAX_NAME = 100;

// Messages contain no ids or counts, because they are part of the results, which are the same for the same behaviours.

/** Reports what arrived instead, and the likely cause. */
export function traceMissing(runId: string, traffic: Traffic, announced: number | undefined): AgentReplayError {
  return new AgentReplayError(
    'TRACE_MISSING',
    'No trace with the replay run id of the request arrived before the deadline.',
    {
      evidence: [
        `searched for: ${runId}`,
        `received: ${traffic.exports} exports, ${traffic.spans} spans, ${traffic.withoutRunId} of them without a replay run id`,
        ...[...traffic.refused].map(([reason, count]) => `refused: ${count} requests, ${short(reason)}`),
        ...(traffic.unreadable > 0 ? [`unreadable: ${traffic.unreadable} spans without ids`] : []),
        ...(traffic.late > 0 ? [`late: ${traffic.late} spans of traces that were already handed over`] : []),
        ...(traffic.otherRunIds.size > 0
          ? [`other run ids seen: ${[...traffic.otherRunIds].slice(0, MAX_LISTED).map(short).join(', ')}`]
          : []),
      ],
      hint:
        announced === 0
          ? 'The endpoint has counted no span of this turn that was sampled: let the agent sample every trace of a replay.'
          : missingHint(runId, traffic),
    },
  );
}

function missingHint(runId: string, { spans, withoutRunId, lateRunIds, unauthorized, otherRunIds }: Traffic): string {
  if (spans === 0 && unauthorized > 0) {
    return 'Let the agent read its tracing keys and host from the environment that it is started with.';
  }
  if (spans === 0) {
    return 'The agent exported nothing here: check that its tracing is on, takes host and keys from its environment, and flushes before it answers when it is short-lived.';
  }
  if (lateRunIds.has(runId)) {
    return 'Start a new trace for every replay request: the spans of this one went to a trace that was already complete.';
  }
  if (otherRunIds.size > 0) {
    return 'Take the replay run id from each request, not from the process or the conversation.';
  }
  if (withoutRunId === 0) {
    return 'This trace comes late: flush before the answer, or raise timeouts.trace.';
  }
  return 'Write the request’s replay run id to the metadata of the trace, as a string: SDKs drop values that are not strings, and only what is set before a span starts reaches it.';
}

export function incompleteMessage(missing: readonly string[]): string {
  return missing.length === 0
    ? 'The trace was still changing at the deadline.'
    : 'The trace was incomplete at the deadline.';
}

/** Only a part arrived, or it kept changing. */
export function traceIncomplete(
  runId: string,
  records: readonly TraceRecord[],
  missing: readonly string[],
  lost: ReadonlySet<string>,
): AgentReplayError {
  return new AgentReplayError('TRACE_INCOMPLETE', incompleteMessage(missing), {
    evidence: [
      `searched for: ${runId}`,
      ...listed(missing).map((line) => `missing: ${line}`),
      ...listed([...lost]).map((reason) => `lost: an export that could not be read, ${reason}`),
      ...listed(records.map(nameOf)).map((line) => `came: ${line}`),
    ],
    hint: 'End every span before the answer is sent, and wait until they have left (docs/endpoint.md); raise the trace timeout if the agent traces slowly.',
  });
}

/** Its spans form no tree, so the order of the agent's actions is unknown. */
export function traceBroken(runId: string, faults: readonly string[]): AgentReplayError {
  return new AgentReplayError('TRACE_INVALID', 'The spans of the trace do not form a tree.', {
    evidence: [`searched for: ${runId}`, ...listed(faults)],
    hint: 'Give every turn a trace of its own with one root span, and every other span the id of the span that it is in.',
  });
}

/** A bad trace must not keep others from being judged. */
export function traceUnreadable(runId: string, cause: unknown): AgentReplayError {
  return new AgentReplayError('TRACE_INVALID', 'The trace of this replay cannot be read.', {
    evidence: [
      `searched for: ${runId}`,
      `met: ${cause instanceof Error ? cause.message : 'a value that is no Error was thrown'}`,
    ],
    hint: 'This is a defect of agent-replay: please report it with what the agent traces. Other replays are not touched by it.',
    cause,
  });
}

export function traceLetGo(runId: string): AgentReplayError {
  return new AgentReplayError(
    'TRACE_INCOMPLETE',
    'Part of the trace arrived after the receiver had dropped the rest of it.',
    {
      evidence: [`searched for: ${runId}`],
      hint: 'Export all spans before the answer is sent (docs/endpoint.md), or replay fewer sessions at once.',
    },
  );
}

export function traceTooLarge(runId: string, limits: { spansPerTrace: number; bytes: number }): AgentReplayError {
  return new AgentReplayError(
    'TRACE_TOO_LARGE',
    `The trace is larger than the receiver holds (${limits.spansPerTrace} spans a trace, ${inBytes(limits.bytes)} in all).`,
    { evidence: [`searched for: ${runId}`], hint: 'Look for a loop in the agent, or run fewer replays at once.' },
  );
}

/** What a record is, in words. */
export function nameOf({ observation }: TraceRecord): string {
  return observation === undefined ? 'the trace itself' : `${observation.type} "${short(observation.name)}"`;
}

/** Lines of evidence: each cut, and not too many. */
export function listed(lines: readonly string[]): string[] {
  const rest = lines.length - MAX_LISTED;
  const shown = lines.slice(0, MAX_LISTED).map(short);
  return rest > 0 ? [...shown, `and ${rest} more`] : shown;
}

function short(text: string): string {
  return cut(text, MAX_NAME);
}
