import path from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../agent/processes.ts';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';

async function replay(example: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  await using output = await folderWith({});
  const port = String(await freePort());
  const options = ['--url', `http://127.0.0.1:${port}/replay`, '--output-dir', output.path, '--runs', '2'];
  const cwd = path.join(import.meta.dirname, '../../examples', example);
  return command(['run', ...options, ...args], { cwd, env: { PORT: port, ...env } });
}

test('the Express agent on a shop without orders does what was recorded, with recorded tools only', async () => {
  const empty = { ORDERS: 'none' };
  expect(await replay('express-agent', [], empty)).toMatchObject({ code: 1 });
  const recorded = await replay('express-agent', ['--tools', 'recorded'], empty);
  expect(recorded.stdout).toContain('3 of 3 sessions as recorded');
  expect(recorded.stdout).toMatch(/(\d+) of \1 tool results from the recording/);
  expect(recorded.code).toBe(0);
});

test('the Hono agent opens no ticket, not even in its sandbox, with recorded tools', async () => {
  const recorded = await replay('hono-agent', ['--tools', 'recorded']);
  expect(recorded.stdout).toContain('2 of 2 sessions as recorded');
  expect(recorded.stdout).toMatch(/(\d+) of \1 tool results from the recording/);
  expect(recorded.code).toBe(0);
});
