import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Project, projectWith } from '../cli/project.ts';
import { FakeGitHub } from './github.ts';
import type { StepResult } from './runner/job.ts';
import { pullRequest, runAction } from './step.ts';

let github: FakeGitHub;
let project: Project;
let shards: StepResult[];

/** Two jobs make two runs each of every session, and upload what they found out. */
beforeAll(async () => {
  github = await FakeGitHub.start();
  project = await projectWith({
    sessions: { one: 'a', two: 'b' },
    config: { runs: 4 },
    agent: { env: { PREFIX: 'x ' } },
  });
  const pin = path.join(project.path, 'replays/one.session.json');
  await writeFile(pin, JSON.stringify(JSON.parse(await readFile(pin, 'utf8')), null, 2));
  shards = [];
  for (const [shard, inputs] of [
    [1, { shard: '1/2' }],
    [2, { set: 'shard=2/2' }],
  ] as const) {
    shards.push(await runAction(project, { event: pullRequest(), github, inputs }));
    await cp(path.join(project.path, '.agent-replay'), path.join(project.path, `reports/agent-replay-${shard}`), {
      recursive: true,
    });
  }
});
afterAll(async () => {
  await project[Symbol.asyncDispose]();
  await github[Symbol.asyncDispose]();
});

test('a shard tells of its part in its summary, and nowhere where the whole belongs', () => {
  expect(shards.map(({ summary }) => summary.uploaded)).toEqual([true, true]);
  expect(shards.map(({ outputs }) => outputs['comment-url'])).toEqual(['', '']);
  expect(github.requests).toEqual([]);
});

test('a shard annotates nothing: the job that merges may pass it, and tells the rest once', () => {
  expect(shards.map(({ annotations }) => annotations)).toEqual([[], []]);
  expect(shards.map(({ exitCode }) => exitCode)).toEqual([1, 1]);
});

test('merging gives one verdict on the runs of all shards, in one comment and one report', async () => {
  const step = await runAction(project, { event: pullRequest(), github, inputs: { mode: 'merge' } });
  expect(step).toMatchObject({ exitCode: 1, leftovers: [], outputs: { status: 'failed' } });
  expect(github.comments.map(({ body }) => body)).toEqual([expect.stringContaining('2 of 2 sessions changed')]);
  expect((await project.report()).results).toMatchObject({
    runs: 4,
    sessions: [{ turns: [{ comparison: { conclusive: 4 } }] }, {}],
  });
  expect(step.annotations[0]?.message).toContain('2 of 2 sessions changed');
  const lines = (await project.read('replays/one.session.json')).split('\n');
  expect(step.annotations[1]).toMatchObject({ file: 'replays/one.session.json', line: lines.indexOf('    {') + 1 });
});

test('a shard that is missing is a doubt: exit 2 where the others passed', async () => {
  await using passing = await projectWith({ sessions: { one: 'a', two: 'b' } });
  const step = await runAction(passing, { inputs: { shard: '1/2' } });
  expect(step.exitCode).toBe(0);
  await cp(path.join(passing.path, '.agent-replay'), path.join(passing.path, 'reports/1'), { recursive: true });
  const merged = await runAction(passing, { inputs: { mode: 'merge' } });
  expect(merged).toMatchObject({ exitCode: 2, outputs: { status: 'error' } });
  expect(merged.summary.text).toContain('SHARD_MISSING');
  await rm(path.join(passing.path, 'reports'), { recursive: true });
  const nothing = await runAction(passing, { inputs: { mode: 'merge' } });
  expect(nothing).toMatchObject({ exitCode: 2, annotations: [{ level: 'error' }] });
});
