import { withPort } from '../agent/index.ts';
import { Redaction, secretsIn } from '../redaction/index.ts';
import type { Config } from './schema.ts';

/**
 * Everything that this run knows to be secret: none of it may stand in a log, a report or a pin.
 * @param environment of this process, which the agent inherits
 * @param keys made for the run
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

/** Takes out of texts what {@link secretsOf} this process names. */
export function redactionOf(config: Config, keys: readonly string[] = []): Redaction {
  return new Redaction(secretsOf(config, process.env, keys));
}
