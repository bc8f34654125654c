import type { IncomingHttpHeaders } from 'node:http';
import type { ModelMessage } from 'ai';
import { z } from 'zod';
import { recordedMessage, toModelMessages } from './messages.ts';

const flag = z.union([z.boolean(), z.stringbool()]);

const replayBody = z
  .object({
    messages: z.array(recordedMessage).min(1).optional(),
    input: z.string().optional(),
    is_replay: flag.optional(),
    svc_replay_run_id: z.string().optional(),
    svc_original_session_id: z.string().optional(),
    svc_turn_trace_id: z.string().optional(),
    svc_include_prior_context: flag.optional(),
  })
  .refine(({ messages, input }) => messages !== undefined || input !== undefined, 'messages or input is required');

/** Metadata of a replay and the headers that may carry it in place of the body. */
const HEADERS = {
  is_replay: 'x-svc-replay',
  svc_replay_run_id: 'x-svc-replay-run-id',
  svc_original_session_id: 'x-svc-original-session-id',
  svc_turn_trace_id: 'x-svc-turn-trace-id',
  svc_include_prior_context: 'x-svc-include-prior-context',
} as const;

export interface Replay {
  readonly messages: readonly ModelMessage[];
  /** The same for every replay of a recorded session, and never that of a real one. */
  readonly sessionId: string;
  /** Goes on the replay's trace. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Reads a replay request. `messages` win over `input`; a recorded `model` is not taken over, nor are system messages:
 * the agent under test brings its own.
 * @throws z.ZodError
 */
export function readReplay(body: unknown, headers: IncomingHttpHeaders): Replay {
  const request = replayBody.parse(body);
  const metadata: Record<string, string> = { is_replay: 'true' };
  for (const [key, header] of Object.entries(HEADERS)) {
    const value = request[key as keyof typeof HEADERS] ?? headers[header];
    if (value !== undefined) metadata[key] = String(value);
  }
  return {
    messages: request.messages ? toModelMessages(request.messages) : [{ role: 'user', content: request.input ?? '' }],
    sessionId: `replay-${metadata.svc_original_session_id ?? 'session'}`,
    metadata,
  };
}
