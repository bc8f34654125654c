import { z } from 'zod';
import { json, jsonObject, recording, turnRequest } from '../contract/index.ts';

/** Version of the pin format. A file with a higher one is never read and never rewritten. */
export const PIN_VERSION = 1;

/** Version of the rules that turn observations into steps; said in a pin so that a reader knows what it was made with. */
export const STEPS_VERSION = 1;

/** One request to the agent and what it did then. */
export const pinnedTurn = z.strictObject({
  /** What is sent again. Absent when the recording holds no user or LLM request: the turn is then not replayable. */
  request: turnRequest.optional(),
  recorded: recording,
  /** Further recordings of the same turn. A replay that behaves as any of them behaves as recorded. */
  baselines: z.array(recording).optional(),
  /** Metadata of the recorded trace that tells where it came from (`run_id`, ...). Never compared. */
  metadata: jsonObject.optional(),
});
export type PinnedTurn = z.infer<typeof pinnedTurn>;

/** A recorded conversation, as stored in `<name>.session.json`. */
export const session = z.strictObject({
  $schema: z.string().optional(),
  version: z.literal(PIN_VERSION),
  stepsVersion: z.int().positive().default(STEPS_VERSION),
  /** The recorded conversation's id on the tracing platform. */
  id: z.string().min(1).max(500),
  /** The agent that a replay runs against; the only one configured when absent. */
  agentId: z.string().min(1).optional(),
  /** What the session is about, for people. */
  title: z.string().optional(),
  /** When the first turn was recorded. */
  recordedAt: z.iso.datetime({ offset: true }).optional(),
  turns: z.array(pinnedTurn).min(1),
  /** Free for the user's own notes; kept, never compared. */
  notes: json.optional(),
});
export type Session = z.infer<typeof session>;
