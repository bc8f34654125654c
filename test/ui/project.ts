import path from 'node:path';
import { loadConfig, parseConfig } from '../../src/config/index.ts';
import { startUi } from '../../src/ui/index.ts';
import { type Project, type ProjectOptions, projectWith } from '../cli/project.ts';

export interface UiProject extends Project {
  /** Opens the page, with its token. */
  readonly url: string;
  /** Of the page. */
  readonly origin: string;
  readonly token: string;
  /** The address of a session on the page, with the token. */
  at(sessionId: string, agentId?: string): string;
}

/** A project with the small agent, and its Reproducibility page. */
export async function uiWith(options: ProjectOptions): Promise<UiProject> {
  const project = await projectWith(options);
  return served(project);
}

/** A project as it is, and its Reproducibility page. */
export async function served<T extends AsyncDisposable & { readonly path: string }>(project: T) {
  const folder = path.resolve(project.path);
  const config = await loadConfig({ cwd: folder }).catch(() => parseConfig({}, { folder }));
  const ui = await startUi(config);
  const { origin, hash } = new URL(ui.url);
  return {
    ...project,
    url: ui.url,
    origin,
    token: hash.slice('#token='.length),
    at: (sessionId: string, agentId = '') =>
      `${origin}/reproducibility?${new URLSearchParams({ sessionId, agentId })}${hash}`,
    [Symbol.asyncDispose]: async () => {
      await ui[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    },
  };
}
