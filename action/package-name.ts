import { registerHooks } from 'node:module';

/** All that a configuration uses of the package. */
const STAND_IN = 'data:text/javascript,export const defineConfig = (config) => config;';

/**
 * Lets a configuration import `defineConfig` from `agent-replay` in a project that uses the action and has not
 * installed the package. An installed package takes precedence.
 */
export function resolvePackageName(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        if (specifier !== 'agent-replay') throw error;
        return { url: STAND_IN, format: 'module', shortCircuit: true };
      }
    },
  });
}
