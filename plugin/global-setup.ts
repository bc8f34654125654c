import type { TestProject } from 'vitest/node';
import type { Host } from './host.ts';
import { PLUGIN_NAME } from './wire.ts';

/** Vitest calls this once before the tests of a project, and the returned function once after them. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  // Vitest loads this file separately from the plugin.
  const { api } = project.vite.config.plugins.find(({ name }) => name === PLUGIN_NAME) as {
    api: { host: Host };
  };
  const { provided } = await api.host.start(project);
  project.provide('agentReplay', provided);
  return () => api.host.stop();
}
