export type { ProxiedServer } from './server-tools.ts';
export { proxyStdio } from './stdio.ts';

/** Loaded on demand: a proxy for a command is started again and again, and needs no HTTP client. */
export const proxyHttp: typeof import('./http.ts').proxyHttp = async (...given) =>
  (await import('./http.ts')).proxyHttp(...given);
export type { HeldCall, ModelAddress, ModelProxy, ModelRun, RecordedModel } from './models.ts';

/** Loaded on demand, for the same reason. */
export const proxyModels: typeof import('./models.ts').proxyModels = async (...given) =>
  (await import('./models.ts')).proxyModels(...given);
export { Exchange, ServerTools } from './server-tools.ts';
