import { readFileSync } from 'node:fs';
import { z } from 'zod';

const environment = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(4310),
  MODEL_BASE_URL: z.url(),
  MODEL: z.string().default('support-1'),
  MODEL_API_KEY: z.string().optional(),
  TEMPERATURE: z.coerce.number().min(0).max(2).default(0),
  SYSTEM_PROMPT_FILE: z.string().default(`${import.meta.dirname}/prompts/system.md`),
  SVC_AGENT_ID: z.string().default('support'),
  TRACING_PUBLIC_KEY: z.string().optional(),
  TRACING_SECRET_KEY: z.string().optional(),
  TRACING_HOST: z.url().optional(),
});

/** What the operator decides, read once from the environment. */
export const settings = read(process.env);

/** The rules that the model works by. */
export const systemPrompt = readFileSync(settings.SYSTEM_PROMPT_FILE, 'utf8').trim();

function read(env: NodeJS.ProcessEnv): z.infer<typeof environment> {
  const { data, error } = environment.safeParse(env);
  if (data !== undefined) return data;
  console.error(`The agent's environment is not complete:\n${z.prettifyError(error)}`);
  process.exit(1);
}
