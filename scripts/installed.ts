import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Installs what a folder of scripts needs and the project does not, when it is not there or older than its lock file. Ends the
 * process when it fails.
 */
export function ensureInstalled(folder: string): void {
  // npm writes it last.
  const installed = path.join(folder, 'node_modules', '.package-lock.json');
  const lock = path.join(folder, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  // As locked. Not `npm ci`: it wants each package for every other platform in the lock file, and registries differ in these.
  runOrEnd('npm', ['install', '--no-save', '--prefix', folder, '--no-audit', '--no-fund']);
}

/** Runs a command, and ends the process with its exit code when it fails. */
export function runOrEnd(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
