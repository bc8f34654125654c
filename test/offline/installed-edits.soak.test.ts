import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { command } from '../cli/command.ts';
import { recordTurns } from '../frameworks/lead.ts';
import { type ModelServer, startModelServer } from '../frameworks/model-server.ts';
import { walkOf } from '../frameworks/walk.ts';
import { INSTALLED_AGENTS } from './installed-edits.ts';
import { expectJudged } from './judged.ts';
import { copyOfProject, edited } from './project.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const WALKS = path.join(ROOT, 'test', 'frameworks', 'walks');
/** Their tools touch nothing, and are not wrapped. */
const options = ['--tools', 'live'];

let model: ModelServer;
let packed: string;
beforeAll(async () => {
  model = await startModelServer();
  packed = mkdtempSync(path.join(tmpdir(), 'packed-'));
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', packed], { cwd: ROOT });
});
afterAll(async () => {
  await model[Symbol.asyncDispose]();
  rmSync(packed, { recursive: true, force: true });
});

async function conversed(address: string, questions: readonly string[]): Promise<void> {
  for (const message of questions) {
    const body = JSON.stringify({ session: 'one', message });
    await fetch(`${address}/chat`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  }
}

describe.each(INSTALLED_AGENTS)('$name', ({ name, own, altered, env, edits, bumps = [] }) => {
  const walk = walkOf(name);
  let project: string;
  let all: Record<string, string>;

  /** Installed from its lock file, set up, and with a recorded session of three turns. */
  beforeAll(async () => {
    project = mkdtempSync(path.join(tmpdir(), `offline-${name}-`));
    cpSync(path.join(WALKS, name), project, { recursive: true });
    if (own !== undefined) cpSync(path.join(import.meta.dirname, 'agents', own), path.join(project, 'agent.js'));
    if (altered !== undefined) await edited(project, altered);
    const [archive = ''] = readdirSync(packed);
    walk.install(project, path.join(packed, archive));
    all = { ...model.env, ...walk.env, ...env };
    const init = ['init', '--yes', '--agent-id', 'shop', '--url', 'http://127.0.0.1:{port}/replay'];
    expect(await command(init, { cwd: project, env: all })).toMatchObject({ code: 0 });
    const questions = ['Where is order 7?', 'Refund it.', 'Hello?'];
    await recordTurns({ folder: project, env: all, converse: conversed }, questions);
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  test('unchanged, every turn is as recorded without a model', async () => {
    await using folder = await copyOfProject(project, all);
    expect(await folder.call('run', '--offline', '--quiet', ...options)).toMatchObject({ code: 0 });
  });

  test.each(edits.map((planted) => ({ name: planted[0], does: planted[1], planted })))(
    '$name: $does',
    async ({ planted }) => {
      await using folder = await copyOfProject(project, all);
      await folder.edit(planted[2]);
      await expectJudged(folder, planted, { options, live: [] });
    },
  );

  test.each(bumps)('with %s the agent does as recorded, or what its requests differ in is named', async (bump) => {
    await using folder = await copyOfProject(project, all);
    rmSync(path.join(folder.path, 'node_modules'));
    cpSync(path.join(project, 'node_modules'), path.join(folder.path, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    const args = ['install', bump, '--ignore-scripts', '--no-audit', '--no-fund', '--force'];
    execFileSync('npm', args, { cwd: folder.path, stdio: 'inherit' });
    const { code, stdout } = await folder.call('run', '--offline', '--quiet', ...options);
    if (code !== 0) expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringMatching(/its .* differs/) });
  });
});
