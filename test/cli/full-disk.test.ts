import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { projectWith } from './project.ts';

const BIN = fileURLToPath(new URL('../../bin/agent-replay.js', import.meta.url));
/** A file system of the process's own, in memory and full: gone with the process. */
const ON_FULL_DISK = 'mount -t tmpfs -o size=16k none "$0" && head -c 1M /dev/zero > "$0/fill" 2>&1; exec "$@"';

function canMount(): boolean {
  try {
    execFileSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

// A file system of its own takes unshare and user namespaces.
test.skipIf(!canMount()).each([
  ['the outputs go to it', 'disk', 'disk/out'],
  ['only what names their folder does', '.agent-replay', 'out'],
])('fault 56: a full disk is said once, and what was found out stays what it is: %s', async (_, full, outputs) => {
  await using project = await projectWith({ sessions: { one: 'a', two: 'b' } });
  const disk = path.join(project.path, full);
  await mkdir(disk);
  const args = ['run', '--set', `agent.env.PORT=${project.port}`, '--set', 'agent.env.PREFIX=new '];
  const child = spawn(
    'unshare',
    ['-rm', 'sh', '-c', ON_FULL_DISK, disk, process.execPath, BIN, ...args, '--output-dir', outputs],
    { cwd: project.path, env: { PATH: process.env.PATH }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect(exitCode).toBe(1);
  expect(stdout).toContain('failed: 2 of 2 sessions changed');
  expect(stderr.match(/ENOSPC.*/g)).toEqual([expect.stringContaining('(OUTPUT_NOT_WRITABLE)')]);
});
