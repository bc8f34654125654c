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
