import { endedInError, type Json, type Recording, type TurnRequest } from '../contract/index.ts';
import { Conversation } from './conversation.ts';
import type { ReplayOptions } from './options.ts';
import { type PayloadOptions, PreparedRequest } from './payload.ts';
import { providerFailure } from './provider-failure.ts';
import type { ReplayCall } from './result.ts';

/** What is replayed of one pinned session. */
export interface ReplaySession {
  readonly id: string;
  readonly turns: readonly ReplayTurn[];
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
  /** Of the recorded turn: whether it ended in an error, and in one of the model's provider. */
  readonly endedInError: boolean;
  readonly providerFailed: boolean;
  /** Writes the request; undefined when it needs an answer that there is not. */
  readonly prepare: () => PreparedRequest | undefined;
  /** Is told the answer, or that there is none. */
  readonly answered: (output: Json | undefined) => void;
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
  return (call) => {
    const { turn, endedIn } = turns.get(call.turn)!;
    return {
      ...call,
      ...endedIn,
      runId: `${options.uid}.t${call.turn}.r${call.run}`,
      ...planned(turn, call.run),
    };
  };
}

type Write = (turn: ReplayTurn, request: TurnRequest) => PreparedRequest;
type Planned = (turn: ReplayTurn, run: number) => Pick<PlannedCall, 'prepare' | 'answered'>;

function withRecordedContext(write: Write): Planned {
  const written = new Map<ReplayTurn, PreparedRequest>();
  return (turn) => ({
    prepare: () => {
      const request = written.get(turn) ?? write(turn, turn.request);
      written.set(turn, request);
      return request;
    },
    answered: () => {},
  });
}

function inSequence({ turns }: ReplaySession, write: Write): Planned {
  const conversations = new Map<number, Conversation>();
  return (turn, run) => {
    const conversation = conversations.get(run) ?? new Conversation();
    if (turn === turns.at(-1)) conversations.delete(run);
    else conversations.set(run, conversation);
    return {
      prepare: () => {
        const request = conversation.request(turn.request);
        return request && write(turn, request);
      },
      answered: (output) => conversation.answered(output),
    };
  };
}
