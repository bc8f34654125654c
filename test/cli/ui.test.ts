import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../agent/processes.ts';
import { command, printedUrl, start } from './command.ts';
import { projectWith } from './project.ts';

test('ui serves the page at the port that was asked for, and ends with Ctrl-C, with all that it started', async () => {
  await using project = await projectWith({ sessions: { one: 'hang' } });
  const port = await freePort();
  const running = start(['ui', '--no-open', '--port', String(port)], { cwd: project.path });
  const url = await printedUrl(running);
  expect(url.origin).toBe(`http://127.0.0.1:${port}`);
  const headers = { authorization: `Bearer ${url.hash.slice('#token='.length)}` };
  const body = JSON.stringify({ session: 'one', runs: 1 });
  const { id } = (await (await fetch(new URL('/api/runs', url), { method: 'POST', headers, body })).json()) as {
    id: string;
  };
  // Followed until the agent is there; it does not answer.
  const said = async () => (await fetch(new URL(`/api/run?id=${id}`, url), { headers })).text();
  await expect.poll(said).toContain('The agent is ready');
  running.child.kill('SIGINT');
  const { code } = await running.finished;
  expect(code).toBe(130);
  expect(project.leftovers()).toEqual([]);
});

test('a port that is taken, and one that is none, are said', async () => {
  await using project = await projectWith({});
  const port = await freePort();
  const running = start(['ui', '--no-open', '--port', String(port)], { cwd: project.path });
  await printedUrl(running);
  const second = await command(['ui', '--no-open', '--port', String(port)], { cwd: project.path });
  expect(second).toMatchObject({ code: 2, stderr: expect.stringContaining('EADDRINUSE') });
  const none = await command(['ui', '--port', '70000'], { cwd: project.path });
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('--port takes a number from 1 to 65535') });
  running.child.kill('SIGTERM');
  expect((await running.finished).code).toBe(143);
});

test('the browser gets the token by a file that nobody else can read, and no process has it in its arguments', async () => {
  await using project = await projectWith({ sessions: { one: 'a' } });
  const told = path.join(project.path, 'told');
  // Stands for the desktop's own, which hands its argument to a browser.
  const opener = path.join(project.path, 'xdg-open');
  await writeFile(opener, '#!/bin/sh\nprintf "%s\\n" "$*" > "$TOLD.tmp" && mv "$TOLD.tmp" "$TOLD"\n');
  await chmod(opener, 0o755);
  const env = { PATH: `${project.path}:${process.env.PATH}`, TOLD: told };
  const running = start(['ui'], { cwd: project.path, env });
  const { hash, href } = await printedUrl(running);
  await expect.poll(() => readdir(project.path)).toContain('told');
  const file = (await readFile(told, 'utf8')).trim();
  expect(file).not.toContain(hash.slice('#token='.length));
  expect(await readFile(file, 'utf8')).toContain(href);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  running.child.kill('SIGTERM');
  await running.finished;
  await expect(stat(file)).rejects.toThrow('ENOENT');
});
