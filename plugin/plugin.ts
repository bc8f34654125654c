import type { Plugin } from 'vitest/config';
import { type AgentReplayOptions, type Host, hostOf } from './host.ts';
import { isJson } from './pin-module.ts';
import { PLUGIN_NAME } from './wire.ts';

/** Turns every pinned session into a test file, starts the agent for them, and adds the matchers. */
export function agentReplay(options: AgentReplayOptions = {}): Plugin {
  let host: Host | undefined;
  return {
    name: PLUGIN_NAME,
    api: {
      get host() {
        return host;
      },
    },
    configureVitest: (context) => {
      refuseOldNode();
      const { vitest, project } = context;
      host = hostOf(vitest, options);
      const own = host;
      // A pin's module depends on the other pins and the configuration, so no module cache that outlives the process may
      // return it. Vitest 4 has only the older name.
      const withoutCache = context.defineCacheKeyGenerator ?? context.experimental_defineCacheKeyGenerator;
      withoutCache?.(({ id }) => (own.isPin(id) ? false : undefined));
      return own.join(project, vitest);
    },
    // Runs before Vite turns JSON into a module. A pin that is not JSON is passed on as an empty object.
    load: {
      order: 'pre',
      filter: { id: /\.json$/ },
      handler: async (id) => (host?.isPin(id) && !(await isJson(id)) ? '{}' : undefined),
    },
    transform: {
      order: 'post',
      filter: { id: /\.json$/ },
      handler: async (code, id) =>
        host?.isPin(id) ? { code: code + (await host.testsOf(id)), map: { mappings: '' } } : undefined,
    },
  };
}

/** Before anything is loaded that an older Node cannot load. */
function refuseOldNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return;
  throw new Error(
    `agent-replay needs Node 22.19 or newer, and this is Node ${process.versions.node}. Give Vitest a Node of its own: npx --package node@24 -c vitest`,
  );
}
