import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isOnRecord, readEvent } from '../../action/event.ts';
import demo from '../../agent-replay.config.ts';
import { pinOf, projectWith } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';
import { checkoutWith, type Found, tell } from './findings.ts';
import { FakeGitHub } from './github.ts';
import { RUN } from './runner/job.ts';
import { dispatch, jobIn, pullRequest, push, runAction } from './step.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const NOTICE = { level: 'notice', title: 'agent-replay' };
const PASSING: Found = { prefix: '' };

test('a pull request gets one comment of each leg of a matrix, whatever its job is called, and its address is an output', async () => {
  await using github = await FakeGitHub.start();
  github.files = ['added', 'modified'].map((status) => ({ filename: `replays/${status}.session.json`, status }));
  const step = await tell(PASSING, { event: pullRequest(), github });
  expect(step).toMatchObject({ exitCode: 0, annotations: [] });
  expect(github.comments.map(({ body }) => body)).toEqual([expect.stringContaining('1 of 1 session as recorded')]);
  // A check that is green by what was recorded again says so.
  expect(github.comments[0]?.body).toContain('**Recordings changed in this pull request:** 1 new, 1 recorded again.');
  expect(step.outputs['comment-url']).toBe(
    `https://github.com/Codertocat/Hello-World/pull/2#issuecomment-${github.comments[0]?.id}`,
  );
  await tell(PASSING, { event: pullRequest(), github, inputs: { leg: '{"model":"small"}' } });
  await tell(PASSING, {
    event: pullRequest(),
    github,
    env: { GITHUB_JOB: 'renamed', GITHUB_RUN_ID: String(RUN.id + 1) },
  });
  expect(github.comments).toHaveLength(2);
});

test('a second step of a job with a name has its own comment, address and folder, and leaves that of the first as it is', async () => {
  await using github = await FakeGitHub.start();
  await using checkout = await checkoutWith(PASSING, {
    'replays/one.session.json': JSON.stringify(pinOf('one', ['a'])),
  });
  const matrix = '{"model":"large","os":"ubuntu"}';
  await checkout.tell({ event: pullRequest(), github, inputs: { leg: matrix } });
  const first = await readFile(path.join(checkout.path, '.agent-replay/report.json'), 'utf8');
  const inputs = { name: 'other agent', 'report-url': 'https://example.com/r', 'output-dir': 'second' };
  const step = await checkout.tell({ event: pullRequest(), github, inputs, env: { GITHUB_ACTION: '__self_2' } });
  expect(github.comments.map(({ body }) => body.split('\n')[1])).toEqual([
    '### ✔ agent-replay for large, ubuntu: 1 of 1 session as recorded',
    '### ✔ agent-replay for other agent: 1 of 1 session as recorded',
  ]);
  const sha = 'ec26c3e57ca3a959ca5aad62de7213c562f8c821';
  expect(github.comments[1]?.body).toContain(
    `[<code>one</code>](https://github.com/Codertocat/Hello-World/blob/${sha}/replays/one.session.json)`,
  );
  expect(github.comments[1]?.body).toContain('[report](https://example.com/r)');
  expect(step.summary.text.startsWith('### ✔ agent-replay for other agent: 1 of 1 session as recorded\n')).toBe(true);
  expect(step.outputs.report).toBe(path.join(checkout.path, 'second/report.json'));
  expect(await readFile(path.join(checkout.path, '.agent-replay/report.json'), 'utf8')).toBe(first);
});

test('the report that a later step uploads is one click from the comment, each session at its place, once the job ends', async () => {
  await using github = await FakeGitHub.start();
  await using checkout = await checkoutWith({});
  await using job = await jobIn(checkout, { event: pullRequest(), github, inputs: { mode: 'merge' } });
  await (await job.main()).finished;
  const run = `https://github.com/Codertocat/Hello-World/actions/runs/${RUN.id}`;
  expect(github.comments[0]?.body).toContain(`[see recording and replays side by side](${run}#artifacts)`);
  await job.post({ 'report-url': `${run}/artifacts/42` });
  expect(github.comments).toHaveLength(1);
  for (const link of [
    '[see recording and replays side by side](URL#session=one)',
    '[4/4 differ](URL#session=one)',
    '[report](URL)',
  ])
    expect(github.comments[0]?.body).toContain(link.replace('URL', `${run}/artifacts/42`));
  expect(github.comments[0]?.body).not.toContain('report.invalid');
});

