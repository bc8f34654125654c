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
    expect(recorded.stdout).toContain('3 of 3 sessions reproduced');
    expect(recorded.code).toBe(0);
  },
);

test.skipIf(!hasPython)(
  'in Python a tool is left as it is in production, and does not run where nobody answers',
  () => {
    const script = `
import asyncio, os
from recorded_tools import recorded_tool, replay_run_id, ToolNotReplayed
async def lookup(text): print("ran"); return text
def plain(text): return text
if "AGENT_REPLAY_TOOLS_URL" not in os.environ:
    assert recorded_tool()(lookup) is lookup and recorded_tool()(plain) is plain
else:
    try: recorded_tool()(lookup); print("wrapped")
    except ToolNotReplayed as error: print(error)
`;
    const run = (env: Record<string, string>) =>
      spawnSync('python3', ['-c', script], {
        cwd: EXAMPLE,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', ...env },
      });
    expect(run({})).toMatchObject({ status: 0, stdout: '' });
    const alone = run({ AGENT_REPLAY_TOOLS_URL: 'http://127.0.0.1:9/tools', AGENT_REPLAY_TOOLS_TOKEN: 'x' });
    expect(alone).toMatchObject({ status: 0, stdout: expect.stringContaining('does not answer') });
  },
);
