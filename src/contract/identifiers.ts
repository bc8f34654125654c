import { z } from 'zod';

/** The brand parts of every identifier on the wire. All other names derive from these two words. */
export const identifiers = z.strictObject({
  brand: z
    .string()
    .regex(/^[a-z][a-z0-9]*$/, 'expected lower-case letters and digits')
    .default('svc')
    .meta({ description: 'Brand part of the identifiers on the wire, in lower case.' }),
  tracing: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, 'expected upper-case letters, digits and _')
    .default('TRACING')
    .meta({ description: "First part of the names of the agent's tracing variables." }),
});
export type Identifiers = z.infer<typeof identifiers>;

/** The names on the wire that derive from {@link Identifiers}. */
export interface WireNames {
  /** Keys of the replay request's body, and of the replay trace's metadata. */
  readonly keys: {
    readonly isReplay: 'is_replay';
    readonly replayRunId: string;
    readonly originalSessionId: string;
    readonly turnTraceId: string;
    readonly includePriorContext: string;
  };
  readonly headers: {
    readonly isReplay: string;
    readonly replayRunId: string;
    readonly originalSessionId: string;
    readonly turnTraceId: string;
    readonly includePriorContext: string;
    /** Carries the token of {@link WireNames.env}. */
    readonly runToken: string;
    /** Carries a nonce, or `none`. In the answer: the proof that the process answering was started with the token. */
    readonly start: string;
  };
  /** In an answer of 404: why the endpoint is off, `production` or `disabled`. */
  readonly offHeader: string;
  /** In the answer: how many spans of the turn were handed to the exporter. */
  readonly spansHeader: string;
  /** Environment variables of the customer's agent. */
  readonly env: {
    readonly publicKey: string;
    readonly secretKey: string;
    readonly host: string;
    readonly agentId: string;
    /** A token made for one run. An endpoint that is off accepts calls that carry it. */
    readonly runToken: string;
  };
}

export function wireNames({ brand, tracing }: Identifiers = identifiers.parse({})): WireNames {
  const header = `X-${brand[0]?.toUpperCase()}${brand.slice(1)}`;
  return {
    keys: {
      isReplay: 'is_replay',
      replayRunId: `${brand}_replay_run_id`,
      originalSessionId: `${brand}_original_session_id`,
      turnTraceId: `${brand}_turn_trace_id`,
      includePriorContext: `${brand}_include_prior_context`,
    },
    headers: {
      isReplay: `${header}-Replay`,
      replayRunId: `${header}-Replay-Run-Id`,
      originalSessionId: `${header}-Original-Session-Id`,
      turnTraceId: `${header}-Turn-Trace-Id`,
      includePriorContext: `${header}-Include-Prior-Context`,
      runToken: `${header}-Run-Token`,
      start: `${header}-Replay-Start`,
    },
    offHeader: `${header}-Replay-Off`,
    spansHeader: `${header}-Trace-Spans`,
    env: {
      publicKey: `${tracing}_PUBLIC_KEY`,
      secretKey: `${tracing}_SECRET_KEY`,
      host: `${tracing}_HOST`,
      agentId: `${brand.toUpperCase()}_AGENT_ID`,
      runToken: `${brand.toUpperCase()}_RUN_TOKEN`,
    },
  };
}
