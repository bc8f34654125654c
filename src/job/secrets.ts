import { withPort } from '../agent/index.ts';
import type { Config } from '../config/index.ts';
import { MIN_SECRET_CHARS } from '../contract/index.ts';
import { secretsRedactor } from '../report/index.ts';

/** Names under which an environment holds what must not be shown. */
const SECRET_NAME = /(_|^)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)$|SECRET|PASSWORD/i;

/**
 * Everything that this run knows to be secret: none of it may stand in a log or a report.
 * @param environment of this process, which the agent inherits
 * @param keys made for the run
 */
export function secretsOf(config: Config, environment: NodeJS.ProcessEnv, keys: readonly string[] = []): string[] {
  const agents = [...(config.agent ? [config.agent] : []), ...Object.values(config.agents ?? {})];
  const named = [environment, ...agents.map(({ env }) => env ?? {})].flatMap((env) =>
    Object.entries(env).flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : [])),
  );
  const candidates = [
    ...named,
    ...Object.values(config.headers ?? {}).flatMap((value) => [value, value.replace(/^(Basic|Bearer)\s+/i, '')]),
    ...agents.flatMap(({ url }) => (url === undefined ? [] : credentialsIn(url))),
    config.tracing.receiver.secretKey,
    ...keys,
  ];
  return [
    ...new Set(candidates.filter((value) => value !== undefined && value.length >= MIN_SECRET_CHARS)),
  ] as string[];
}

/** Takes out of texts what a run knows to be secret. What comes up on the way is added. */
export class Redaction {
  readonly #secrets: string[];
  #redact: (text: string) => string;

  constructor(secrets: readonly string[]) {
    this.#secrets = [...secrets];
    this.#redact = secretsRedactor(this.#secrets);
  }

  add(secret: string): void {
    this.#secrets.push(secret);
    this.#redact = secretsRedactor(this.#secrets);
  }

  /** Can be handed on as it is. */
  readonly text = (text: string): string => this.#redact(text);
}

/** Of a URL with credentials or a key in its query: as they are written and as they are meant. */
function credentialsIn(url: string): string[] {
  const { username, password, searchParams } = new URL(withPort(url));
  const keys = [...searchParams].flatMap(([name, value]) =>
    SECRET_NAME.test(name) ? [value, encodeURIComponent(value)] : [],
  );
  return [...[username, password].flatMap((part) => [part, decoded(part)]), ...keys];
}

/** A percent sign that escapes nothing stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
