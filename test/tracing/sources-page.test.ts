import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';
import { serve } from './platform-server.ts';
import { tracesIn } from './traces-in.ts';

const PAGE = readFileSync(new URL('../../docs/sources.md', import.meta.url), 'utf8');
const block = (info: string) => PAGE.match(new RegExp(`^\`\`\`${info}\\n([\\s\\S]*?)^\`\`\`$`, 'm'))?.[1] ?? '';

test('the JSON of docs/sources.md is read as the turn that it tells', () => {
  const [trace] = tracesIn(block('json'));
  expect(trace).toMatchObject({
    sessionId: 's1',
    input: 'Where is my order A-17?',
    output: 'It was shipped yesterday.',
  });
  expect(trace?.observations.map(({ name, callId }) => [name, callId])).toEqual([
    ['support', undefined],
    ['find_order', 'call_1'],
  ]);
});

test('the command of docs/sources.md asks a backend, and its sessions are listed', async () => {
  await using server = await serve(({ pathname }) =>
    pathname === '/export' ? { status: 200, body: JSON.parse(block('json')) } : undefined,
  );
  const [, program = ''] = /command: (\[.*?\]) }/.exec(PAGE) ?? [];
  await using folder = await folderWith({
    'traces.js': block('js traces\\.js'),
    'package.json': '{"type":"module"}',
    'agent-replay.config.json': `{"tracing":{"source":"command","command":${program.replaceAll("'", '"')}}}`,
  });
  const { code, stdout } = await command(['sessions', '--since', '2026-11-20'], {
    cwd: folder.path,
    env: { TRACES_URL: server.url },
  });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^s1 .*Where is my order A-17\?$/m)]);
  expect(server.asked[0]).toBe('/export?since=2026-11-20T00:00:00.000Z');
});