test('a comment whose stamp somebody has edited is told and replaced by the next run; words of others stay', async () => {
  await using github = await FakeGitHub.start();
  await tell(PASSING, { event: pullRequest(), github });
  const [own] = github.comments;
  Object.assign(own!, { body: `Looks good to me.\n${own!.body}`, editor: { login: 'octocat', type: 'User' } });
  const others = github.add('### ✔ agent-replay: all good');
  const step = await tell({}, { event: pullRequest(), github, env: { GITHUB_RUN_ID: String(RUN.id + 1) } });
  expect(github.comments.map(({ body }) => body.split('\n').find((line) => line.startsWith('###')))).toEqual([
    others.body,
    '### ✘ agent-replay: 1 of 1 session changed',
  ]);
  expect(step.annotations.map(({ message }) => message).join()).toContain('had been edited by hand');
});

test('the first annotation stands at the edited line, in the diff of the pull request, and says what it did; the comment says where the pull request did not edit it', async () => {
  const example = path.join(ROOT, 'examples/support-agent');
  const recorded = await readFile(path.join(example, 'prompts/system.md'), 'utf8');
  const prompt = recorded.replace('200 EUR', '20 EUR');
  const pins = ['small-refund', 'where-is-my-order'].map((name) => `replays/${name}.session.json`);
  const files = await Promise.all(pins.map(async (pin) => [pin, await readFile(path.join(example, pin), 'utf8')]));
  const { agent, tools, compare } = demo;
  await using project = await projectWith({
    config: { tools, compare },
    // The line stands in a second file, which the pull request leaves alone.
    files: { ...Object.fromEntries(files), 'prompts/a-copy.md': prompt, 'prompts/system.md': prompt },
    agent: {
      ...agent,
      command: `"${process.execPath}" "${path.join(example, 'demo.ts')}"`,
      env: { SYSTEM_PROMPT_FILE: 'prompts/system.md' },
    },
  });
  await using github = await FakeGitHub.start();
  const patch = '@@ -5,1 +5,1 @@\n-- Never refund more than 200 EUR\n+- Never refund more than 20 EUR';
  github.files = [{ filename: 'prompts/system.md', status: 'modified', patch }];
  const step = await runAction(project, { event: pullRequest(), github });
  expect(step.annotations[0]).toMatchObject({
    level: 'error',
    file: 'prompts/system.md',
    line: 5,
    message: '1 of 2 sessions changed by this line: create_ticket instead of refund_order (small-refund)',
  });
  expect(github.comments[0]?.body).toContain('(<code>prompts/system.md&#58;5</code>)');

  // Where the line came with an earlier change, this one is not told that it changed it.
  github.files = [{ filename: 'README.md', status: 'modified', patch: '@@ -1,1 +1,1 @@\n-a\n+b' }];
  await runAction(project, { event: pullRequest(), github, env: { GITHUB_RUN_ID: String(RUN.id + 1) } });
  expect(github.comments[0]?.body).toContain('.md&#58;5</code>, which this pull request does not change)');
});

test('fault 39, 67: a comment that cannot be written costs one notice, of which nothing is a word of GitHub', async () => {
  await using github = await FakeGitHub.start();
  github.faults.viewer = [{ status: 403 }];
  const step = await tell({}, { event: pullRequest(), github });
  expect(step).toMatchObject({ exitCode: 1, outputs: { status: 'failed', 'comment-url': '' } });
  expect(step.annotations.filter(({ level }) => level === 'notice')).toMatchObject([
    { ...NOTICE, message: expect.stringContaining('(403)') },
  ]);
  expect(step.rawLog).not.toMatch(/authorization|Resource not accessible|token gh/i);
  expect(step.summary.text).toContain('1 of 1 session changed');
});

