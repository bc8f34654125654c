import type { Change } from '../mutants/mutate.ts';

/** A mend that can be taken out: then the simulation must find what it mends. */
export interface Mend {
  readonly name: string;
  /** In files relative to `src/`, declarations and what is changed in them. */
  readonly changes: readonly (readonly [file: string, of: string, change: Change])[];
}

const NEVER = String(10 ** 9);
const QUIET = 'tracing/waiting/quiet.ts';
const SERVER = 'tracing/receiver/server.ts';
const PROXY = 'proxy/server-tools.ts';
const arrivesIn5Minutes = ['http/serve.ts', 'ARRIVAL_MS', { is: '300_000' }] as const;

export const MENDS: readonly Mend[] = [
  // One unfinished request stopped a run for 304 s.
  {
    name: 'a request that never ends holds the run only for a while',
    changes: [arrivesIn5Minutes, [QUIET, 'Quiet.after', { reads: 'settleMs', give: NEVER }]],
  },
  {
    name: 'routes that take no key read nothing',
    changes: [
      arrivesIn5Minutes,
      [QUIET, 'Quiet.after', { reads: 'settleMs', give: NEVER }],
      [SERVER, 'answer', { reads: 'isUnread', give: 'false' }],
      [SERVER, 'answer', { reads: 'isAuthorized', give: 'true' }],
    ],
  },
  // No wait without a deadline.
  {
    name: 'a call has a deadline',
    changes: [['replay/call.ts', 'Call.constructor', { calls: 'setTimeout', argument: 1, is: NEVER }]],
  },
  {
    name: 'a trace has a deadline',
    changes: [
      ['replay/trace-watch.ts', 'TraceWatch.complete', { calls: 'setTimeout', argument: 1, is: NEVER }],
      [QUIET, 'Quiet.after', { reads: 'settleMs', give: NEVER }],
    ],
  },
  {
    name: 'all replays together have a deadline',
    changes: [['replay/deadline.ts', 'Deadline.start', { calls: 'setTimeout', argument: 1, is: NEVER }]],
  },
  {
    name: 'readiness has a deadline',
    changes: [['agent/start.ts', 'untilReady', { calls: 'endingIn', argument: 0, is: NEVER }]],
  },
  {
    name: 'forwarding ends with the run',
    changes: [['tracing/forward/forwarder.ts', 'Forwarder.close', { calls: 'within', argument: 0, is: NEVER }]],
  },
  // The proxy keeps order.
  { name: 'a cancellation waits for its call', changes: [[PROXY, 'ServerTools.isForwarded', { returns: 'true' }]] },
  { name: 'open calls end with their server', changes: [[PROXY, 'Exchange.end', { returns: '[]' }]] },
  {
    name: 'an answered call is open no longer',
    changes: [[PROXY, 'Exchange.#hear', { calls: 'delete', give: 'undefined' }]],
  },
];
