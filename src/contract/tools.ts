import { z } from 'zod';
import { type Json, json } from '../json/index.ts';

/** Of the agent: where it gets recorded tool results, and the token for that. */
export const TOOLS_ENV = { url: 'AGENT_REPLAY_TOOLS_URL', token: 'AGENT_REPLAY_TOOLS_TOKEN' } as const;

/** Set by a process that serves several replays, such as an MCP proxy: its calls may carry no replay id. */
const shared = z.boolean().optional();

/** Names of wrapped tools, sent when they are wrapped. */
const wrapped = z.object({ wrapped: z.array(z.string()).max(1_000), shared });

/** A tool is about to be called. The key of the run id is that of the replay request (`svc_replay_run_id`). */
const asked = z.object({
  runId: z.string().optional(),
  name: z.string().min(1).max(500),
  arguments: json,
  call_id: z.string().optional(),
  shared,
});

/** What a tool returned that ran for real, if the answer had a `ticket`. */
const came = z.object({ runId: z.string().optional(), ticket: z.int(), result: json, shared });

export const toolsRequest = z.union([wrapped, came, asked]);
export type ToolsRequest = z.infer<typeof toolsRequest>;
export type AskedTool = z.infer<typeof asked>;

/** Only `live` lets the tool run. */
export type ToolAnswer =
  /** One of the two, as it was recorded. */
  | { policy: 'recorded'; result?: Json | undefined; error?: string | undefined }
  /** With a ticket, the caller must report the result: later arguments may hold ids from it. */
  | { policy: 'live'; ticket?: number | undefined }
  /** The recording does not hold the call. No tool of this replay runs any more. */
  | { policy: 'missed'; message: string; nearest?: Json | undefined }
  /** Nobody can tell which recording applies, or what it holds. */
  | { policy: 'refused'; message: string };
