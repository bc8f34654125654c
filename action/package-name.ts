import { registerHooks } from 'node:module';

/** All that a configuration uses of the package. */
const STAND_IN = 'data:text/javascript,export const defineConfig = (config) => config;';

/** Lets a configuration import `defineConfig` where the package is not installed. */
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
