import { AgentReplayError } from '../../errors.ts';
import type { TraceRecord } from '../mapping/trace-record.ts';
import { incompleteMessage, listed, nameOf } from '../waiting/trace-errors.ts';
import type { ReadApi, Sighting } from './api.ts';

export interface Search {
  readonly runId: string;
  readonly since: string;
  readonly polls: number;
  readonly host: string;
  readonly api: ReadApi['name'];
  readonly lastFailure: AgentReplayError | undefined;
  /** Other run ids of the same job. */
  readonly otherRunIds: readonly string[];
}

export function missingOnPlatform(search: Search): AgentReplayError {
  const { host, api, lastFailure, otherRunIds } = search;
  return new AgentReplayError(
    'TRACE_MISSING',
    `No trace with the replay run id of the request was visible on ${host} at the deadline.`,
    {
      evidence: [
        ...searched(search),
        ...(otherRunIds.length > 0 ? [`other run ids seen: ${listed(otherRunIds).join(', ')}`] : []),
      ],
      hint:
        lastFailure?.hint ??
        (otherRunIds.length > 0
          ? 'Take the replay run id from each request, not from the process or the conversation.'
          : `Check that the agent traces to the project of these keys; \`npx agent-replay doctor\` checks its traces. ${olderSdk(api)}`),
    },
  );
}

function olderSdk(api: ReadApi['name']): string {
  return api === 'observations'
    ? 'This server refuses what SDKs before OpenTelemetry send (langfuse 3 of JavaScript, 2 of Python), with errors inside a 207 that they do not show: update the SDK.'
    : 'SDKs before OpenTelemetry can take minutes to become visible.';
}

/** The trace is unknown: the server's limit allowed no read of it before the deadline. */
export function unreadOnPlatform(
  search: Search,
  sightings: readonly Sighting[],
  { perMinute, delayedMs }: { readonly perMinute: number | undefined; readonly delayedMs: number },
): AgentReplayError {
  const limit = perMinute === undefined ? 'asked to wait' : `allows ${perMinute} reads a minute`;
  return new AgentReplayError(
    'PLATFORM_RATE_LIMITED',
    `The trace was not read before the deadline: the tracing platform ${limit}.`,
    {
      evidence: [
        ...searched(search),
        ...listed(sightings.map(({ traceId }) => traceId)).map((id) => `trace: ${id}, there but not read`),
        `reads waited ${Math.ceil(delayedMs / 1_000)} s for the limit`,
      ],
      hint: 'Raise timeouts.trace, make fewer calls at once (workers), or use tracing: embedded, which has no limits.',
    },
  );
}

export function incompleteOnPlatform(
  search: Search,
  traceIds: readonly string[],
  records: readonly TraceRecord[],
  missing: readonly string[],
): AgentReplayError {
  return new AgentReplayError('TRACE_INCOMPLETE', incompleteMessage(missing), {
    evidence: [
      ...searched(search),
      ...runIdsOf(traceIds, records),
      ...listed(missing).map((line) => `missing: ${line}`),
    ],
    hint: 'End every span before the answer is sent, or flush before it; raise the trace timeout if the platform is slow.',
  });
}

export function unstableOnPlatform(
  search: Search,
  traceIds: readonly string[],
  records: readonly TraceRecord[],
  changes: number,
): AgentReplayError {
  return new AgentReplayError('TRACE_UNSTABLE', 'The trace differed from read to read.', {
    evidence: [
      ...searched(search),
      ...runIdsOf(traceIds, records),
      changes > 0 ? `changed ${changes} times after it was complete` : 'some of its observations are there twice',
    ],
    hint: 'An observation was probably sent more than once with different content: look for an export that is retried after a change. Platforms merge such copies after minutes; run again, or use tracing: embedded.',
  });
}

function searched({ runId, since, polls, host, api, lastFailure }: Search): string[] {
  return [
    `searched for: ${runId}, in ${api} of ${host} since ${since}, ${polls} times`,
    ...(lastFailure === undefined ? [] : [`last failure: ${lastFailure.message}`, ...lastFailure.evidence]),
  ];
}

function runIdsOf(traceIds: readonly string[], records: readonly TraceRecord[]): string[] {
  return [
    ...listed(traceIds).map((id) => `trace: ${id}`),
    ...listed(records.map(nameOf)).map((line) => `came: ${line}`),
  ];
}
