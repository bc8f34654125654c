import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export function shippedText(file: string): string {
  return readFileSync(path.join(packageRoot(), file), 'utf8');
}

/** Files in a folder of the package, in order. */
export function shippedFiles(folder: string): string[] {
  return readdirSync(path.join(packageRoot(), folder)).sort();
}

/** Above `lib/`, or above `src/` in a checkout. */
function packageRoot(): string {
  const above = ['..', '../..'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));
  return above.find((folder) => existsSync(path.join(folder, 'action.yml'))) as string;
}
