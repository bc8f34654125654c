import path from 'node:path';
import { type Identifiers, wireNames } from '../../contract/index.ts';
import { AgentReplayError } from '../../errors.ts';
import type { Account } from '../tracing-environment.ts';

/** Where recorded traces are, and what is needed to read them. */
export type Place = LangfusePlace | FilesPlace | CommandPlace;

/** What names a {@link Place} in a configuration. */
type PlaceName = 'platform' | 'files' | 'command';

export interface LangfusePlace extends Account {
  readonly platform?: 'langfuse';
}

/** A command that answers questions about traces: docs/sources.md. */
export interface CommandPlace {
  readonly platform: 'command';
  /** Program and arguments; no shell parses them. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** For one answer; a minute by default. */
  readonly answerMs?: number;
}

/** Files, or folders to search. */
export interface FilesPlace {
  readonly platform: 'files';
  readonly paths: readonly string[];
  /** Whether a path may be a pipe, which is read once when the place is opened. */
  readonly takesPipes?: boolean;
}

/**
 * The place of a configured source.
 * @param options.environment contains host and keys, except for files and a command
 * @param options.files relative to `options.root`, which is also a command's folder
 * @throws AgentReplayError `PLATFORM_NOT_CONFIGURED`
 */
export function placeOf(
  source: PlaceName,
  options: {
    environment: Environment;
    identifiers?: Identifiers;
    files: readonly string[];
    command: readonly string[];
    root: string;
  },
): Place {
  switch (source) {
    case 'platform':
      return platformCredentials(options.environment, options);
    case 'command':
      return { platform: 'command', command: options.command, cwd: options.root };
    case 'files':
      return { platform: 'files', paths: options.files.map((file) => path.resolve(options.root, file)) };
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the tracing platform's host and keys from an environment: `TRACING_*`, or else its own SDKs' names.
 * @throws AgentReplayError `PLATFORM_NOT_CONFIGURED` naming what is missing, without values
 */
export function platformCredentials(
  environment: Environment,
  options: { identifiers?: Identifiers } = {},
): LangfusePlace {
  const { env } = wireNames(options.identifiers);
  const host = firstSet(environment, [env.host, 'LANGFUSE_BASE_URL', 'LANGFUSE_BASEURL', 'LANGFUSE_HOST']);
  const publicKey = firstSet(environment, [env.publicKey, 'LANGFUSE_PUBLIC_KEY']);
  const secretKey = firstSet(environment, [env.secretKey, 'LANGFUSE_SECRET_KEY']);
  if (host === undefined || publicKey === undefined || secretKey === undefined) {
    const missing = [
      ...(host === undefined ? [`${env.host} (or LANGFUSE_BASE_URL)`] : []),
      ...(publicKey === undefined ? [`${env.publicKey} (or LANGFUSE_PUBLIC_KEY)`] : []),
      ...(secretKey === undefined ? [`${env.secretKey} (or LANGFUSE_SECRET_KEY)`] : []),
    ];
    throw new AgentReplayError('PLATFORM_NOT_CONFIGURED', `${missing.join(' and ')} must be set to read traces.`, {
      hint: 'Set what is missing in the environment, in CI as a secret.',
    });
  }
  return { host: checkedUrl(host, env.host), publicKey, secretKey };
}

function firstSet(environment: Environment, names: readonly string[]): string | undefined {
  return names.map((name) => environment[name]?.trim()).find((value) => value !== undefined && value !== '');
}

/** Without a slash at the end, which would make a doubled one that servers redirect, and without query and credentials. */
function checkedUrl(host: string, name: string): string {
  const text = /^https?:\/\//i.test(host) ? host : `https://${host}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') {
    throw new AgentReplayError('PLATFORM_NOT_CONFIGURED', `${name} is not a URL without credentials.`, {
      hint: `Set ${name} to the address of the platform, such as https://tracing.example.com.`,
    });
  }
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}
