/**
 * Measures what a user installs: the packed package in an empty folder. `node install.ts`, after `npm run build` in the
 * root.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { record } from './results.ts';

const ROOT = path.join(import.meta.dirname, '..');
const run = promisify(execFile);

const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-install-'));
try {
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT });
  const [packed = ''] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
  await writeFile(path.join(folder, 'package.json'), '{"private":true}');
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', path.join(folder, packed)], {
    cwd: folder,
  });
  const modules = path.join(folder, 'node_modules');
  const lock = JSON.parse(await readFile(path.join(modules, '.package-lock.json'), 'utf8'));
  const packages = Object.keys(lock.packages).length;
  const mib = (await bytesOnDisk(modules)) / 2 ** 20;
  record('install', { mib, packages });
  console.log(`Installed: ${mib.toFixed(0)} MiB on disk, ${packages} packages.`);
} finally {
  await rm(folder, { recursive: true });
}

/** Disk space in blocks, as `du` counts. */
async function bytesOnDisk(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true });
  const sizes = await Promise.all(entries.map(async (entry) => (await stat(path.join(dir, entry))).blocks * 512));
  return sizes.reduce((sum, size) => sum + size, 0);
}
