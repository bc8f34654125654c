/**
 * Bundles the GitHub Action into `dist/`: `npm run build:action`. With `--check` it is bundled elsewhere and compared
 * with what is committed: `npm run check:dist`.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import {
  type BundledPackage,
  licencesOf,
  manifestOf,
  NEVER,
  oneParser,
  packagesIn,
  packagesInPages,
  partsOfUndici,
  ROOT,
  withoutDescriptions,
  withoutNodesUndici,
} from './bundled.ts';

const DIST = path.join(ROOT, 'dist');

/**
 * The toolkit imports its HTTP client for functions that we do not call. Without this stand-in the client would be
 * bundled, and loaded first.
 */
const WITHOUT_SIDE_EFFECTS = /[\\/]node_modules[\\/]@actions[\\/]/;

/** Bundles the action into a folder. @returns the packages in it, largest first */
export async function bundleInto(folder: string): Promise<BundledPackage[]> {
  const bundle = await rolldown({
    cwd: ROOT,
    // The second entry is started as a thread, by its file name.
    input: { index: 'action/index.ts', 'ledger-thread': 'src/job/ledger/ledger-thread.ts' },
    platform: 'node',
    plugins: [withoutNodesUndici, partsOfUndici, oneParser, withoutDescriptions()],
    transform: { define: NEVER },
    tsconfig: false,
    // Prefer modules: a package's build for browsers or old loaders may require what only that environment has.
    resolve: { mainFields: ['module', 'main'] },
    treeshake: { moduleSideEffects: (id) => !WITHOUT_SIDE_EFFECTS.test(id) },
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    minify: true,
    comments: false,
    chunkFileNames: '[name].js',
    codeSplitting: { groups: [{ name: 'undici', test: /[\\/]node_modules[\\/]undici[\\/]/ }] },
  });
  await bundle.close();
  const packages = packagesIn(output);
  writeFileSync(path.join(folder, 'licenses.txt'), licencesOf([...packages, ...packagesInPages()]));
  // The bundle reads its version from a package.json of this name.
  const { name, version, type } = manifestOf(ROOT);
  const manifest = { name, version, private: true, type, exports: { './package.json': './package.json' } };
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return packages;
}

/** Bundles into another folder, and compares. @returns the files that differ from what the sources build */
export async function staleFiles(dist: string): Promise<string[]> {
  const folder = mkdtempSync(path.join(ROOT, 'build-dist-'));
  try {
    await bundleInto(folder);
    return differences(dist, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function differences(a: string, b: string): string[] {
  const filesOf = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);
  const bytesOf = (folder: string, file: string) => {
    try {
      return readFileSync(path.join(folder, file));
    } catch {
      return Buffer.alloc(0);
    }
  };
  const files = [...new Set([...filesOf(a), ...filesOf(b)])].sort();
  return files.filter((file) => !bytesOf(a, file).equals(bytesOf(b, file)));
}

async function check(): Promise<void> {
  const stale = (await staleFiles(DIST)).join(', ');
  if (stale === '') return;
  console.error(`dist/ is not what the sources build (${stale}): run npm run build:action and commit it.`);
  process.exitCode = 1;
}

async function build(): Promise<void> {
  // Builds beside the old bundle first, so that a failed build leaves the old one.
  const folder = mkdtempSync(path.join(ROOT, 'build-dist-'));
  try {
    await bundleInto(folder);
    rmSync(DIST, { recursive: true, force: true });
    cpSync(folder, DIST, { recursive: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await (process.argv.includes('--check') ? check() : build());
