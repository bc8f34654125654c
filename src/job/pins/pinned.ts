import { type Config, redactionOf } from '../../config/index.ts';
import { missingMetadata } from '../../contract/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { redactSession, type Session, type sessionsFromTraces } from '../../session/index.ts';
import { counted } from '../../text/index.ts';
import { splitError, type Trace, unreadError } from '../../trace/index.ts';

/** A session ready to pin, and what users should know about it. */
export interface PinningResult extends ReturnType<typeof redactSession> {
  /** Number of turns whose trace lacks a key of the contract, by key. */
  readonly gaps: ReadonlyMap<string, number>;
  /** `TRACE_ORDER_UNKNOWN` for each turn with an uncertain request; `TRACE_UNREAD`; `TRACE_SPLIT`. */
  readonly warnings: readonly AgentReplayError[];
  /** How requests were derived, if that is not obvious. */
  readonly notes: readonly string[];
}

/** Uncertainties about requests, over several sessions, and the traces that these were made from. */
export type Doubts = Pick<ReturnType<typeof sessionsFromTraces>, 'unsure' | 'notes' | 'traces'>;

/**
 * Redacts a session and collects what users should know about it.
 */
export function pinnedSession(recorded: Session, { unsure, notes, traces }: Doubts, config: Config): PinningResult {
  const { text: known } = redactionOf(config);
  const own = traces.filter(({ id }) => recorded.turns.some((turn) => turn.recorded.traceId === id));
  return {
    ...redactSession(recorded, { ...config.redact, known }),
    gaps: gapsIn(own),
    warnings: [...warningsOn(recorded, unsure), ...faultsIn(own, config)],
    notes: notesOn(recorded, notes),
  };
}

/** By turn, for turns in the session. */
function notesOn({ turns }: Session, notes: Doubts['notes']): string[] {
  return turns.flatMap(({ recorded }, index) =>
    notes.filter(({ traceId }) => traceId === recorded.traceId).map(({ text }) => `turn ${index + 1}: ${text}`),
  );
}

function gapsIn(traces: readonly Trace[]): Map<string, number> {
  const gaps = new Map<string, number>();
  for (const key of traces.flatMap(missingMetadata)) gaps.set(key, (gaps.get(key) ?? 0) + 1);
  return gaps;
}

function warningsOn({ turns }: Session, unsure: Doubts['unsure']): AgentReplayError[] {
  return turns.flatMap(({ recorded }, index) => {
    const doubt = unsure.find(({ traceId }) => traceId === recorded.traceId);
    if (doubt === undefined) return [];
    const [taken, ...others] = doubt.generations.map(
      ({ name, messages }) => `"${name}" (${counted(messages, 'message')})`,
    );
    return new AgentReplayError(
      'TRACE_ORDER_UNKNOWN',
      `The order of the first model calls of turn ${index + 1} is not known, so its request may be wrong.`,
      {
        evidence: [
          `trace ${doubt.traceId}: ${doubt.generations.length} model calls start at ${doubt.startTime}`,
          `taken: ${taken}; not taken: ${others.join(', ')}`,
        ],
        hint: `Check turns[${index}].request in the pin. Where tool calls carry their ids, or messages accumulate, the order is known.`,
      },
    );
  });
}

function faultsIn(traces: readonly Trace[], { tracing, language }: Config): AgentReplayError[] {
  const unread = (['value', 'content'] as const).map((degree) => unreadError(traces, degree, tracing.acknowledge));
  return [...unread, splitError(traces, language)].filter((each) => each !== undefined);
}
