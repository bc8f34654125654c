import path from 'node:path';
import type { TestProject, Vitest } from 'vitest/node';
import type { Config } from '../src/rims.ts';

/** The agents of a configuration, by their own files (`agent.watch`). */
export class AgentFiles {
  readonly #globs: readonly { readonly id: string | undefined; readonly glob: string }[];
  #changed = new Set<string | undefined>();

  constructor({ agent, agents, root }: Config) {
    const all = agents === undefined ? [[agent?.id, agent] as const] : Object.entries(agents);
    this.#globs = all.flatMap(([id, { watch = [] } = {}]) =>
      watch.map((glob) => ({ id, glob: toPosix(path.resolve(root, glob)) })),
    );
  }

  /** Folders and files that contain them. */
  get places(): string[] {
    return this.#globs.map(({ glob }) => {
      const names = glob.split('/');
      const wild = names.findIndex((name) => /[*?[{]/.test(name));
      return wild === -1 ? glob : names.slice(0, wild).join('/');
    });
  }

  /** @returns the agents that a changed file belongs to */
  note(file: string): ReadonlySet<string | undefined> {
    const own = this.#globs.filter(({ glob }) => path.posix.matchesGlob(toPosix(file), glob)).map(({ id }) => id);
    for (const id of own) this.#changed.add(id);
    return new Set(own);
  }

  /** The agents with changed files since the last call. */
  take(): ReadonlySet<string | undefined> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }
}

/** @param touchedBy the test files for which an agent replayed something */
export function watchAgents(
  vitest: Vitest,
  files: AgentFiles,
  touchedBy: (agents: ReadonlySet<string | undefined>) => readonly string[],
): void {
  const { config, vite } = vitest;
  // Vite already watches its own root.
  vite.watcher.add(files.places.filter((place) => path.relative(config.root, place).startsWith('..')));
  config.watchTriggerPatterns = [
    ...(config.watchTriggerPatterns ?? []),
    {
      pattern: /^/,
      testsToRun: (file) => {
        const agents = files.note(file);
        if (agents.size === 0) return undefined;
        // Vitest asks no further after this answer, and a test may import the file as well.
        return [...touchedBy(agents), ...testsThatImport(file, vitest)];
      },
    },
  ];
}

function testsThatImport(file: string, { projects, state }: Vitest): string[] {
  const tests = new Set(state.getFilepaths());
  return projects.flatMap((project) => [...importersOf(file, project)]).filter((importer) => tests.has(importer));
}

/** Directly or not. */
function importersOf(file: string, { vite }: TestProject): Set<string> {
  const found = new Set<string>();
  const visit = (one: string) => {
    if (found.has(one)) return;
    found.add(one);
    for (const { moduleGraph } of Object.values(vite.environments)) {
      for (const module of moduleGraph.getModulesByFile(one) ?? []) {
        for (const importer of module.importers) if (importer.file !== null) visit(importer.file);
      }
    }
  };
  visit(file);
  return found;
}

function toPosix(file: string): string {
  return file.replaceAll(path.sep, '/');
}
