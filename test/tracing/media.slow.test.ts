import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { divergenceWords, parseReport } from '../../src/report/index.ts';
import { freePort } from '../agent/processes.ts';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';
import { outcomes } from '../outcomes.ts';
import { ended, startProgram } from '../programs.ts';
import { nameOfContent, platform4 } from './media-platform.ts';
import { KEYS, type PlatformServer, serve } from './platform-server.ts';

const AGENT = path.join(import.meta.dirname, 'fixtures', 'media-agent.ts');
const IMAGE = 'pixels of a lamp';

function keysOf({ url }: PlatformServer): Record<string, string> {
  return {
    LANGFUSE_BASE_URL: url,
    LANGFUSE_BASEURL: url,
    LANGFUSE_PUBLIC_KEY: KEYS.publicKey,
    LANGFUSE_SECRET_KEY: KEYS.secretKey,
  };
}

/** Has a user's turn recorded on the platform, by the real SDK. */
async function recordedOn(server: PlatformServer, sdk: '5'): Promise<void> {
  const env = { ...keysOf(server), SDK: sdk, IMAGE };
  await using agent = await startProgram(['--disable-warning=ExperimentalWarning', AGENT], env);
  const response = await fetch(`http://127.0.0.1:${agent.line}/replay`, { method: 'POST', body: '{}' });
  expect(await response.json()).toEqual({ output: 'Here it is.' });
  // It sends what it has traced before it ends.
  await ended(agent.child, 'SIGTERM');
}

/** A project with the agent, and the session pinned from the platform. */
async function pinnedFrom(server: PlatformServer) {
  const folder = await folderWith({});
  const config = async (settings: object, env: Record<string, string>) => {
    const port = await freePort();
    const written = {
      runs: 2,
      retries: 0,
      ...settings,
      agent: {
        command: `"${process.execPath}" --disable-warning=ExperimentalWarning "${AGENT}"`,
        url: `http://127.0.0.1:${port}/replay`,
        env: { PORT: String(port), IMAGE, ...env },
      },
    };
    await writeFile(path.join(folder.path, 'agent-replay.config.json'), JSON.stringify(written));
  };
  await config({}, {});
  const pinned = await command(['pin', 'photos'], { cwd: folder.path, env: keysOf(server) });
  expect(pinned, pinned.stderr).toMatchObject({ code: 0 });
  return Object.assign(folder, {
    async pinned(): Promise<string> {
      const [name = ''] = await readdir(path.join(folder.path, 'replays'));
      return await readFile(path.join(folder.path, 'replays', name), 'utf8');
    },
    async verdict(settings: object, env: Record<string, string>, platform?: PlatformServer): Promise<string> {
      await config(settings, env);
      const run = await command(['run'], { cwd: folder.path, env: platform === undefined ? {} : keysOf(platform) });
      const report = parseReport(await readFile(path.join(folder.path, '.agent-replay', 'report.json'), 'utf8'));
      const [session] = report.results.sessions;
      const comparison = session?.turns[0]?.comparison;
      return (
        `${session?.verdict} ${comparison === undefined ? '' : divergenceWords(comparison)}`.trim() +
        (run.code === 2 ? run.stderr : '')
      );
    },
  });
}

const embedded = { tracing: 'embedded' };
const onPlatform = { tracing: 'platform' };
const CHANGED = /^changed step 2: result of photo\.image: /;

test('a tool result with an image, recorded on version 4 and inline, is as recorded wherever it is replayed', async () => {
  await using server = await serve(platform4());
  await recordedOn(server, '5');
  await using project = await pinnedFrom(server);
  expect(await project.pinned()).toContain(nameOfContent(IMAGE));
  expect(await project.verdict(embedded, { SDK: '3' })).toBe(outcomes.asRecorded);
  expect(await project.verdict(embedded, { SDK: '5' })).toBe(outcomes.asRecorded);
  expect(await project.verdict(embedded, { SDK: '5', LANGFUSE_MEDIA_UPLOAD_ENABLED: 'false' })).toBe(
    outcomes.asRecorded,
  );
  expect(await project.verdict(onPlatform, { SDK: '5' }, server)).toBe(outcomes.asRecorded);
});

test('another image is changed, wherever it is replayed', async () => {
  await using server = await serve(platform4());
  await recordedOn(server, '5');
  await using project = await pinnedFrom(server);
  const other = { IMAGE: 'pixels of a chair' };
  expect(await project.verdict(embedded, { SDK: '3', ...other })).toMatch(CHANGED);
  expect(await project.verdict(embedded, { SDK: '5', ...other })).toMatch(CHANGED);
  expect(await project.verdict(embedded, { SDK: '5', LANGFUSE_MEDIA_UPLOAD_ENABLED: 'false', ...other })).toMatch(
    CHANGED,
  );
  expect(await project.verdict(onPlatform, { SDK: '5', ...other }, server)).toMatch(CHANGED);
});
