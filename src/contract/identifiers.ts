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

export type WireNames = ReturnType<typeof wireNames>;

export function wireNames({ brand, tracing }: Identifiers = identifiers.parse({})) {
  const header = `X-${brand[0]?.toUpperCase()}${brand.slice(1)}`;
  return {
    /** In the request's body, and in the metadata of its trace. */
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
      /** Carries the token of `env`. */
      runToken: `${header}-Run-Token`,
      /** A nonce, or `none`; in the answer the proof that the process was started with the token. */
      start: `${header}-Replay-Start`,
    },
    /** In an answer of 404: why the endpoint is off, `production` or `disabled`. */
    offHeader: `${header}-Replay-Off`,
    /** In the answer: how many spans of the turn were handed to the exporter. */
    spansHeader: `${header}-Trace-Spans`,
    /** Environment variables of the customer's agent. */
    env: {
      publicKey: `${tracing}_PUBLIC_KEY`,
      secretKey: `${tracing}_SECRET_KEY`,
      host: `${tracing}_HOST`,
      agentId: `${brand.toUpperCase()}_AGENT_ID`,
      /** Made for one run. An endpoint that is off accepts calls that carry it. */
      runToken: `${brand.toUpperCase()}_RUN_TOKEN`,
    },
  } as const;
}
