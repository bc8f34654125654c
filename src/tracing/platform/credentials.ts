import { type Identifiers, wireNames } from '../../contract/index.ts';
import { AgentReplayError } from '../../errors.ts';

/** Where the tracing platform is, and the keys of one project there. */
export interface Credentials {
  /** Without a slash at the end. */
  readonly host: string;
  readonly publicKey: string;
  readonly secretKey: string;
}

/**
 * Reads host and keys from an environment: `TRACING_*`, or else the names of the platform's own SDKs.
 * @throws AgentReplayError `PLATFORM_NOT_CONFIGURED` naming what is missing; no value is shown
 */
export function platformCredentials(
  environment: Readonly<Record<string, string | undefined>>,
  options: { identifiers?: Identifiers | undefined } = {},
): Credentials {
  const { env } = wireNames(options.identifiers);
  const names = {
    host: [env.host, 'LANGFUSE_BASE_URL', 'LANGFUSE_BASEURL', 'LANGFUSE_HOST'],
    publicKey: [env.publicKey, 'LANGFUSE_PUBLIC_KEY'],
    secretKey: [env.secretKey, 'LANGFUSE_SECRET_KEY'],
  };
  const [host, publicKey, secretKey] = [names.host, names.publicKey, names.secretKey].map((among) =>
    among.map((name) => environment[name]?.trim()).find((value) => value !== undefined && value !== ''),
  );
  if (host === undefined || publicKey === undefined || secretKey === undefined) {
    const missing = [
      ...(host === undefined ? [names.host[0]] : []),
      ...(publicKey === undefined ? [names.publicKey[0]] : []),
      ...(secretKey === undefined ? [names.secretKey[0]] : []),
    ];
    throw new AgentReplayError('PLATFORM_NOT_CONFIGURED', `${missing.join(' and ')} must be set to read traces.`, {
      hint: 'Set them in the environment (in CI as secrets), or the LANGFUSE_* variables of the same meaning.',
    });
  }
  return { host: platformUrl(host, env.host), publicKey, secretKey };
}

/** Without slash, query and credentials. A slash at the end would make the doubled one that servers redirect. */
function platformUrl(host: string, name: string): string {
  const text = /^https?:\/\//i.test(host) ? host : `https://${host}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') {
    throw new AgentReplayError('PLATFORM_NOT_CONFIGURED', `${name} is not a URL without credentials.`, {
      hint: `Set ${name} to the address of the platform, such as https://tracing.example.com.`,
    });
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