test.for<[string, Record<string, string>, string]>([
  ['an invalid configuration', { set: 'agent.timeot=1' }, 'there is no such key'],
  ['an input that cannot be meant', { runs: 'many' }, 'takes a number'],
  ['a mode that there is not', { mode: 'replay' }, 'cannot be'],
  ['a configuration that is not there', { config: 'nowhere.ts' }, 'There is no configuration'],
  ['a folder that is not there', { 'working-directory': 'nowhere' }, 'is not a folder'],
  ['no sessions where they are looked for', { set: 'sessions=nowhere/*.json' }, 'nowhere'],
  ['no reports to merge', { mode: 'merge', reports: 'nowhere' }, 'nowhere'],
  ['a receiver that no agent reaches', {}, 'RECEIVER_UNREACHABLE'],
])('a failure before there is a report stands in comment and summary: %s', async ([, inputs, said]) => {
  await using github = await FakeGitHub.start();
  await tell(PASSING, { event: pullRequest(), github });
  await using folder = await folderWith({ 'replays/one.session.json': JSON.stringify(pinOf('one', ['a'])) });
  const step = await runAction(folder, {
    event: pullRequest(),
    github,
    inputs: { url: 'http://127.0.0.1:9/replay', ...inputs },
    env: { GITHUB_RUN_ID: String(RUN.id + 1) },
  });
  expect(step).toMatchObject({ exitCode: 2, outputs: { status: 'error' } });
  expect(step.annotations[0]).toMatchObject({ level: 'error', title: expect.stringMatching(/^agent-replay/) });
  for (const { message } of step.annotations) expect(message).not.toContain('--');
  expect(github.comments).toHaveLength(1);
  for (const text of [github.comments[0]?.body, step.summary.text]) {
    // A project without recordings is set up, and not broken.
    expect(text).toContain(text?.includes('NO_SESSIONS') ? '[!NOTE]' : '[!WARNING]');
    expect(text).toContain(said);
    expect(text).not.toContain('1 of 1 session as recorded');
  }
});

test('a step that fails early says so in place of an earlier run alone, and the next good run finds its comment again', async () => {
  await using github = await FakeGitHub.start();
  await using other = await checkoutWith(PASSING);
  const rename = { name: 'other' };
  const env = (later: number) => ({ GITHUB_RUN_ID: String(RUN.id + later) });
  await tell(PASSING, { event: pullRequest(), github });
  await other.tell({ event: pullRequest(), github, inputs: rename, env: env(1) });
  const [first, second] = github.comments;
  const told = second!.body;
  await runAction(other, { event: pullRequest(), github, inputs: { config: 'nowhere.ts' }, env: env(1) });
  expect([first!.body.includes('There is no configuration'), second!.body]).toEqual([true, told]);
  await tell(PASSING, { event: pullRequest(), github, env: env(2) });
  expect(first!.body).toContain('1 of 1 session as recorded');
  expect(github.comments).toHaveLength(2);
});

test('legs of a group have one comment, which says what each found out, and which of them failed before it could', async () => {
  await using github = await FakeGitHub.start();
  const leg = (model: string) => ({
    event: pullRequest(),
    github,
    inputs: { group: 'models', legs: '3', leg: JSON.stringify({ model }) },
  });
  const shown = await tell(PASSING, leg('small'));
  await tell({}, leg('large'));
  await using folder = await folderWith({});
  const { inputs, ...rest } = leg('huge');
  await runAction(folder, { ...rest, inputs: { ...inputs, config: 'nowhere.ts' } });
  const [{ body = '', id } = {}] = github.comments;
  expect(github.comments).toHaveLength(1);
  expect(shown.outputs['comment-url']).toContain(`issuecomment-${id}`);
  expect(body).toContain('### ✘ agent-replay for models: 1 of 3 checks failed, 1 could not tell, 1 passed');
  const lines = body.split('\n').flatMap((line) => /<summary>(. <b>.*?<\/b>)/.exec(line)?.[1] ?? []);
  expect(lines).toEqual(['✘ <b>large</b>', '? <b>huge</b>', '✔ <b>small</b>']);
  expect(body).toContain('There is no configuration');
});

