import { z } from 'zod';

const DEFAULT_TIMEOUT_MS = 60_000;
/** Long enough for a server to finish what it is answering, short enough for the grace that CI gives a cancelled job. */
const DEFAULT_GRACE_MS = 5_000;

const milliseconds = z.int('a whole number of milliseconds').positive('more than 0 milliseconds');
const httpUrl = z.url({ protocol: /^https?$/, error: 'an http or https URL' });
const pattern = z.union([z.instanceof(RegExp), z.string().refine(compiles, 'a regular expression')], {
  error: 'a regular expression',
});

/** How the customer's agent is started, awaited and ended. Options that Playwright's `webServer` has too are named as there. */
export const agentOptions = z.strictObject({
  /** Becomes `SVC_AGENT_ID` in the agent's environment. */
  id: z.string().min(1).optional(),
  /** A shell command. Without it the agent already runs elsewhere, and is neither started nor ended. */
  command: z.string().optional(),
  /** The target URL: the replay endpoint. Credentials in it are sent, and never shown. */
  url: httpUrl.optional(),
  /** Where the command runs; the current directory when absent. */
  cwd: z.string().min(1).optional(),
  /** Wins over every other source of the agent's environment. */
  env: z.record(z.string(), z.string()).optional(),
  /** How long the agent may take to become ready, in milliseconds. */
  timeout: milliseconds.default(DEFAULT_TIMEOUT_MS),
  /** Uses the server that already answers on the port, instead of refusing to start. */
  reuseExistingServer: z.boolean().default(false),
  /** The first signal, and the milliseconds until SIGKILL follows it. */
  gracefulShutdown: z
    .strictObject({
      signal: z.enum(['SIGTERM', 'SIGINT']).default('SIGTERM'),
      timeout: milliseconds.default(DEFAULT_GRACE_MS),
    })
    .prefault({}),
  /** `ignore` keeps a stream out of the log; it is read, and its last lines are kept for messages, all the same. */
  stdout: z.enum(['pipe', 'ignore']).default('ignore'),
  stderr: z.enum(['pipe', 'ignore']).default('pipe'),
  /** What makes the agent ready; all that is given must hold. By default its origin answers with any status but 5xx. */
  wait: z
    .strictObject({
      url: httpUrl.optional(),
      status: z.array(z.int().min(100).max(599)).nonempty().optional(),
      stdout: pattern.optional(),
      stderr: pattern.optional(),
    })
    .optional(),
  /** Globs of the agent's own files, for watch mode. */
  watch: z.array(z.string().min(1)).optional(),
});
export type AgentOptions = z.infer<typeof agentOptions>;

function compiles(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}
