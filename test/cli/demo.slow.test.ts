import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../config/folder.ts';

const ROOT = path.join(import.meta.dirname, '../..');

/** The package as it is published, installed in an empty folder with nothing but what it depends on. */
async function installed() {
  const folder = await folderWith({});
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder.path], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const [tarball] = Object.values(JSON.parse(packed)) as { filename: string }[];
  execFileSync('tar', ['-xzf', path.join(folder.path, tarball?.filename ?? '')], { cwd: folder.path });
  await mkdir(path.join(folder.path, 'package/node_modules'));
  await cp(path.join(ROOT, 'node_modules/zod'), path.join(folder.path, 'package/node_modules/zod'), {
    recursive: true,
  });
  return folder;
}

test('the packed demo is red where the prompt was edited, writes nothing but a temporary folder, and can be gone on with', async () => {
  await using folder = await installed();
  await using elsewhere = await folderWith({});
  await using temporary = await folderWith({});
  const { PATH, HOME } = process.env;
  const run = (args: readonly string[], cwd: string) =>
    spawnSync(process.execPath, [path.join(folder.path, 'package/bin/agent-replay.js'), ...args], {
      cwd,
      encoding: 'utf8',
      env: { PATH, HOME, TMPDIR: temporary.path },
    });
  const { status, stdout, stderr } = run(['demo', '--no-open'], elsewhere.path);
  expect(stdout, stderr).toContain('failed: 2 of 8 sessions diverged');
  expect(stdout).toContain('its system prompt differs at line 5');
  expect(status).toBe(0);
  expect(readdirSync(elsewhere.path)).toEqual([]);
  const [, report = ''] = /The report: +(\S+)/.exec(stdout) ?? [];
  expect(path.relative(temporary.path, report)).not.toMatch(/^\.\./);
  expect(readFileSync(report, 'utf8')).toContain('small-refund');
  const project = path.resolve(report, '../..');
  expect(existsSync(path.join(project, 'agent-replay.config.json'))).toBe(true);
  const again = run(['run', '--tools', 'recorded', 'replays/final-sale.session.json', '--runs', '1'], project);
  expect(again.stdout, again.stderr).toContain('1 of 1 session reproduced');
  expect(again.status).toBe(0);
  await rm(project, { recursive: true });
});
