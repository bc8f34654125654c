import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { command } from '../cli/command.ts';
import { fixture, projectWith } from '../cli/project.ts';
import { CANARIES, FORMS, leaksIn, PLACES } from './canaries.ts';

const SESSIONS = { says: 'says', fails: 'fails', moves: 'moves', garbage: 'garbage' };

test('a search for secrets finds each of them in each form', () => {
  for (const [at, secret] of Object.values(CANARIES).entries()) {
    for (const form of FORMS) expect(leaksIn(`<${form(secret)}>`).join()).toContain(PLACES[at]);
  }
  expect(leaksIn('nothing')).toEqual([]);
});

test('fault 66 and 135: of twenty secrets in twenty places, in twelve forms each, no byte leaves: no output, no file, no request', async () => {
  const sent: string[] = [];
  const platform = createServer(async (request, response) => {
    sent.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}\n${await buffer(request)}`);
    response.end('{}');
  });
  await new Promise<void>((listening) => platform.listen(0, '127.0.0.1', listening));
  const env = {
    ...CANARIES,
    LANGFUSE_HOST: `http://127.0.0.1:${(platform.address() as AddressInfo).port}`,
    LANGFUSE_PUBLIC_KEY: 'pk-lf-platform',
    LANGFUSE_SECRET_KEY: 'sk-lf-platform-0123456789',
  };
  await using project = await projectWith({
    sessions: SESSIONS,
    config: { tracing: { source: 'embedded', forward: true }, timeouts: { trace: 5_000 } },
    agent: { command: fixture('canary-agent.ts') },
  });
  const code = `import { FORMS } from ${JSON.stringify(path.join(import.meta.dirname, 'canaries.ts'))};
for (const form of FORMS) console.log(form(process.env.CANARY_${PLACES.indexOf('configuration')}_KEY));`;
  const settings = await project.read('agent-replay.config.json');
  await writeFile(path.join(project.path, 'own.config.mjs'), `${code}\nexport default ${settings};\n`);
  const given = new Set(await readdir(project.path, { recursive: true }));

  const args = ['--config', 'own.config.mjs'];
  const ran = [
    await command(['run', ...args, '--history', 'history.ndjson'], { cwd: project.path, env }),
    await command(['merge', '.agent-replay', '--output-dir', 'merged'], { cwd: project.path, env }),
    await command(['history', 'history.ndjson'], { cwd: project.path, env }),
    await command(['accept', ...args, '--as-recordings'], { cwd: project.path, env }),
  ];
  platform.close();
  expect(ran[0]).toMatchObject({ stderr: expect.stringContaining('LEAK_PREVENTED') });
  expect(sent.join()).toContain('***');

  const left: Record<string, string> = { forwarded: sent.join('\n') };
  for (const [at, { stdout, stderr }] of ran.entries()) left[`output ${at}`] = stdout + stderr;
  const files = await readdir(project.path, { recursive: true, withFileTypes: true });
  for (const file of files.filter((each) => each.isFile())) {
    const name = path.relative(project.path, path.join(file.parentPath, file.name));
    if (!given.has(name) || name.endsWith('.session.json')) left[name] = await project.read(name);
  }
  expect(Object.keys(left)).toEqual(
    expect.arrayContaining(['history.ndjson', '.agent-replay/report.html', '.agent-replay/journal.ndjson']),
  );
  const leaks = Object.entries(left).flatMap(([sink, bytes]) => leaksIn(bytes).map((leak) => `${sink}: ${leak}`));
  expect(leaks).toEqual([]);
});
