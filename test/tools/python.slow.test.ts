import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../agent/processes.ts';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';

const EXAMPLE = path.join(import.meta.dirname, '../../examples/python-agent');
const hasPython = spawnSync('python3', ['--version']).status === 0;

test.skipIf(!hasPython)(
  'the Python agent on a shop without orders does what was recorded, with recorded tools only',
  async () => {
    const replay = async (...args: string[]) => {
      await using output = await folderWith({});
      const port = String(await freePort());
      const options = ['--url', `http://127.0.0.1:${port}/replay`, '--output-dir', output.path, '--runs', '2'];
      return command(['run', ...options, ...args], { cwd: EXAMPLE, env: { PORT: port, ORDERS: 'none' } });
    };
    expect(await replay()).toMatchObject({ code: 1 });
    const recorded = await replay('--tools', 'recorded');
    expect(recorded.stdout).toContain('3 of 3 sessions as recorded');
    expect(recorded.code).toBe(0);
  },
);
