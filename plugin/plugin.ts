import type { Plugin } from 'vitest/config';
import { type AgentReplayOptions, type Host, hostOf } from './host.ts';
import { isJson } from './pin-module.ts';
import { PLUGIN_NAME } from './wire.ts';

/** Makes a test file of every pinned session, starts the agent for them, and adds the matchers. */
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
      const { vitest, project } = context;
      host = hostOf(vitest, options);
      const own = host;
      // What a pin is turned into depends on the other pins and on the configuration, and it has to be asked for: none of
      // it may come out of a cache of modules that outlives the process. Vitest 4 has the older name alone.
      const withoutCache = context.defineCacheKeyGenerator ?? context.experimental_defineCacheKeyGenerator;
      withoutCache?.(({ id }) => (own.isPin(id) ? false : undefined));
      return own.join(project, vitest);
    },
    // Vite turns JSON into a module between these two. What is no JSON goes past it as an empty object.
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
