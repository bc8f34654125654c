import { readFileSync } from 'node:fs';

/** An absent value leaves the variable out. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** For installing, not for the agent. */
export const REGISTRY_TOKENS = /^(NPM_TOKEN|NODE_AUTH_TOKEN|NPM_CONFIG_.*_AUTH(TOKEN)?)$/i;

/**
 * What a CI runner gives this process and the agent must not get: inputs and step state (which hold tokens), the runner's
 * own service tokens, and the files through which a process could forge outputs or the environment of later steps.
 */
const WITHHELD = [
  /^(INPUT|ACTIONS|STATE)_/,
  /^(GITHUB|GH)_(ENTERPRISE_)?TOKEN$/,
  /^GITHUB_(OUTPUT|ENV|PATH|STATE|STEP_SUMMARY|ARTIFACTS)$/,
  REGISTRY_TOKENS,
];

/**
 * `base` without the runner's secrets, then `layers`, later ones winning. Layers are never filtered, because the user
 * sets them on purpose.
 */
export function agentEnvironment(base: Environment, ...layers: readonly (Environment | undefined)[]): Environment {
  // Upper case, because names on Windows, and npm's settings everywhere, come in any case.
  const own = Object.entries(base).filter(([name]) => !WITHHELD.some((pattern) => pattern.test(name.toUpperCase())));
  const variables = new Map([...own, ...layers.flatMap((layer) => Object.entries(layer ?? {}))]);
  return Object.fromEntries([...variables].filter(([, value]) => value !== undefined));
}

/** What Vitest writes into its own environment, and with the second line into that of a test file. */
const BY_VITEST =
  /^((NODE_ENV|MODE)=test|(TEST|VITEST)=true|VITEST_(MODE|POOL_ID|WORKER_ID|VM_POOL)=\w+|(DEV|PROD|SSR)=1?|BASE_URL=\/|FORCE_TTY=(true)?)$/;

/** The environment without what Vitest, in whose process we may run, added to the shell's: agents behave otherwise in tests. */
export function withoutVitest(environment: Environment): Environment {
  if (environment.VITEST === undefined) return environment;
  const shell = shellEnvironment();
  const kept = Object.entries(environment).map(([name, value]) => {
    return [name, BY_VITEST.test(`${name}=${value}`) ? shell.get(name) : value] as const;
  });
  return Object.fromEntries(kept);
}

/** What this process was started with. It is unknown outside Linux, and where Vitest started this process for a test file. */
function shellEnvironment(): ReadonlyMap<string, string> {
  try {
    const lines = readFileSync('/proc/self/environ', 'utf8').split('\0');
    const shell = new Map(lines.map((line) => [line.split('=', 1)[0]!, line.slice(line.indexOf('=') + 1)]));
    return shell.has('VITEST') ? new Map() : shell;
  } catch {
    return new Map();
  }
}
