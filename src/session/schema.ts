import { z } from 'zod';
import { turnRequest } from '../contract/index.ts';
import { json, jsonObject } from '../json/index.ts';
import { pattern } from '../pattern.ts';
import { recording } from '../trace/index.ts';

/** Version of the pin format with every list whole. */
export const PIN_VERSION = 1;

/**
 * Version of large pins, in which lists refer to earlier ones (`fold.ts`). Files of a higher version are never read or
 * rewritten.
 */
export const FOLDED_VERSION = 2;

/** Version of the rules that turn observations into steps, so that a reader knows how a pin was made. */
export const STEPS_VERSION = 1;

/** The origin of a recording that a run of the agent made. */
const made = z.strictObject({
  at: z.iso.datetime({ offset: true }).meta({ description: 'When the run that made it began, ISO 8601.' }),
  run: z.int().positive().meta({ description: 'Its number in that run: equal numbers were made in one pass.' }),
  commit: z.string().optional().meta({ description: 'Of the project, where it is known.' }),
  models: z.array(z.string()).optional().meta({ description: 'Models that its trace names.' }),
});

/** What the agent did another time. */
const furtherRecording = recording.extend({
  made: made.optional().meta({
    description: 'Present when a run made it. Only such recordings say how the agent varies (gate: shift).',
  }),
});
export type FurtherRecording = z.infer<typeof furtherRecording>;

/** One request to the agent, and what it did then. */
const pinnedTurn = z.strictObject({
  request: turnRequest.optional().meta({
    description: 'What is sent again. Absent when the turn holds no message of a user: it is then not replayable.',
  }),
  recorded: recording.meta({ description: 'What the agent did when it was recorded.' }),
  baselines: z.array(furtherRecording).optional().meta({
    description: 'Further recordings of the same turn. A replay that behaves as any of them behaves as recorded.',
  }),
  metadata: jsonObject
    .optional()
    .meta({ description: 'Where the recording came from (`run_id`, ...). Never compared.' }),
});
export type PinnedTurn = z.infer<typeof pinnedTurn>;

/** A recorded conversation, as stored in `<name>.session.json`. */
export const session = z.strictObject({
  $schema: z.string().optional(),
  version: z.literal([PIN_VERSION, FOLDED_VERSION]).meta({
    description: 'Version of the pin format; 2 where lists refer to earlier ones, as large pins do.',
  }),
  stepsVersion: z.int().positive().default(STEPS_VERSION).meta({
    description: 'Version of the rules that turn observations into steps.',
  }),
  id: z.string().min(1).max(500).meta({ description: "The recorded conversation's id on the tracing platform." }),
  agentId: z.string().min(1).optional().meta({
    description: 'The agent that a replay runs against. When absent, the only one that is configured.',
  }),
  title: z.string().optional().meta({ description: 'What the session is about, for people.' }),
  recordedAt: z.iso
    .datetime({ offset: true })
    .optional()
    .meta({ description: 'When the first turn was recorded, ISO 8601.' }),
  redacted: z
    .strictObject({ personal: z.boolean(), request: z.boolean(), patterns: z.array(pattern).optional() })
    .optional()
    .meta({
      description: 'What was redacted when this was pinned; replays are redacted alike before they are compared.',
    }),
  turns: z.array(pinnedTurn).min(1),
  notes: json.optional().meta({ description: "Free for the user's own notes; kept, never compared." }),
});
export type Session = z.infer<typeof session>;

/** Whether a turn can be sent again, and if not, why. */
export type TurnStatus = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export function replayable({ request }: PinnedTurn): TurnStatus {
  if (request === undefined) return { ok: false, reason: 'it holds no message of a user' };
  if (request.messages === undefined && request.input?.trim() === '') {
    return { ok: false, reason: 'the recorded user message is empty' };
  }
  return { ok: true };
}
