import type { TurnRequest } from '../contract/index.ts';
import type { Json } from '../json/index.ts';
import type { Recording } from '../trace/index.ts';
import { Conversation } from './conversation.ts';
import { type Payload, type PayloadOptions, payloadOf } from './payload.ts';
import type { ReplayCall } from './replay-call.ts';
import type { ReplayOptions } from './replay-options.ts';
import { Take } from './take.ts';

export interface ReplayRequests {
  readonly id: string;
  readonly turns: readonly ReplayTurn[];
  /** Numbers of its runs. Default: 1 up to `runs` of the settings. */
  readonly runs?: readonly number[];
}

interface ReplayTurn {
  /** From 1, as in the pin. */
  readonly turn: number;
  readonly request: TurnRequest;
  /** Of the original's trace. */
  readonly traceId?: string;
  /** If they ended in an error, a failing call is behaviour that can be compared. */
  readonly recordings?: readonly Recording[];
}

export type PayloadOfAttempt = (replayRunId: string) => Payload;

export interface PlannedCall extends ReplayCall {
  /** Run id without the number of the attempt. */
  readonly runId: string;
  readonly take: Take<PlannedCall>;
  readonly recordings: readonly Recording[];
  /** What each attempt sends; undefined if the request needs an answer that does not exist. */
  readonly prepare: () => PayloadOfAttempt | undefined;
  /** Takes the answer, or undefined if there is none. */
  readonly answered: (output: Json | undefined) => void;
  /** The same call, with a run id of its own, in the take that replaces `failed`. */
  readonly again: (failed: Take<PlannedCall>) => PlannedCall;
}

interface PlanOptions {
  readonly context: ReplayOptions['context'];
  readonly payload: PayloadOptions;
  /** First part of the session's run ids, unique to it. */
  readonly uid: string;
}

export function planCalls(session: ReplayRequests, options: PlanOptions): (call: ReplayCall) => PlannedCall {
  const turns = new Map(session.turns.map((turn) => [turn.turn, turn]));
  const write: Write =
    ({ traceId }, request) =>
    (replayRunId) =>
      payloadOf({ request, originalSessionId: session.id, turnTraceId: traceId }, replayRunId, options.payload);
  const planned = options.context === 'recorded' ? withRecordedContext(write) : inSequence(session, write);
  const plan = (call: ReplayCall, failed?: Take<PlannedCall>): PlannedCall => {
    const turn = turns.get(call.turn)!;
    const before = failed === undefined ? [] : [...failed.before, failed];
    const runId = `${options.uid}.t${call.turn}.r${call.run}`;
    return {
      ...call,
      recordings: turn.recordings ?? [],
      runId: before.length === 0 ? runId : `${runId}.p${before.length}`,
      ...planned(turn, call.run, before),
      again: (failed) => plan(call, failed),
    };
  };
  return (call) => plan(call);
}

type Write = (turn: ReplayTurn, request: TurnRequest) => PayloadOfAttempt;
/** @param before takes that this one replaces */
type Planned = (
  turn: ReplayTurn,
  run: number,
  before: readonly Take<PlannedCall>[],
) => Pick<PlannedCall, 'prepare' | 'answered' | 'take'>;

function withRecordedContext(write: Write): Planned {
  return (turn, _, before) => ({
    take: new Take(1, before),
    prepare: () => write(turn, turn.request),
    answered: () => {},
  });
}

function inSequence({ turns }: ReplayRequests, write: Write): Planned {
  const open = new Map<string, { conversation: Conversation; take: Take<PlannedCall> }>();
  return (turn, run, before) => {
    const key = `${run}.${before.length}`;
    const { conversation, take } = open.get(key) ?? {
      conversation: new Conversation(),
      take: new Take(turns.length, before),
    };
    if (turn === turns.at(-1)) open.delete(key);
    else open.set(key, { conversation, take });
    return {
      take,
      prepare: () => {
        const request = conversation.request(turn.request);
        return request && write(turn, request);
      },
      answered: (output) => conversation.answered(output),
    };
  };
}
