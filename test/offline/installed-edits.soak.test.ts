import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installed, installedFrom, type Packed, packed } from './installed.ts';
import { INSTALLED_AGENTS } from './installed-edits.ts';
import { expectJudged } from './judged.ts';
import { copyOfProject } from './project.ts';

/** Their tools touch nothing, and are not wrapped. */
const options = ['--tools', 'live'];

let archive: Packed;
beforeAll(async () => {
  archive = await packed();
});
afterAll(() => archive[Symbol.asyncDispose]());

describe.each(INSTALLED_AGENTS)('$name', ({ edits, bumps = [], ...agent }) => {
  let project: Installed;
  beforeAll(async () => {
    project = await installedFrom(archive, agent, ['Where is order 7?', 'Refund it.', 'Hello?']);
  });
  afterAll(() => rmSync(project.folder, { recursive: true, force: true }));

  test.each(edits.map((planted) => ({ name: planted[0], does: planted[1], planted })))(
    '$name: $does',
    async ({ planted }) => {
      await using folder = await copyOfProject(project.folder, project.env);
      await folder.edit(planted[2]);
      await expectJudged(folder, planted, { options, live: [] });
    },
  );

  test.each(bumps)('with %s the agent does as recorded, or what its requests differ in is named', async (bump) => {
    await using folder = await copyOfProject(project.folder, project.env);
    rmSync(path.join(folder.path, 'node_modules'));
    cpSync(path.join(project.folder, 'node_modules'), path.join(folder.path, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    const args = ['install', bump, '--ignore-scripts', '--no-audit', '--no-fund', '--force'];
    execFileSync('npm', args, { cwd: folder.path, stdio: 'inherit' });
    const { code, stdout } = await folder.call('run', '--offline', '--quiet', ...options);
    if (code !== 0) expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringMatching(/its .* differs/) });
  });
});
