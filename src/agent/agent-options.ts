import { z } from 'zod';
import { withPort } from './port.ts';

const DEFAULT_TIMEOUT_MS = 60_000;
/** Long enough for a server to finish its answers, and shorter than the grace of a cancelled CI job. */
const DEFAULT_GRACE_MS = 5_000;

const milliseconds = z.int('expected a whole number of milliseconds').positive('expected more than 0 milliseconds');
const url = z.url({ protocol: /^https?$/, error: 'expected an http or https URL' });
/** Any port serves to check the rest of the URL. */
const httpUrl = z
  .string('expected an http or https URL')
  .refine((text) => url.safeParse(withPort(text)).success, 'expected an http or https URL');

const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });

/** Options that Playwright's `webServer` has are named as there. */
export const agentOptions = z.strictObject({
  id: described(z.string().min(1).optional(), "Becomes SVC_AGENT_ID in the agent's environment."),
  command: described(
    z.string().optional(),
    'Shell command that starts the agent. Leave it out for an agent that already runs: it is then neither started nor stopped.',
  ),
  url: described(
    httpUrl.optional(),
    'The target URL: the replay endpoint. `{port}` in it stands for a free port, which the agent is told in `PORT`. Credentials in it are sent, and never shown.',
  ),
  external: described(
    z.boolean().default(false),
    'Set this if the command hands the port to a process that it did not start, such as a container daemon: then any process that answers on the port counts as the agent.',
  ),
  install: described(
    z.string().min(1).optional(),
    'Shell command that prepares a fresh checkout of the base, such as npm ci. It runs in the root of the checkout.',
  ),
  baseFiles: described(
    z.array(z.string().min(1)).default([]),
    'Files and folders that the base needs and git does not track, such as .env: they are copied from the root into its checkout.',
  ),
  cwd: described(z.string().min(1).optional(), 'Folder that the command runs in; the root by default.'),
  env: described(
    z.record(z.string(), z.string()).optional(),
    "Variables of the agent's environment; they win over all others.",
  ),
  timeout: described(
    milliseconds.default(DEFAULT_TIMEOUT_MS),
    'How long the agent may take to become ready, in milliseconds.',
  ),
  gracefulShutdown: z
    .strictObject({
      signal: described(z.enum(['SIGTERM', 'SIGINT']).default('SIGTERM'), 'The signal that asks the agent to stop.'),
      timeout: described(milliseconds.default(DEFAULT_GRACE_MS), 'Milliseconds between that signal and SIGKILL.'),
    })
    .prefault({}),
  stdout: described(
    z.enum(['pipe', 'ignore']).default('ignore'),
    "How the agent's standard output is shown; its last lines are kept for error messages in any case.",
  ),
  stderr: described(z.enum(['pipe', 'ignore']).default('pipe'), "How the agent's standard error is shown."),
  /** When it is ready. Default: the agent's origin answers with any status but 5xx. */
  wait: z
    .strictObject({
      url: described(
        httpUrl.optional(),
        'Page that answers once the agent is ready; the origin of the target by default.',
      ),
      status: described(
        z.array(z.int().min(100).max(599)).nonempty().optional(),
        'Statuses that mean ready; any but 5xx by default.',
      ),
    })
    .optional(),
  watch: described(z.array(z.string().min(1)).optional(), "Globs of the agent's own files, for watch mode."),
});
export type AgentOptions = z.infer<typeof agentOptions>;
