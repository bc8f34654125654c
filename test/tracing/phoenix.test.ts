import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';
import { API_KEY, PROJECT, phoenix, turnSpans } from './phoenix-server.ts';
import { serve } from './platform-server.ts';
import { programOf } from './programs.ts';

const RUN = { svc_replay_run_id: 'uid.t1.r1', agent_id: 'support', session_id: 'replay-s1', run_id: 'run-1' };

test('the program of docs/sources.md lists and pins sessions of Phoenix', async () => {
  const others = Array.from({ length: 60 }, (_, n) => turnSpans({ trace: `o${n}`, session: 's2' })).flat();
  const recorded = turnSpans({ trace: 't1', metadata: { agent_id: 'support', session_id: 's1', run_id: 'run-1' } });
  const replay = turnSpans({ trace: 't2', session: 'replay-s1', metadata: RUN });
  await using server = await serve(phoenix(() => [...others, ...recorded, ...replay]));
  await using folder = await folderWith({
    'phoenix.js': programOf('phoenix'),
    'package.json': '{"type":"module"}',
    'agent-replay.config.json': JSON.stringify({ tracing: { source: 'command', command: ['node', 'phoenix.js'] } }),
  });
  const env = { PHOENIX_HOST: server.url, PHOENIX_API_KEY: API_KEY, PHOENIX_PROJECT_NAME: PROJECT };
  const run = (...args: string[]) => command(args, { cwd: folder.path, env });
  const { stdout } = await run('sessions', '--since', '2026-11-01');
  expect(stdout).toMatch(/^s1 +2026-11-21 00:40 +support +1 +yes +- +Where is my order A-17\?$/m);
  expect(stdout).not.toContain('replay-s1');
  expect(await run('pin', 's1')).toMatchObject({ code: 0, stderr: '' });
  const [file] = await readdir(path.join(folder.path, 'replays'));
  const pin = JSON.parse(await readFile(path.join(folder.path, 'replays', file as string), 'utf8'));
  expect(pin).toMatchObject({
    id: 's1',
    turns: [
      {
        request: { messages: [{ role: 'user', content: 'Where is my order A-17?' }], model: 'gpt-5-mini' },
        recorded: { output: 'It was shipped yesterday.' },
      },
    ],
  });
});
