import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startAgent } from '../../src/agent/index.ts';
import { folderWith } from '../config/folder.ts';
import { parentOf, processesWith, run } from './processes.ts';
import { listens, marked, parent } from './started.ts';

/** How a daemon can hide from those who look for it. */
const HIDDEN = ['cleared', 'overwritten', 'forked-twice', 'orphaned', 'last-moment'];

test.for(HIDDEN)('fault 82: a daemon that hides itself is found and ended (%s)', async (VARIANT) => {
  const { mark, options } = await marked('leaves-hidden-daemon.js', 300, { VARIANT });
  const agent = await startAgent({ ...options, command: `exec ${options.command}` });
  if (VARIANT !== 'last-moment') await expect.poll(() => processesWith(mark).length).toBeGreaterThanOrEqual(2);
  await agent.stop();
  expect(processesWith(mark)).toEqual([]);
});

test.for(HIDDEN)('fault 82: nothing of a hidden daemon survives a SIGKILL of ours (%s)', async (VARIANT) => {
  const { mark, options } = await marked('leaves-hidden-daemon.js', 300, { VARIANT });
  const { child } = await parent(options, 'hold');
  child.kill('SIGKILL');
  await expect.poll(() => processesWith(mark)).toEqual([]);
});

test.for(['serves.js', 'leaves-daemon.js', 'leaves-hidden-daemon.js'])(
  'fault 83: what %s left when ours and its watchdog were killed is ended by the next start, which says so',
  async (program) => {
    await using folder = await folderWith({});
    const { mark, port, options } = await marked(program, 300, { VARIANT: 'orphaned' });
    const { child } = await parent({ ...options, cwd: folder.path }, 'hold');
    const [watchdog] = processesWith(`agent-replay-watchdog\0`).filter((id) => parentOf(id) === child.pid);
    for (const id of [watchdog!, child.pid!]) process.kill(id, 'SIGKILL');
    await once(child, 'exit');
    const left = processesWith(mark);
    expect(left).not.toEqual([]);
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const next = await startAgent({ ...options, command: run('serves.js'), cwd: folder.path }, { log });
    expect(lines[0]).toMatch(/^agent\| \(ended now: process \d+(, \d+)*, left by a run that was killed\)$/);
    expect(processesWith(mark).filter((id) => left.includes(id))).toEqual([]);
    await next.stop();
    expect(await listens(port)).toBe(false);
  },
);

test('fault 83: what runs in the same folder for somebody who lives is left alone', async () => {
  await using folder = await folderWith({});
  const one = await marked('leaves-daemon.js');
  const other = await marked('serves.js');
  await using first = await startAgent({ ...one.options, cwd: folder.path });
  await using _second = await startAgent({ ...other.options, cwd: folder.path });
  expect(processesWith(one.mark)).toContain(first.pid);
});
