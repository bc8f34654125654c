import { withPort } from '../agent/index.ts';
import { Redaction, secretsIn } from '../redaction/index.ts';
import type { Config } from './schema.ts';

/**
 * Everything that this run knows to be secret. None of it may appear in a log, a report or a pin.
 * @param environment of this process, which the agent inherits
 * @param keys made for this run
 */
export function secretsOf(config: Config, environment: NodeJS.ProcessEnv, keys: readonly string[] = []): string[] {
  const agents = [...(config.agent ? [config.agent] : []), ...Object.values(config.agents ?? {})];
  return secretsIn({
    environments: [environment, ...agents.map(({ env }) => env ?? {})],
    named: config.redact.env,
    headers: Object.values(config.headers ?? {}),
    urls: agents.flatMap(({ url }) => (url === undefined ? [] : withPort(url))),
    values: [...config.redact.values, config.tracing.receiver.secretKey ?? '', ...keys],
  });
}

/** Removes what {@link secretsOf} finds for this process from texts. */
export function redactionOf(config: Config, keys: readonly string[] = []): Redaction {
  return new Redaction(secretsOf(config, process.env, keys));
}
