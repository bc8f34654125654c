import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openPlatform } from '../../src/tracing/index.ts';
import { folderWith } from '../config/folder.ts';
import { messageFrom } from '../whole-message.ts';

test('a command that does not answer is ended with all that it has started', async () => {
  await using folder = await folderWith({});
  const child = 'setInterval(() => {}, 1e6)';
  const script = `const { pid } = require('node:child_process').spawn(process.execPath, ['-e', '${child}'], { stdio: 'inherit' });
    require('node:fs').writeFileSync('pid', String(pid)); setInterval(() => {}, 1e6)`;
  const command = [process.execPath, '-e', script];
  const place = { platform: 'command', command, cwd: folder.path, answerMs: 5_000 } as const;
  const refused = await messageFrom(() => openPlatform(place));
  expect(refused.replace(JSON.stringify(script), '<script>')).toMatchInlineSnapshot(`
    "The command of tracing.command gave no answer. (SOURCE_TIMEOUT)
      command: ["node","-e",<script>]
      asked: {"version":1,"ask":"check"}
      no whole answer in <time>
      -> Run it yourself: echo '{"version":1,"ask":"check"}' | the command. It must write traces to its standard output and end with 0."
  `);
  const pid = Number(await readFile(path.join(folder.path, 'pid'), 'utf8'));
  await expect.poll(() => isAlive(pid)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
