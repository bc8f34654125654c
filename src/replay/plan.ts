import type { TurnRequest } from '../contract/index.ts';
import type { Json } from '../json/index.ts';
import { endedInError, type Recording } from '../trace/index.ts';
import { Conversation } from './conversation.ts';
import type { ReplayOptions } from './options.ts';
import { type PayloadOptions, PreparedRequest } from './payload.ts';
import { providerFailure } from './provider-failure.ts';
import type { ReplayCall } from './replay-call.ts';
import { Take } from './take.ts';

/** What is replayed of one pinned session. */
export interface ReplaySession {
  readonly id: string;
  readonly turns: readonly ReplayTurn[];
  /** How often it is replayed. Default: as all are. */
  readonly runs?: number | undefined;
}

interface ReplayTurn {
  /** From 1, as in the pin. */
  readonly turn: number;
  readonly request: TurnRequest;
  /** Of the original. */
  readonly traceId?: string | undefined;
  /** What was recorded of it: where that ended in an error, a call that fails is behaviour that can be compared. */
  readonly recordings?: readonly Recording[] | undefined;
}

/** One call that is about to be sent. */
export interface PlannedCall extends ReplayCall {
  /** Without the number of the attempt. */
  readonly runId: string;
  readonly take: Take<PlannedCall>;
  /** Of the recorded turn: whether it ended in an error, and in one of the model's provider. */
  readonly endedInError: boolean;
  readonly providerFailed: boolean;
  /** Writes the request; undefined when it needs an answer that there is not. */
  readonly prepare: () => PreparedRequest | undefined;
  /** Called with the answer, or with undefined if there is none. */
  readonly answered: (output: Json | undefined) => void;
  /** The same call as a part of the take that is made in place of `failed`, with a run id of its own. */
  readonly again: (failed: Take<PlannedCall>) => PlannedCall;
}

export interface PlanOptions {
  readonly context: ReplayOptions['context'];
  readonly payload: PayloadOptions;
  /** First part of the session's run ids, its own. */
  readonly uid: string;
}

/** Makes the calls of one session. What is sent is written when its first call is near, and once where it is the same. */
export function planSession(session: ReplaySession, options: PlanOptions): (call: ReplayCall) => PlannedCall {
  const turns = new Map(
    session.turns.map((turn) => {
      const { recordings = [] } = turn;
      const endedIn = {
        endedInError: recordings.some(endedInError),
        providerFailed: recordings.some(({ observations }) => providerFailure(observations) !== undefined),
      };
      return [turn.turn, { turn, endedIn }];
    }),
  );
  const write = ({ traceId }: ReplayTurn, request: TurnRequest): PreparedRequest =>
    new PreparedRequest({ request, originalSessionId: session.id, turnTraceId: traceId }, options.payload);
  const planned = options.context === 'recorded' ? withRecordedContext(write) : inSequence(session, write);
  const plan = (call: ReplayCall, failed?: Take<PlannedCall>): PlannedCall => {
    const { turn, endedIn } = turns.get(call.turn)!;
    const before = failed === undefined ? [] : [...failed.before, failed];
    const runId = `${options.uid}.t${call.turn}.r${call.run}`;
    return {
      ...call,
      ...endedIn,
      runId: before.length === 0 ? runId : `${runId}.p${before.length}`,
      ...planned(turn, call.run, before),
      again: (failed) => plan(call, failed),
    };
  };
  return (call) => plan(call);
}

type Write = (turn: ReplayTurn, request: TurnRequest) => PreparedRequest;
/** @param before the takes that this one is made in place of */
type Planned = (
  turn: ReplayTurn,
  run: number,
  before: readonly Take<PlannedCall>[],
) => Pick<PlannedCall, 'prepare' | 'answered' | 'take'>;

function withRecordedContext(write: Write): Planned {
  const written = new Map<ReplayTurn, PreparedRequest>();
  return (turn, _, before) => ({
    take: new Take(1, before),
    prepare: () => {
      const request = written.get(turn) ?? write(turn, turn.request);
      written.set(turn, request);
      return request;
    },
    answered: () => {},
  });
}

function inSequence({ turns }: ReplaySession, write: Write): Planned {
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
