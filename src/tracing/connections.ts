import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { isLocal } from '../http/index.ts';

/** A company's proxy is for outgoing connections, not for this machine. */
export function connectionsTo(host: string, pool: Agent.Options = {}): Dispatcher {
  return isLocal(host) ? new Agent(pool) : new EnvHttpProxyAgent(pool);
}
