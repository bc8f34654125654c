/**
 * Takes out of the installed Node what no program runs with: its headers, manuals and change log, 67 of 186 MB. Installing
 * cannot leave them out, since one package holds all of it.
 */
import { globSync, rmSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');

for (const found of globSync('node_modules/node/node_modules/node-*-*/{include,share,CHANGELOG.md,README.md}', {
  cwd: ROOT,
})) {
  rmSync(path.join(ROOT, found), { recursive: true });
}
