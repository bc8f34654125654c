/**
 * Runs a tool that only the checks need, which the first check installs: `node scripts/checks/run.ts biome ci .`. It weighs as
 * much as everything that a demo loads.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';

const FOLDER = import.meta.dirname;
/** npm writes it last. */
const INSTALLED = path.join(FOLDER, 'node_modules', '.package-lock.json');
const [tool = '', ...args] = process.argv.slice(2);

if (!isCurrent()) run('npm', ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund']);
run(path.join(FOLDER, 'node_modules', '.bin', tool), args);

function isCurrent(): boolean {
  return (
    existsSync(INSTALLED) && statSync(INSTALLED).mtimeMs >= statSync(path.join(FOLDER, 'package-lock.json')).mtimeMs
  );
}

/** Ends with the exit code of what failed. */
function run(command: string, given: readonly string[]): void {
  const { status, error } = spawnSync(command, given, { stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
