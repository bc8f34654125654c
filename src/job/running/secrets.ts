import { withPort } from '../../agent/index.ts';
import type { Config } from '../../config/index.ts';
import { MIN_SECRET_CHARS } from '../../contract/index.ts';
import { secretsRedactor } from '../../report/index.ts';
import { redactor } from '../../session/index.ts';
import { secretsInEnvironment, secretsInUrl, withoutScheme } from './environment-secrets.ts';

/**
 * Everything that this run knows to be secret: none of it may stand in a log, a report or a pin.
 * @param environment of this process, which the agent inherits
 * @param keys made for the run
 */
export function secretsOf(config: Config, environment: NodeJS.ProcessEnv, keys: readonly string[] = []): string[] {
  const agents = [...(config.agent ? [config.agent] : []), ...Object.values(config.agents ?? {})];
  const candidates = [
    ...[environment, ...agents.map(({ env }) => env ?? {})].flatMap((each) =>
      secretsInEnvironment(each, config.redact.env),
    ),
    ...config.redact.values,
    ...Object.values(config.headers ?? {}).flatMap(withoutScheme),
    ...agents.flatMap(({ url }) => (url === undefined ? [] : secretsInTarget(withPort(url)))),
    config.tracing.receiver.secretKey,
    ...keys,
  ];
  return [
    ...new Set(candidates.filter((value) => value !== undefined && value.length >= MIN_SECRET_CHARS)),
  ] as string[];
}

/** Who calls the agent is told nobody either. */
function secretsInTarget(url: string): string[] {
  return [...secretsInUrl(url), new URL(url).username];
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

  /** The same for what is shown at once and goes through nothing else: what has the shape of a key is taken out, too. */
  readonly line = (line: string): string => byShape(this.#redact(line)) as string;
}

const byShape = redactor({ personal: false });
