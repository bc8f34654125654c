import path from 'node:path';
import { leavesPortOpen } from '../../agent/index.ts';
import { type Checkout, checkOut } from '../../checkout/index.ts';
import { type Config, loadConfig } from '../../config/index.ts';
import { AgentReplayError, asAgentReplayError } from '../../errors.ts';
import type { BaseCommit } from '../records/journal-format.ts';
import { type ConfiguredAgent, configuredAgents } from './plan.ts';

/** The agents at another commit, checked out beside the working tree. Disposing of it removes the checkout. */
export interface Base extends AsyncDisposable, BaseCommit {
  /**
   * An agent as that commit configures it.
   * @returns why it is unavailable: then its sessions are judged by their recordings
   */
  agent(planned: ConfiguredAgent): Promise<ConfiguredAgent | NoBaseAgent>;
}

export interface NoBaseAgent {
  readonly reason: string;
  /** Nothing has changed since that commit, so there is nothing to compare. */
  readonly isSame?: boolean;
}

interface BaseOptions {
  readonly signal?: AbortSignal;
  readonly onOutput: (line: string) => void;
}

/**
 * Checks the base out, prepares it and reads its configuration. Code and `agent` come from that commit, everything else
 * from the working tree.
 * @throws AgentReplayError `BASE_NOT_FOUND`, `CONFIG_INVALID`
 */
export async function openBase(ref: string, config: Config, { signal, onOutput }: BaseOptions): Promise<Base> {
  const checkout = await checkOut(ref, { folder: config.root, signal });
  try {
    const read = checkout.isSame
      ? { reason: 'the base is the commit that is checked out here, and nothing has changed since', isSame: true }
      : await configuredAt(checkout, config, onOutput).catch((error) => {
          if (signal?.aborted) throw error;
          return { reason: explainBaseFailure(asAgentReplayError(error)) };
        });
    return {
      ref,
      commit: checkout.commit,
      agent: async (planned) => ('reason' in read ? read : agentAt(checkout, read, planned)),
      [Symbol.asyncDispose]: () => checkout[Symbol.asyncDispose](),
    };
  } catch (error) {
    await checkout[Symbol.asyncDispose]();
    throw error;
  }
}

/** Each agent needs its own port, so neither port can be fixed. @throws AgentReplayError `CONFIG_INVALID` */
export function checkForBase(config: Config): void {
  const evidence = configuredAgents(config).flatMap(({ id, options }) =>
    lackingForBase(options).map((lack) => `${id === undefined ? 'agent' : `agents.${id}`}${lack}`),
  );
  if (evidence.length === 0) return;
  throw new AgentReplayError('CONFIG_INVALID', 'Against a base two agents run side by side, each on its own port.', {
    evidence,
    hint: "Set agent.command, and in agent.url {port} in place of the port, as in http://127.0.0.1:{port}/replay: the agent is handed a free one as PORT. The base is a fresh checkout: agent.install ('npm ci', say) and agent.baseFiles make it whole. Commit this to the base first, as its agent is started as it is configured there.",
  });
}

function lackingForBase({ command, url }: ConfiguredAgent['options']): string[] {
  return [
    ...(command === undefined ? ['.command: not set'] : []),
    ...(leavesPortOpen(url) ? [] : [`.url: ${url === undefined ? 'not set' : `${url} has no {port}`}`]),
  ];
}

/** Why something in the checkout failed, in one line. */
export function explainBaseFailure({ message, code, evidence }: AgentReplayError): string {
  const seen = evidence.at(-1);
  return `${message.replace(/\.$/, '')} (${code}${seen === undefined ? '' : `: ${seen}`}); its checkout holds what git tracks there; agent.install makes the rest ('npm ci', say), agent.baseFiles copies it`;
}

async function configuredAt(checkout: Checkout, config: Config, onOutput: (line: string) => void): Promise<Config> {
  const { file, cwd, options } = config.source ?? { cwd: config.root, file: undefined, options: new Map() };
  const agents = configuredAgents(config);
  const root = await checkout.place(config.root);
  const files = new Set(agents.flatMap(({ options: { baseFiles } }) => baseFiles));
  await checkout.copy([...files].map((each) => path.resolve(config.root, each)));
  const installs = new Set(agents.flatMap(({ options: { install } }) => install ?? []));
  for (const command of installs) {
    onOutput(`$ ${command}`);
    await checkout.install(command, { cwd: root, log: onOutput });
  }
  const named = file === undefined ? {} : { file: await checkout.place(file) };
  return loadConfig({ cwd: await checkout.place(file === undefined ? cwd : path.dirname(file)), ...named, options });
}

async function agentAt(
  checkout: Checkout,
  config: Config,
  { id }: ConfiguredAgent,
): Promise<ConfiguredAgent | NoBaseAgent> {
  const agents = configuredAgents(config);
  const agent = agents.length === 1 && agents[0]?.id === undefined ? agents[0] : agents.find((each) => each.id === id);
  if (agent === undefined) return { reason: `it has no agent ${JSON.stringify(id ?? '')}` };
  const { options } = agent;
  const lacking = lackingForBase(options).join(', ');
  if (lacking !== '')
    return { reason: `it has agent${lacking} there; commit agent.command and a {port} in agent.url to it first` };
  await checkout.startsIn(options.cwd ?? config.root);
  return { ...agent, id, options: { ...options, env: { ...(await checkout.folders()), ...options.env } } };
}
