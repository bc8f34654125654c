/**
 * Bundles what is published into `lib/`, with all that it depends on: `npm run build`. Hundreds of small files would take
 * longer to be found and read than the whole of them to run.
 */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import {
  HTTP_MODULE,
  licencesOf,
  materialsOf,
  NEVER,
  packagesIn,
  packagesInPages,
  partsOfUndici,
  ROOT,
  withoutNodesUndici,
} from './bundled.ts';

const LIB = path.join(ROOT, 'lib');

/** Files that are loaded by their name, from `package.json`, `bin/` or by Vitest; all others are parts of these. */
const ENTRIES = {
  index: 'src/index.ts',
  endpoint: 'src/endpoint/index.ts',
  command: 'src/cli/main.ts',
  vitest: 'plugin/index.ts',
  'global-setup': 'plugin/global-setup.ts',
  matchers: 'plugin/matchers.ts',
  pinned: 'plugin/pinned.ts',
  'books-thread': 'src/job/judging/books-thread.ts',
};

const bundle = await rolldown({
  cwd: ROOT,
  input: ENTRIES,
  platform: 'node',
  plugins: [withoutNodesUndici, partsOfUndici],
  transform: { define: NEVER },
  tsconfig: false,
  // Vitest is the user's own, and the pages are built by themselves.
  external: [/^vitest/, /^#pages\//],
  // Modules first: a package for browsers and loaders of old may require what only it can find.
  resolve: { mainFields: ['module', 'main'] },
});
rmSync(LIB, { recursive: true, force: true });
const { output } = await bundle.write({
  dir: LIB,
  format: 'esm',
  comments: { legal: false },
  // One folder for all: what looks for a file beside itself finds it.
  chunkFileNames: '[name].js',
  codeSplitting: {
    groups: [
      // The processes of tests load this, and must not load the core with it.
      { name: 'untrusted', test: /[\\/]src[\\/]untrusted\.ts$/ },
      { name: 'http', test: HTTP_MODULE },
      { name: 'undici', test: /[\\/]node_modules[\\/]undici[\\/]/ },
      { name: 'yaml', test: /[\\/]node_modules[\\/]yaml[\\/]/ },
    ],
  },
});
await bundle.close();
const packages = new Map(
  [...packagesIn([...output, ...(await buildDemo())]), ...packagesInPages()].map((each) => [each.folder, each]),
);
writeFileSync(path.join(LIB, 'licenses.txt'), licencesOf([...packages.values()]));
writeFileSync(path.join(LIB, 'sbom.cdx.json'), materialsOf([...packages.values()]));

/** The agent of `agent-replay demo` with its model, prompts and pins, in a folder of its own: it runs by itself. */
async function buildDemo() {
  const folder = path.join(ROOT, 'examples/support-agent');
  const demo = await rolldown({
    cwd: ROOT,
    input: { agent: path.join(folder, 'demo.ts') },
    platform: 'node',
    tsconfig: false,
    resolve: { mainFields: ['module', 'main'] },
    // The model is part of the agent here, and no program.
    transform: { define: { 'import.meta.main': 'false' } },
  });
  const { output: files } = await demo.write({
    dir: path.join(LIB, 'demo'),
    format: 'esm',
    comments: { legal: false },
    chunkFileNames: '[name].js',
  });
  await demo.close();
  for (const part of ['prompts', 'replays', 'data']) {
    cpSync(path.join(folder, part), path.join(LIB, 'demo', part), { recursive: true });
  }
  return files;
}