test('a report that could not be written is no pass: the check, the comment and the outputs say so alike', async () => {
  await using project = await projectWith({ sessions: { one: 'a' } });
  await using github = await FakeGitHub.start();
  const inputs = { 'output-dir': 'agent-replay.config.json/x' };
  const step = await runAction(project, { event: pullRequest(), github, inputs });
  expect(step).toMatchObject({ exitCode: 2, outputs: { status: 'error', report: '', html: '' } });
  expect(github.comments[0]?.body).toContain('### ? agent-replay: 1 of 1 session as recorded, and 1 problem\n');
  expect(github.comments[0]?.body).toContain('OUTPUT_NOT_WRITABLE');
  expect(step.annotations.filter(({ message }) => message.includes('OUTPUT_NOT_WRITABLE'))).toHaveLength(1);
});

test('a file of the runner that cannot be written costs a warning, and no verdict', async () => {
  const broken = { GITHUB_OUTPUT: '/dev/full', GITHUB_STATE: '/', GITHUB_STEP_SUMMARY: '/dev/full' };
  const step = await tell(PASSING, { event: push(), env: broken });
  expect(step).toMatchObject({ exitCode: 0, outputs: {} });
  expect(step.annotations.map(({ level, message }) => [level, message.split(/[.;]/)[0]])).toEqual([
    ['warning', "The runner's file for the state of this step could not be written"],
    ['warning', "The runner's file for the outputs of this step could not be written"],
    ['warning', 'The job summary could not be written'],
  ]);
  expect(step.log).not.toMatch(/^\s+at /m);
});

test.for<[string, string, boolean]>([
  ['a feature branch', 'refs/heads/feature', false],
  ['a tag', 'refs/tags/main', false],
  ['the default branch', 'refs/heads/main', true],
])('a run of %s is on the record or not', async ([, ref, isRecord]) => {
  await using folder = await folderWith({ 'event.json': JSON.stringify(dispatch().payload) });
  const GITHUB_EVENT_PATH = path.join(folder.path, 'event.json');
  const event = await readEvent({ GITHUB_EVENT_NAME: 'workflow_dispatch', GITHUB_REF: ref, GITHUB_EVENT_PATH });
  expect(isOnRecord(event)).toBe(isRecord);
});

test.for([
  ['feature', 0],
  ['main', 1],
] as const)('a run of %s writes history and issues only where that is the record', async ([branch, count]) => {
  await using github = await FakeGitHub.start();
  const inputs = { issue: 'true', history: 'branch:history' };
  const env = { GITHUB_REF: `refs/heads/${branch}` };
  const step = await tell({}, { event: dispatch(), github, inputs, env });
  expect([github.issues.length, github.git.depthOf('history')]).toEqual([count, count]);
  expect(step.log.includes('No history or issue was written')).toBe(count === 0);
});

test.for([
  ['deleted', null],
  ['of a stranger', { full_name: 'stranger/Hello-World' }],
] as const)('fault 38, 46: nothing is asked of GitHub for a pull request from a fork: %s', async ([, repo]) => {
  await using github = await FakeGitHub.start();
  const event = pullRequest(({ pull_request }) => {
    pull_request.head.repo = repo;
  });
  const step = await tell(PASSING, { event, github });
  expect(step).toMatchObject({ exitCode: 0, annotations: [{ ...NOTICE, message: expect.stringContaining('fork') }] });
  expect(github.requests).toEqual([]);
  expect(step.summary.uploaded).toBe(true);
});
