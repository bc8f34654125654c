import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PlannedFile } from './planned-file.ts';

/** Above `lib/`, or above `src/` in a checkout. */
const PACKAGE_ROOT = ['..', '../..']
  .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
  .find((folder) => existsSync(path.join(folder, 'action.yml'))) as string;

export function shippedText(file: string): string {
  return readFileSync(path.join(PACKAGE_ROOT, file), 'utf8');
}

/** Files in a folder of the package, in order. */
export function shippedFiles(folder: string): string[] {
  return readdirSync(path.join(PACKAGE_ROOT, folder)).sort();
}

/** A copy of another version is replaced. */
export function copiedFolder(
  folder: string,
  contents: Readonly<Record<string, string>>,
  { root, purpose }: { readonly root: string; readonly purpose: string },
): PlannedFile[] {
  return Object.entries(contents).map(([file, content]) => {
    const copy = path.posix.join(folder, file);
    const target = path.join(root, copy);
    const replaces = existsSync(target) ? { replaces: readFileSync(target, 'utf8') } : {};
    return { path: copy, purpose, content, folder: path.posix.join(folder, '/'), ...replaces };
  });
}
