import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Installs the packages of a folder of scripts, if they are missing or older than its lock file. The project itself
 * does not need them. Ends the process on failure.
 */
export function ensureInstalled(folder: string): void {
  // npm writes this file last, so its age tells whether the install is complete.
  const installed = path.join(folder, 'node_modules', '.package-lock.json');
  const lock = path.join(folder, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  // Installs the locked versions. Not `npm ci`, which requires the packages of all other platforms in the lock file,
  // and registries differ in these.
  runOrEnd('npm', ['install', '--no-save', '--prefix', folder, '--no-audit', '--no-fund']);
}

/** Runs a command. If it fails, ends the process with its exit code. */
export function runOrEnd(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
