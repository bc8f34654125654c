import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startAgent } from '../../src/agent/index.ts';
import { PATIENCE_MS, withinTime } from '../patience.ts';
import { fixture, processesWith } from './processes.ts';
import { listens, marked, parent } from './started.ts';

test('stop ends the agent with SIGTERM, and the port is free when it resolves', async () => {
  const { mark, port, options } = await marked('serves.js');
  const agent = await startAgent(options);
  await agent.stop();
  expect(await agent.exited).toMatchObject({ signal: 'SIGTERM' });
  expect(processesWith(mark)).toEqual([]);
  expect(await listens(port)).toBe(false);
});

test('gracefulShutdown.signal is sent instead, and the last words are kept', async () => {
  const { options } = await marked('closes-on-sigint.js');
  const agent = await startAgent({ ...options, gracefulShutdown: { signal: 'SIGINT' } });
  await agent.stop();
  expect(agent.output.tail(1, 'stderr')).toEqual(['goodbye']);
});

test('fault 11: an agent that ignores SIGTERM is killed after the grace time, and not before', async () => {
  const said = await withinTime(
    100,
    async (graceMs) => {
      const { mark, options } = await marked('ignores-sigterm.js', graceMs);
      const agent = await startAgent(options);
      await agent.stop();
      expect(processesWith(mark)).toEqual([]);
      return agent.output.tail(1);
    },
    (said) => said[0] === 'no',
  );
  // It came to answer the signal.
  expect(said).toEqual(['no']);
});

test('fault 12: grandchildren that ignore SIGTERM are gone when stop resolves', async () => {
  const { mark, options } = await marked('forks-grandchildren.js', 300);
  const agent = await startAgent(options);
  await expect.poll(() => processesWith(mark).length).toBeGreaterThanOrEqual(3);
  await agent.stop();
  expect(processesWith(mark)).toEqual([]);
});

test.for(['leaves-daemon.js', 'leaves-stubborn-daemon.js'])(
  'fault 12: a daemon that left the process group is found and ended (%s)',
  async (program) => {
    const { mark, options } = await marked(program, 300);
    const agent = await startAgent({ ...options, command: `exec ${options.command}` });
    await expect.poll(() => processesWith(mark).length).toBeGreaterThanOrEqual(2);
    await agent.stop();
    expect(processesWith(mark)).toEqual([]);
  },
);

test('children that survive a crash of the agent are ended by stop', async () => {
  const { mark, options } = await marked('forks-grandchildren.js', 300);
  const agent = await startAgent({ ...options, command: `exec ${options.command}` });
  process.kill(agent.pid!, 'SIGKILL');
  await agent.exited;
  expect(processesWith(mark).length).toBeGreaterThan(0);
  await agent.stop();
  expect(processesWith(mark)).toEqual([]);
});

test('fault 72: a second stop hastens the first', async () => {
  const { mark, options } = await marked('ignores-sigterm.js', PATIENCE_MS);
  const agent = await startAgent(options);
  const first = agent.stop();
  await expect.poll(() => agent.output.tail(1)).toEqual(['no']);
  await agent.stop({ graceMs: 0 });
  await first;
  expect(processesWith(mark)).toEqual([]);
});

test('stop can be called again, and after the agent has ended', async () => {
  const { options } = await marked('serves.js');
  const agent = await startAgent(options);
  process.kill(-agent.pid!, 'SIGKILL');
  await agent.exited;
  await agent.stop();
  await agent.stop();
  await agent[Symbol.asyncDispose]();
});

test.for(['serves.js', 'ignores-sigterm.js', 'forks-grandchildren.js', 'leaves-daemon.js'])(
  'fault 73: nothing of %s survives a SIGKILL of ours',
  async (program) => {
    const { mark, port, options } = await marked(program, 300);
    const { child } = await parent(options, 'hold');
    expect(processesWith(mark).length).toBeGreaterThan(1);
    child.kill('SIGKILL');
    await expect.poll(() => processesWith(mark)).toEqual([]);
    await expect.poll(() => listens(port)).toBe(false);
  },
);

test('fault 73: a SIGKILL of ours before the agent is ready leaves nothing', async () => {
  const { mark, options } = await marked('forever.js', 300);
  const child = spawn(process.execPath, [fixture('parent.ts'), JSON.stringify(options)], { stdio: 'ignore' });
  await expect.poll(() => processesWith(`MARK=${mark}`).length, { interval: 1 }).toBeGreaterThan(0);
  child.kill('SIGKILL');
  await expect.poll(() => processesWith(mark)).toEqual([]);
});

test.for([
  ['exit', 3],
  ['throw', 1],
] as const)('fault 77: no process survives when ours ends by %s', async ([how, code]) => {
  const { mark, port, options } = await marked('ignores-sigterm.js', PATIENCE_MS);
  const child = spawn(process.execPath, [fixture('parent.ts'), JSON.stringify(options), how], { stdio: 'ignore' });
  expect((await once(child, 'exit'))[0]).toBe(code);
  await expect.poll(() => processesWith(mark)).toEqual([]);
  await expect.poll(() => listens(port)).toBe(false);
});

test('a program ends by itself once it has stopped its agent', async () => {
  const { options } = await marked('serves.js');
  const child = spawn(process.execPath, [fixture('parent.ts'), JSON.stringify(options), 'return'], { stdio: 'ignore' });
  expect((await once(child, 'exit'))[0]).toBe(0);
});

test('fault 71: SIGINT while it is in use ends everything before ours ends', async () => {
  const { mark, options } = await marked('forks-grandchildren.js', 300);
  const { child, printed } = await parent(options, 'stop');
  child.kill('SIGINT');
  expect((await once(child, 'exit'))[0]).toBe(130);
  expect(printed()).toContain('stopped');
  expect(processesWith(mark)).toEqual([]);
});

test('fault 72: a second SIGINT kills at once', async () => {
  const { mark, options } = await marked('ignores-sigterm.js', PATIENCE_MS);
  const { child, printed } = await parent(options, 'stop');
  child.kill('SIGINT');
  await expect.poll(printed).toContain('stopping');
  child.kill('SIGINT');
  expect((await once(child, 'exit'))[0]).toBe(130);
  expect(processesWith(mark)).toEqual([]);
});

test('no watchdog stays when the agent has been stopped', async () => {
  const { options } = await marked('serves.js');
  const agent = await startAgent(options);
  const watchdogs = () => processesWith(`agent-replay-watchdog\0${agent.pid}\0`).length;
  expect(watchdogs()).toBe(1);
  await agent.stop();
  await expect.poll(watchdogs).toBe(0);
});
