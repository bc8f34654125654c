import { agentEnvironment, withPort } from '../agent/index.ts';
import { isWord, Redaction, sealAgainst, secretsIn } from '../redaction/index.ts';
import type { Config } from './schema.ts';

/**
 * Everything that this run knows to be secret. None of it may appear in a log, a report or a pin.
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

/** Removes what {@link secretsOf} finds for this process from texts, and seals all that leaves it against the same. */
export function redactionOf(config: Config, keys: readonly string[] = []): Redaction {
  sealAgainst(secretsOf(config, process.env));
  return new Redaction(secretsOf(config, process.env, keys));
}

/** A log in which shorter values or these words are masked cannot be read. */
export function canMask(value: string): boolean {
  return value.trim().length >= 4 && !/^(true|false|none|null)$/i.test(value.trim());
}

// By their last word: where an agent listens and looks, how much it logs, and what the comparison must show.
const SETTING = /(^|_)(PORT|HOST|URL|FILE|PATH|DIR|ENV|LEVEL|DEBUG|MODEL|PROMPT)$/i;

/** Variables in `agent.env` that the action masks, whatever their names and values say: all but settings. */
export function declaredIn(config: Config): [name: string, value: string][] {
  const set = agentsOf(config).flatMap(({ env = {} }) => Object.entries(env));
  return set.filter(([name, value]) => canMask(value) && !SETTING.test(name));
}

/** The variables that started agents get, and whether their values are masked as {@link secretsOf} does, or by the action. */
export function variablesOf(
  config: Config,
  environment: NodeJS.ProcessEnv,
): { readonly name: string; readonly masked: '' | 'always' | 'action'; readonly isOwn: boolean }[] {
  const declared = new Map(declaredIn(config));
  const started = agentsOf(config).filter(({ command }) => command !== undefined);
  const given = new Map(started.flatMap(({ env }) => Object.entries(agentEnvironment(environment, env))));
  return [...given]
    .map(([name, value]) => {
      const isSecret = secretsUnder(name, value, config).length > 0;
      const isOwn = started.some(({ env = {} }) => Object.hasOwn(env, name));
      return { name, masked: isSecret ? 'always' : declared.has(name) ? 'action' : '', isOwn } as const;
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Variables whose secret value is a word or a number, with that: where it is masked, an agent may have said it by itself. */
export function secretWords(config: Config, environment: NodeJS.ProcessEnv): [name: string, word: string][] {
  const all = [environment, ...agentsOf(config).map(({ env = {} }) => env)].flatMap((each) => Object.entries(each));
  return all.flatMap(([name, value]) =>
    secretsUnder(name, value, config)
      .filter(isWord)
      .map((word): [string, string] => [name, word]),
  );
}

function secretsUnder(name: string, value: string | undefined, { redact }: Config): string[] {
  return secretsIn({ environments: [{ [name]: value }], named: redact.env });
}

function agentsOf({ agent, agents = {} }: Config) {
  return [...(agent ? [agent] : []), ...Object.values(agents)];
}
