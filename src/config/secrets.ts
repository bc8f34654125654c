import { agentEnvironment, withPort } from '../agent/index.ts';
import { Redaction, sealAgainst, secretsIn } from '../redaction/index.ts';
import type { Config } from './schema.ts';

/**
 * None of it may appear in a log, a report or a pin.
 * @param environment of this process, which the agent inherits
 * @param keys made for this run
 */
export function secretsOf(config: Config, environment: NodeJS.ProcessEnv, keys: readonly string[] = []): string[] {
  const agents = agentsOf(config);
  return secretsIn({
    environments: [environment, ...agents.map(({ env }) => env ?? {})],
    named: config.redact.env,
    headers: Object.values(config.headers ?? {}),
    urls: agents.flatMap(({ url, wait }) =>
      [url, wait?.url].flatMap((each) => (each === undefined ? [] : withPort(each))),
    ),
    values: [...config.redact.values, config.tracing.receiver.secretKey ?? '', ...keys],
  });
}

/** Also seals all that leaves this process against them. */
export function redactionOf(config: Config, keys: readonly string[] = []): Redaction {
  sealAgainst(secretsOf(config, process.env));
  return new Redaction(secretsOf(config, process.env, keys));
}

/** Of started agents, masked as {@link secretsOf} does. */
export function variablesOf(
  config: Config,
  environment: NodeJS.ProcessEnv,
): { readonly name: string; readonly isMasked: boolean }[] {
  const started = agentsOf(config).filter(({ command }) => command !== undefined);
  const given = new Map(started.flatMap(({ env }) => Object.entries(agentEnvironment(environment, env))));
  return [...given]
    .map(([name, value]) => {
      const secrets = secretsIn({ environments: [{ [name]: value }], named: config.redact.env });
      return { name, isMasked: secrets.length > 0 };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function agentsOf({ agent, agents = {} }: Config) {
  return [...(agent ? [agent] : []), ...Object.values(agents)];
}
