import { type Identifiers, wireNames } from '../contract/index.ts';

/** The variables by which an agent's own tracing SDK finds its host and keys: the contract's names and the platform's. */
export function tracingEnvironment(
  { url, publicKey, secretKey }: { url: string; publicKey: string; secretKey: string },
  options: { identifiers?: Identifiers | undefined } = {},
): Record<string, string> {
  const { env } = wireNames(options.identifiers);
  return {
    [env.publicKey]: publicKey,
    [env.secretKey]: secretKey,
    [env.host]: url,
    LANGFUSE_PUBLIC_KEY: publicKey,
    LANGFUSE_SECRET_KEY: secretKey,
    LANGFUSE_BASE_URL: url,
    // The only name that the SDK 3 reads; the SDK 5 takes it when the other is not set.
    LANGFUSE_BASEURL: url,
    LANGFUSE_HOST: url,
  };
}

/** What an agent's environment says by itself. */
export type Environment = Readonly<Record<string, string | undefined>>;

const LANGSMITH_IS_ON = ['LANGSMITH_TRACING', 'LANGSMITH_TRACING_V2', 'LANGCHAIN_TRACING', 'LANGCHAIN_TRACING_V2'];

/**
 * The variables with which LangSmith's SDK sends its runs over OpenTelemetry, and nowhere else: empty for an agent that does
 * not trace to LangSmith, because LangChain would begin to. The one for Python takes the endpoint from `LANGSMITH_ENDPOINT`
 * and signs with `LANGSMITH_API_KEY` (langsmith, _internal/otel/_otel_client.py); the one for JavaScript reads the variables
 * of OpenTelemetry.
 */
export function langsmithToReceiver(
  { url, secretKey }: { url: string; secretKey: string },
  theirs: Environment,
): Record<string, string> {
  if (!LANGSMITH_IS_ON.some((name) => theirs[name]?.toLowerCase() === 'true')) return {};
  return {
    LANGSMITH_TRACING: 'true',
    LANGSMITH_OTEL_ENABLED: 'true',
    // Without it Python sends each run to LangSmith as well.
    LANGSMITH_OTEL_ONLY: 'true',
    LANGSMITH_ENDPOINT: `${url}/api/public`,
    LANGSMITH_API_KEY: secretKey,
  };
}
