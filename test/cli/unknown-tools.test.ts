import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command } from './command.ts';
import { projectWith } from './project.ts';

test('the first run names the tools that count as writing because nothing is known of them, with the line that declares them', async () => {
  await using project = await projectWith({ sessions: { one: 'a' } });
  const cwd = project.path;
  const pin = path.join(cwd, 'replays/one.session.json');
  const notes = async (...more: string[]) => {
    const { stdout } = await command(['run', '--dry-run', ...more], { cwd });
    return stdout.split('\n').filter((line) => line.includes('nothing says'));
  };
  expect(await notes()).toEqual([]);
  await writeFile(pin, (await readFile(pin, 'utf8')).replaceAll('"lookup"', '"triage"'));
  expect(await notes()).toEqual([
    'note: nothing says whether triage only reads, so its calls count as changes. Declare it if it does: compare: { tools: { "triage": { readOnly: true } } }',
  ]);
  expect(await notes('--set', 'compare.tools.triage.readOnly=true')).toEqual([]);
  await command(['run', '--quiet'], { cwd });
  expect(await notes()).toEqual([]);
});
