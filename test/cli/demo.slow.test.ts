import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../config/folder.ts';
import { steady } from '../whole-message.ts';

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
  expect(status, stderr).toBe(0);
  expect(
    steady(stdout.replaceAll(temporary.path, '<temporary>')).replaceAll(/demo-\w+/g, 'demo'),
  ).toMatchInlineSnapshot(`
    "A support agent, its scripted model and 8 pinned sessions. Somebody edited one line of its prompt:
      - Never refund more than 200 EUR yourself: create a ticket instead.
      + Never refund more than 20 EUR yourself: create a ticket instead.
    Each session is replayed 5 times.

    ✘ failed: 2 of 8 sessions changed, 6 as recorded
      60 calls, 58,380 tokens in, 3,535 tokens out, <time>

    cause  one edit: system prompt, line 5
         - Never refund more than 200 EUR yourself: create a ticket instead.
         + Never refund more than 20 EUR yourself: create a ticket instead.

    ✘ broken-kettle  did  turn 2  create_ticket instead of refund_order  5 of 5
    ✘ small-refund   did  turn 1  create_ticket instead of refund_order  5 of 5
      did: what it changed, and how it ended · last column: runs that differ

    ✔ 6 as recorded
    wanted?  npx agent-replay accept
    unsure?  open .agent-replay/report.html
    rerun    npx agent-replay run --last-failed

    ✘ failed: 2 of 8 sessions changed, 6 as recorded

    In CI this run would end with exit code 1.
    The report:        <temporary>/agent-replay-demo/.agent-replay/report.html
    Continue there:    cd <temporary>/agent-replay-demo && npx agent-replay run --tools recorded
    An agent of yours: npx agent-replay init
    "
  `);
  expect(readdirSync(elsewhere.path)).toEqual([]);
  const [, report = ''] = /The report: +(\S+)/.exec(stdout) ?? [];
  expect(path.relative(temporary.path, report)).not.toMatch(/^\.\./);
  expect(readFileSync(report, 'utf8')).toContain('small-refund');
  const project = path.resolve(report, '../..');
  expect(existsSync(path.join(project, 'agent-replay.config.json'))).toBe(true);
  const again = run(['run', '--tools', 'recorded', 'replays/final-sale.session.json', '--runs', '1'], project);
  expect(again.stdout, again.stderr).toContain('1 of 1 session as recorded');
  expect(again.status).toBe(0);
  await rm(project, { recursive: true });
});
