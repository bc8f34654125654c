import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseReport } from '../../src/report/index.ts';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';

/**
 * What real SDKs exported (`test/chat/fixtures`), led the whole way by an agent that is the recording: pinned, run unchanged,
 * with an edited prompt, with another result of a tool, and one of them with a model's noise. Every third, and all of them in the soak.
 * That each has its causes: `test/chat/captured-causes`. With the SDKs installed: `walks.soak.test.ts`.
 */
const ROOT = path.join(import.meta.dirname, '..', '..');
const FOLDER = path.join(ROOT, 'test', 'chat', 'fixtures');
const AGENT = path.join(import.meta.dirname, 'captured-agent.ts');
const ALL = (await readdir(FOLDER)).filter((file) => file.endsWith('.json')).sort();
const CAPTURES = process.env.CAPTURES === 'all' ? ALL : ALL.filter((_, index) => index % 3 === 0);

/** A project whose agent is this recording, with its two turns pinned. */
async function projectOf(capture: string) {
  const file = path.join(FOLDER, capture);
  const { exports } = JSON.parse(await readFile(file, 'utf8')) as { exports: object[] };
  const agent = { id: 'shop', command: `node ${AGENT}`, url: 'http://127.0.0.1:{port}/replay' };
  const folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({ agent: { ...agent, env: { PORT: '{port}', CAPTURE: file } } }),
    'traces.ndjson': exports.map((body) => JSON.stringify(body)).join('\n'),
  });
  await mkdir(path.join(folder.path, 'node_modules'));
  await symlink(ROOT, path.join(folder.path, 'node_modules', 'agent-replay'), 'dir');
  const replay = (...args: string[]) => command(args, { cwd: folder.path });
  return {
    pin: () => replay('pin', '--from', 'traces.ndjson'),
    async run(...args: string[]) {
      const finished = await replay('run', ...args);
      const report = await readFile(path.join(folder.path, '.agent-replay', 'report.json'), 'utf8');
      const found = JSON.stringify(parseReport(report).results).matchAll(/"cause":\{"kind":"(\w+)"/g);
      return { ...finished, causes: [...new Set([...found].map(([, kind = '']) => kind))] };
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test.each(CAPTURES)(
  '%s: pinned, it is green unchanged, and an edited prompt or another result is red with its cause',
  async (capture) => {
    await using project = await projectOf(capture);
    const pinned = await project.pin();
    expect(pinned.code, pinned.stdout + pinned.stderr).toBe(0);
    expect(pinned.stdout + pinned.stderr).not.toContain('TRACE_UNREAD');

    const unchanged = await project.run('--runs', '5');
    expect(unchanged.code, unchanged.stdout + unchanged.stderr).toBe(0);
    expect(unchanged.stdout + unchanged.stderr).not.toContain('TRACE_UNREAD');
    // Two turns of one session, where the SDK told of one.
    const sessions = pinned.stdout.match(/^written /gm)?.length ?? 0;
    expect(sessions).toBeGreaterThan(0);
    expect(unchanged.stdout).toMatch(new RegExp(`^✔ passed: ${sessions} of ${sessions} sessions? as recorded$`, 'm'));

    const prompt = await project.run('--runs', '2', '--set', 'agent.env.EDIT=prompt');
    expect(prompt).toMatchObject({ code: 1, causes: ['agent'] });
    expect(prompt.stdout.replace(/\s+/g, ' ')).toContain('+ You are a quick shop assistant.');

    expect(await project.run('--runs', '2', '--set', 'agent.env.EDIT=tool')).toMatchObject({
      code: 1,
      causes: ['environment'],
    });
  },
);

// Of every other recording `test/chat/captured-causes` shows it.
test('what the model alone does otherwise is red, with the model as its cause', async () => {
  await using project = await projectOf('openai.openinference.json');
  await project.pin();
  expect(await project.run('--runs', '2', '--set', 'agent.env.EDIT=model')).toMatchObject({
    code: 1,
    causes: ['model'],
  });
});
