/**
 * Removes from the installed Node what no program needs: headers, manuals and change log, 67 of 186 MB. The install
 * cannot leave them out, because they are part of its package.
 */
import { globSync, rmSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');

for (const found of globSync('node_modules/node/node_modules/node-*-*/{include,share,CHANGELOG.md,README.md}', {
  cwd: ROOT,
})) {
  rmSync(path.join(ROOT, found), { recursive: true });
}
