/**
 * Bundles the published package with all of its dependencies into `lib/`: `npm run build`. Node takes longer to find
 * and read hundreds of small files than to run all of their code.
 */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { configOptions } from '../src/config/index.ts';
import {
  HTTP_MODULE,
  licencesOf,
  materialsOf,
  NEVER,
  packagesIn,
  packagesInPages,
  partsOfUndici,
  ROOT,
  withoutDescriptions,
  withoutFetch,
  withoutNodesUndici,
} from './bundled.ts';
import { WING_ENTRIES, wings } from './wings.ts';

const LIB = path.join(ROOT, 'lib');
/** All that it needs becomes one file, because nearly every command needs most of it. */
const RUN = 'src/cli/run.ts';

/** Entries: files that `package.json`, `bin/` or Vitest load by name. All other files are parts of these. */
const ENTRIES = {
  index: 'src/index.ts',
  endpoint: 'src/endpoint/index.ts',
  command: 'src/cli/main.ts',
  vitest: 'plugin/index.ts',
  'global-setup': 'plugin/global-setup.ts',
  matchers: 'plugin/matchers.ts',
  pinned: 'plugin/pinned.ts',
  'ledger-thread': 'src/job/ledger/ledger-thread.ts',
};

const PLUGIN = Object.values(ENTRIES).filter((file) => file.startsWith('plugin/'));
/** What each module imports, stand-ins for wings included. */
const imports = new Map<string, readonly string[]>();

const bundle = await rolldown({
  cwd: ROOT,
  input: { ...ENTRIES, ...WING_ENTRIES },
  platform: 'node',
  plugins: [
    withoutNodesUndici,
    withoutFetch,
    withoutDescriptions(configOptions().map(({ description }) => description)),
    partsOfUndici,
    wings,
    { name: 'imports', moduleParsed: ({ id, importedIds }) => void imports.set(id, importedIds) },
  ],
  // The help and an agent's endpoint load on Node 20, too, which has no `using`.
  transform: { define: NEVER, target: 'node20.19' },
  tsconfig: false,
  // External: Vitest is the user's own, and the pages are built separately.
  external: [/^vitest/, /^#pages\//],
  // Prefer modules: a package's build for browsers or old loaders may require what only that environment has.
  resolve: { mainFields: ['module', 'main'] },
});
rmSync(LIB, { recursive: true, force: true });
const { output } = await bundle.write({
  dir: LIB,
  format: 'esm',
  // The types carry the documentation.
  comments: { legal: false, jsdoc: false },
  // All chunks are in one folder, so that code that looks for a file beside itself finds it.
  chunkFileNames: '[name].js',
  codeSplitting: {
    groups: [
      { name: 'http', test: HTTP_MODULE },
      { name: 'undici', test: /[\\/]node_modules[\\/]undici[\\/]/ },
      // The list of commands is shown by a Node that cannot load the rest, too.
      { name: 'commander', test: /[\\/]node_modules[\\/]commander[\\/]/ },
      { name: 'yaml', test: /[\\/]node_modules[\\/]yaml[\\/]/ },
      // What others share with a run: Vitest's processes, which need least, an agent, and scripts that ask for the version.
      { name: 'plugin-core', test: (id) => PLUGIN.some((entry) => isNeededBy(entry, id)) && isNeededBy(RUN, id) },
      { name: 'endpoint-core', test: (id) => isNeededBy('src/endpoint/index.ts', id) && isNeededBy(RUN, id) },
      { name: 'start', test: (id) => isNeededBy('src/cli/main.ts', id) && isNeededBy(RUN, id) },
      { name: 'core', test: (id) => isNeededBy(RUN, id) },
    ],
  },
});
await bundle.close();
const packages = new Map(
  [...packagesIn([...output, ...(await buildDemo())]), ...packagesInPages()].map((each) => [each.folder, each]),
);
writeFileSync(path.join(LIB, 'licenses.txt'), licencesOf([...packages.values()]));
writeFileSync(path.join(LIB, 'sbom.cdx.json'), materialsOf([...packages.values()]));

/** Whether `id` is loaded together with a file. */
function isNeededBy(file: string, id: string): boolean {
  const needed = new Set([path.join(ROOT, file)]);
  for (const each of needed) for (const imported of imports.get(each) ?? []) needed.add(imported);
  return needed.has(id);
}

/**
 * Bundles the agent of `agent-replay demo` with its model, prompts and pins into a folder of its own, because it runs
 * as a program of its own.
 */
async function buildDemo() {
  const folder = path.join(ROOT, 'examples/support-agent');
  const demo = await rolldown({
    cwd: ROOT,
    input: { agent: path.join(folder, 'demo.ts') },
    platform: 'node',
    tsconfig: false,
    resolve: { mainFields: ['module', 'main'] },
    // Here the model is part of the agent, not a program of its own.
    transform: { define: { 'import.meta.main': 'false' } },
  });
  const { output: files } = await demo.write({
    dir: path.join(LIB, 'demo'),
    format: 'esm',
    comments: { legal: false, jsdoc: false },
    chunkFileNames: '[name].js',
  });
  await demo.close();
  for (const part of ['prompts', 'replays', 'data']) {
    cpSync(path.join(folder, part), path.join(LIB, 'demo', part), { recursive: true });
  }
  return files;
}
