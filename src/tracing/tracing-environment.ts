import { type Identifiers, wireNames } from '../contract/index.ts';

/** A tracing platform, and the keys of one of its projects. */
export interface Account {
  /** Without a slash at the end. */
  readonly host: string;
  readonly publicKey: string;
  readonly secretKey: string;
}

/** The header that signs what is sent to it. */
export function authorizationOf({ publicKey, secretKey }: Omit<Account, 'host'>): string {
  return `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`;
}

/** The variables from which an agent's own tracing SDK takes host and keys, under the contract's names and the platform's. */
export function tracingEnvironment(
  { url, publicKey, secretKey }: { url: string; publicKey: string; secretKey: string },
  options: { identifiers?: Identifiers } = {},
): Record<string, string> {
  const { env } = wireNames(options.identifiers);
  return {
    [env.publicKey]: publicKey,
    [env.secretKey]: secretKey,
    [env.host]: url,
    LANGFUSE_PUBLIC_KEY: publicKey,
    LANGFUSE_SECRET_KEY: secretKey,
    LANGFUSE_BASE_URL: url,
    // SDK 3 reads only this name; SDK 5 uses it if the other is not set.
    LANGFUSE_BASEURL: url,
    LANGFUSE_HOST: url,
  };
}

export type Environment = Readonly<Record<string, string | undefined>>;

const LANGSMITH_IS_ON = ['LANGSMITH_TRACING', 'LANGSMITH_TRACING_V2', 'LANGCHAIN_TRACING', 'LANGCHAIN_TRACING_V2'];

/**
 * The variables with which LangSmith's SDK sends its runs over OpenTelemetry and nowhere else. Empty for an agent that does
 * not trace to LangSmith, because they would make LangChain begin to. The Python SDK takes the endpoint from
 * `LANGSMITH_ENDPOINT` and signs with `LANGSMITH_API_KEY` (langsmith, _internal/otel/_otel_client.py); the JavaScript SDK
 * reads the variables of OpenTelemetry.
 */
export function langsmithToReceiver(
  { url, secretKey }: { url: string; secretKey: string },
  theirs: Environment,
): Record<string, string> {
  if (!LANGSMITH_IS_ON.some((name) => theirs[name]?.toLowerCase() === 'true')) return {};
  return {
    LANGSMITH_TRACING: 'true',
    LANGSMITH_OTEL_ENABLED: 'true',
    // Without it Python also sends each run to LangSmith.
    LANGSMITH_OTEL_ONLY: 'true',
    LANGSMITH_ENDPOINT: `${url}/api/public`,
    LANGSMITH_API_KEY: secretKey,
  };
}
