import { z } from 'zod';
import { json } from '../json/index.ts';

/** Variables of the agent's environment: where recorded results of its tools are had, and the token for it. */
export const TOOLS_ENV = { url: 'AGENT_REPLAY_TOOLS_URL', token: 'AGENT_REPLAY_TOOLS_TOKEN' } as const;

/** Of what stands between processes: a call may come without the id of a replay. */
const shared = z.boolean().optional();

/** Names of tools that stand behind a wrapper, told when they are wrapped. */
const wrapped = z.object({ wrapped: z.array(z.string()).max(1_000), shared });

/** A tool is about to be called. The key of the run id is that of the replay request (`svc_replay_run_id`). */
const asked = z.object({
  runId: z.string().optional(),
  name: z.string().min(1).max(500),
  arguments: json,
  call_id: z.string().optional(),
  shared,
});

/** What a tool gave back that was called for real, where the answer had a `ticket`. */
const came = z.object({ runId: z.string().optional(), ticket: z.int(), result: json, shared });

/** What the tools endpoint takes. */
export const toolsRequest = z.union([wrapped, came, asked]);
export type ToolsRequest = z.infer<typeof toolsRequest>;
export type AskedTool = z.infer<typeof asked>;

/** What it answers to a call. Only `live` lets the tool run. */
export const toolAnswer = z.discriminatedUnion('policy', [
  /** One of the two, as it was recorded. */
  z.object({ policy: z.literal('recorded'), result: json.optional(), error: z.string().optional() }),
  /** With a ticket, the result is to be told: later arguments may hold ids from it. */
  z.object({ policy: z.literal('live'), ticket: z.int().optional() }),
  /** The recording does not hold the call, and the replay is over for all tools. */
  z.object({ policy: z.literal('missed'), message: z.string(), nearest: json.optional() }),
  /** Nobody can tell which recording is meant, or what it holds. */
  z.object({ policy: z.literal('refused'), message: z.string() }),
]);
export type ToolAnswer = z.infer<typeof toolAnswer>;
