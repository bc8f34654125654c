/**
 * Bundles the GitHub Action into `dist/`: `npm run build:action`. With `--check` it is bundled elsewhere and compared
 * with what is committed: `npm run check:dist`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
const DIST = path.join(ROOT, 'dist');
const BUILD = path.join(ROOT, 'build');

function bundleInto(folder: string): void {
  rmSync(BUILD, { recursive: true, force: true });
  run('tsc', '-p', 'tsconfig.action.json');
  run('ncc', 'build', 'build/action/index.js', '--out', folder, '--no-cache', '--license', 'licenses.txt', '--quiet');
  rmSync(BUILD, { recursive: true });
  // The bundle looks its version up under the name of the package.
  const { name, version, type } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const manifest = { name, version, private: true, type, exports: { './package.json': './package.json' } };
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function run(tool: string, ...args: string[]): void {
  execFileSync(path.join(ROOT, 'node_modules/.bin', tool), args, {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** Names of the files that differ. */
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

// Built beside it first: a build that fails leaves what was there.
const folder = mkdtempSync(path.join(ROOT, 'build-dist-'));
try {
  bundleInto(folder);
  const stale = differences(DIST, folder);
  if (stale.length > 0 && process.argv.includes('--check')) {
    console.error(`dist/ is not what the sources build (${stale.join(', ')}): run npm run build:action and commit it.`);
    process.exitCode = 1;
  } else if (stale.length > 0) {
    rmSync(DIST, { recursive: true, force: true });
    cpSync(folder, DIST, { recursive: true });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
