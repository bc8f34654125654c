import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { commentablePullRequest, readEvent } from '../../action/event.ts';
import { takeInputs } from '../../action/inputs.ts';
import { projectWith } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';
import { outcomes } from '../outcomes.ts';
import { IN_VAIN_MS } from '../patience.ts';
import { FakeGitHub, TOKEN } from './github.ts';
import { jobIn, pullRequest, push, runAction } from './step.ts';

const VERDICTS = Object.fromEntries(Object.values(outcomes).map((each) => [each, 0]));

test('what behaves as recorded passes: exit 0, outputs, a summary, no annotation', async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: ['b', 'c'] } });
  const step = await runAction(project, { event: push() });
  expect(step.annotations).toEqual([]);
  expect(step).toMatchObject({ exitCode: 0, conclusion: 'success', leftovers: [] });
  expect(step.outputs).toEqual({
    status: 'passed',
    verdicts: JSON.stringify({ ...VERDICTS, [outcomes.asRecorded]: 2 }),
    report: path.join(project.path, '.agent-replay/report.json'),
    html: path.join(project.path, '.agent-replay/report.html'),
    'comment-url': '',
    'issue-url': '',
  });
  expect(step.summary).toMatchObject({ uploaded: true, text: expect.stringContaining('2 of 2 sessions as recorded') });
  expect((await project.report()).results.status).toBe('passed');
});

test('a divergence fails the step, with an annotation at the line of the turn', async () => {
  await using project = await projectWith({ sessions: { one: ['a', 'b'] }, agent: { env: { PREFIX: 'new ' } } });
  const pin = JSON.stringify(JSON.parse(await project.read('replays/one.session.json')), null, 2);
  await writeFile(path.join(project.path, 'replays/one.session.json'), pin);
  const step = await runAction(project, {
    inputs: { runs: '4', set: `agent.env.PORT=${project.port}\nagent.env.PREFIX=new ` },
    event: push(),
  });
  expect(step).toMatchObject({ exitCode: 1, conclusion: 'failure', outputs: { status: 'failed' } });
  const lines = pin.split('\n').flatMap((line, at) => (line === '    {' ? [at + 1] : []));
  expect(step.annotations.map(({ level, file, line }) => ({ level, file, line }))).toEqual([
    { level: 'error', file: undefined, line: undefined },
    { level: 'error', file: 'replays/one.session.json', line: lines[0] },
    { level: 'error', file: 'replays/one.session.json', line: lines[1] },
  ]);
  expect(step.annotations[1]?.message).toContain('lookup.text: ');
});

test('what could not be verified is exit 2, and never a divergence', async () => {
  await using project = await projectWith({
    sessions: { one: 'untraced', two: 'b' },
    config: { timeouts: { trace: IN_VAIN_MS } },
  });
  const step = await runAction(project);
  expect(step).toMatchObject({ exitCode: 2, conclusion: 'failure', outputs: { status: 'error' } });
  expect(JSON.parse(step.outputs.verdicts ?? '')).toEqual({
    ...VERDICTS,
    [outcomes.asRecorded]: 1,
    [outcomes.couldNotTell]: 1,
  });
  expect(step.annotations[0]?.message).toContain('Mend this, then run again.');
  expect(step.summary.text).toContain('**Not everything was compared.**');
});

test('a failed call is annotated with its status, what was answered, and what the agent printed last', async () => {
  await using project = await projectWith({ sessions: { one: 'a' } });
  const step = await runAction(project, { inputs: { set: `agent.env.PORT=${project.port}\nagent.env.FAILS=500` } });
  expect(step).toMatchObject({ exitCode: 2, outputs: { status: 'error' } });
  const { file, message = '' } = step.annotations[1] ?? {};
  expect(file).toBe('replays/one.session.json');
  const [said, ...seen] = message.split('\n');
  expect(said).toContain('could not tell: The agent answered with status 500');
  expect(seen[0]).toBe('body: {"error":"out of order"}');
  expect(seen).toContain('agent: Error: the till is jammed');
});

test('an answer that is not traced is one warning, and no failure', async () => {
  await using project = await projectWith({ sessions: { one: 'says otherwise', two: 'says otherwise' } });
  const step = await runAction(project);
  expect(step).toMatchObject({ exitCode: 0, outputs: { status: 'passed' } });
  expect(step.annotations).toMatchObject([{ level: 'warning', message: expect.stringContaining('ANSWER_NOT_TRACED') }]);
});

test.for([
  [{ runs: 'many' }, ['The input "runs" takes a number, not "many".']],
  [{ runs: '2', set: 'runs=3' }, ['runs is given twice, with two values.']],
  [{ set: 'nonsense' }, ['A setting is given as KEY=VALUE, not as "nonsense".']],
  [
    { runs: '0', set: 'agent.timeot=1\nagent.timeout=0.5' },
    [
      'input "set", agent.timeot: there is no such key',
      'input "runs": ',
      'input "set", agent.timeout: expected a whole number',
    ],
  ],
  [{ config: 'nowhere.ts' }, ['There is no configuration nowhere.ts.']],
  [{ mode: 'publish' }, ['Use it in a workflow that runs on workflow_run.']],
  [{ mode: 'merge' }, ['There is no journal.ndjson in']],
] as const)(
  'an input that cannot be meant is named and fails the step, and the post step does nothing: %j',
  async ([inputs, messages]) => {
    await using project = await projectWith({ sessions: { one: 'a' } });
    await using job = await jobIn(project, { inputs });
    const step = await (await job.main()).finished;
    expect(step).toMatchObject({ exitCode: 2, conclusion: 'failure', outputs: { status: 'error' } });
    const said = step.annotations.map((annotation) => annotation.message).join();
    for (const message of messages) expect(said).toContain(message);
    expect(step.rawLog).not.toMatch(/^\s+at .*\.js:\d+/m);
    // However early the main step ended.
    expect(await job.post()).toMatchObject({ exitCode: 0, annotations: [], log: '' });
  },
);

test.for([
  [{ 'working-directory': 'nowhere' }, 'The input "working-directory" is not a folder'],
  [{ mode: 'publsh' }, 'The input "mode" cannot be "publsh".'],
  [{ timeout: '0' }, 'The input "timeout" cannot be 0.'],
  [{ history: 'branch:a b' }, 'The input "history" names no branch'],
  [{ legs: '0' }, 'The input "legs" cannot be 0.'],
  [{ group: 'g'.repeat(101) }, 'The input "group" is longer than 100 characters'],
] as const)('before anything is loaded an input is refused: %j', ([inputs, message]) => {
  const env = Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
  expect(() => takeInputs(Object.fromEntries(env))).toThrow(message);
});

test('a project without the package can have a configuration in TypeScript', async () => {
  await using other = await projectWith({ sessions: { one: 'a' } });
  const written = await other.read('agent-replay.config.json');
  const config = `import { defineConfig, type ConfigInput } from 'agent-replay';\nconst written: ConfigInput = ${written};\nexport default defineConfig(written);\n`;
  await using project = await projectWith({
    sessions: { one: 'a' },
    files: {
      'app/agent-replay.config.ts': config,
      'app/replays/one.session.json': await other.read('replays/one.session.json'),
    },
  });
  const step = await runAction(project, { inputs: { 'working-directory': 'app' } });
  expect(step.annotations).toEqual([]);
  expect(step.exitCode).toBe(0);
});

test('fault 64: what an agent prints and answers is no command', async () => {
  const hostile = '::error::x\\n##[add-mask]a\\n::stop-commands::t\\nx\\r::set-env name=A::b\\n\\033[31m##[group]g\\n';
  await using project = await projectWith({ sessions: { one: 'a', '::error::id': 'b' } });
  const { command } = JSON.parse(await project.read('agent-replay.config.json')).agent;
  const step = await runAction(project, {
    inputs: {
      runs: '4',
      start: `printf '${hostile}' >&2; printf '${hostile}'; exec ${command}`,
      set: `agent.stdout=pipe\nagent.env.PORT=${project.port}\nagent.env.PREFIX=::warning::w ##[error]e \r::add-mask::answer `,
    },
  });
  expect(step.outputs.status).toBe('failed');
  expect(step.log).toContain('agent| ::error::x');
  expect([...new Set(step.commands)].sort()).toEqual(['add-mask', 'endgroup', 'error', 'group']);
  expect(step.commands.filter((command) => command === 'group')).toHaveLength(1);
  // What agent.env gives is masked, the hostile text as well.
  const given = (mask: string) => /^https:|^[\da-f-]{36}$|::warning::w|^::add-mask::answer$/.test(mask);
  expect([...step.masks].filter((mask) => !given(mask))).toEqual([TOKEN, 'canary-runtime-token', 'canary-id-token']);
  expect(step.annotations.map(({ title }) => title)).toEqual([
    'agent-replay',
    'agent-replay: --error--id',
    'agent-replay: one',
  ]);
  expect(step.env).toEqual({ pairs: {}, error: undefined });
});

/** Secrets of a job by other names, by which nobody would know them for secrets. */
const ECHOED = {
  GH_PAT: 'canary-111111',
  DB_PASS: 'canary-222222',
  API_KEYS: 'canary-333333,canary-444444',
  GCP_CREDENTIALS_JSON: JSON.stringify({ private_key: 'canary-555555' }),
  SLACK_WEBHOOK_URL: 'https://hooks.slack.com/services/canary-666666',
  QUEUE: 'amqp://shop:canary-777777@mq.example/',
  LEDGER: 'Server=db;Password=canary-888888;',
};

test('fault 66, 68, 81: no secret of the job reaches the agent or any output', async () => {
  await using github = await FakeGitHub.start();
  await using project = await projectWith({
    sessions: { one: 'environment' },
    agent: { env: { UPSTREAM_API_KEY: 'canary-5f1d9c', LEAKED: TOKEN } },
  });
  const step = await runAction(project, {
    inputs: { set: 'headers.authorization=Bearer canary-7a7b7c' },
    env: { ...ECHOED, DATABASE_PASSWORD: 'canary-9e9e9e', GITHUB_TOKEN: TOKEN },
    event: pullRequest(),
    github,
  });
  const nightly = await runAction(project, {
    inputs: { set: 'headers.authorization=Bearer canary-7a7b7c', issue: 'true', history: 'branch:history' },
    env: { ...ECHOED, DATABASE_PASSWORD: 'canary-9e9e9e', GITHUB_TOKEN: TOKEN },
    event: push(),
    github,
  });
  const texts = Object.values(await project.outputs());
  const unmasked = step.rawLog.replaceAll(/^::add-mask::.*$/gm, '');
  const sinks = [
    unmasked,
    step.summary.text,
    ...texts,
    ...Object.values(step.outputs),
    ...github.comments.map(({ body }) => body),
    ...github.issues.flatMap(({ title, body }) => [title, body]),
    ...(github.git.filesOf('history')?.values() ?? []),
    nightly.summary.text,
  ];
  expect([github.comments.length, github.issues.length, github.git.depthOf('history')]).toEqual([2, 1, 1]);
  expect(texts.join()).toContain('LEAKED');
  for (const sink of sinks) expect(sink).not.toMatch(/canary/i);
  expect(texts.join()).not.toMatch(/INPUT_(?!INVALID)|ACTIONS_RUNTIME|GITHUB_OUTPUT|GITHUB_STEP_SUMMARY/);
});

test('fault 66: a secret with something unseen in it is in no comment, summary, annotation or file', async () => {
  await using github = await FakeGitHub.start();
  await using project = await projectWith({
    sessions: { one: 'hides', two: 'hides and fails' },
    agent: { env: { UPSTREAM_API_KEY: 'Canary-5F1d9c' } },
  });
  const step = await runAction(project, { event: pullRequest(), github });
  const [comment] = github.comments;
  expect(step.annotations.map(({ message }) => message).join()).toContain('<secret>');
  for (const shown of [comment?.body, step.summary.text]) expect(shown).toContain('&#60;secret&#62;');
  const sinks = [
    step.rawLog.replaceAll(/^::add-mask::.*$/gm, ''),
    step.summary.text,
    comment?.body,
    ...Object.values(step.outputs),
    ...Object.values(await project.outputs()),
  ];
  for (const sink of sinks) expect(sink).not.toMatch(/canary|5f1d9c/i);
});

test.for([
  { name: 'pull_request', payload: { pull_request: null } },
  { name: 'merge_group', payload: { merge_group: { head_sha: 'x' } } },
  { name: 'schedule', payload: { schedule: '0 3 * * *' } },
  { name: 'workflow_dispatch', payload: {} },
])('fault 46: $name without a pull request is no reason to fail or to comment', async ({ name, payload }) => {
  await using folder = await folderWith({ 'event.json': JSON.stringify(payload) });
  const event = await readEvent({
    GITHUB_EVENT_NAME: name,
    GITHUB_REPOSITORY: 'Codertocat/Hello-World',
    GITHUB_EVENT_PATH: path.join(folder.path, 'event.json'),
  });
  expect(commentablePullRequest(event)).toBeUndefined();
});

test('pull_request_target is refused, and nothing is started; other events with the secrets are warned of', async () => {
  await using github = await FakeGitHub.start();
  await using project = await projectWith({ sessions: { one: 'a' } });
  const event = { ...pullRequest(), name: 'pull_request_target' };
  const refused = await runAction(project, { event, github });
  expect(refused).toMatchObject({ exitCode: 2, outputs: { status: 'error' } });
  expect(refused.annotations).toMatchObject([{ level: 'error', message: expect.stringContaining('mode: publish') }]);
  expect(refused.log).not.toContain('the agent');
  const warned = await runAction(project, { event: { ...event, name: 'workflow_run' }, github });
  expect(warned).toMatchObject({
    exitCode: 0,
    annotations: [{ level: 'warning', title: 'agent-replay: unsafe event' }],
  });
  expect(github.requests).toEqual([]);
});

test('fault 71: a cancelled step ends in time, with the agent gone and a partial summary', async () => {
  await using github = await FakeGitHub.start();
  github.add('untouched');
  await using project = await projectWith({ sessions: { a: 'a', b: 'hang' }, config: { workers: 1 } });
  await using job = await jobIn(project, { event: pullRequest(), github });
  const step = await job.main();
  await step.printed(/asked: hang/);
  step.cancel();
  const result = await step.finished;
  expect(result).toMatchObject({ exitCode: 130, conclusion: 'cancelled', leftovers: [] });
  expect(result.outputs).toMatchObject({ status: 'interrupted', 'comment-url': '' });
  expect(result.annotations).toEqual([]);
  expect(result.summary.text).toMatch(
    /^### ! agent-replay: interrupted: 1 of 2 sessions as recorded, 1 could not tell\n/,
  );
  expect(result.summary.text).toMatch(/^\| \?&nbsp;\[<code>b<\/code>\]/m);
  await job.post();
  const [before, own] = github.comments.map(({ body }) => body);
  expect(before).toBe('untouched');
  expect(own).toContain('ended without a result');
});

const WRITTEN = ['report.json', 'report.html', 'report.md', 'journal.ndjson'];

test('every value of agent.env is masked in the log, but for settings; a pin that holds one is told', async () => {
  const secrets = { PIN_CODE: '4711', LICENSE: 'evergreen', SIGNING_SALT: 'pepper' };
  const agent = { env: { ...secrets, NODE_ENV: 'test', LOG_LEVEL: 'info', DEBUG: '1', PREFIX: '' } };
  await using project = await projectWith({ sessions: { one: 'tell evergreen', two: 'tell pepper, info' }, agent });
  const step = await runAction(project, { event: push() });
  expect(step).toMatchObject({ exitCode: 0, outputs: { status: 'passed' } });
  expect([...step.masks]).toEqual(expect.arrayContaining(Object.values(secrets)));
  for (const setting of ['test', 'info', '1', String(project.port)]) expect([...step.masks]).not.toContain(setting);
  // In the log its value is masked by GitHub.
  expect(step.log).toContain('note: replays/one.session.json holds the value of LICENSE, which is masked in the log');
});

test('the input "mask" has values of the job masked, and says which it cannot mask; a pin that holds one is told', async () => {
  await using project = await projectWith({ sessions: { one: 'tell field-mouse' } });
  const env = { PIN_CODE: '4829', LICENSE: 'field-mouse', SALT: 'swordfish', SHORT: 'x' };
  const inputs = { mask: 'PIN_CODE, LICENSE, SALT\nSHORT, MISSING' };
  const step = await runAction(project, { event: push(), env, inputs });
  expect([...step.masks]).toEqual(expect.arrayContaining(['4829', 'field-mouse', 'swordfish']));
  const notices = step.annotations.map(({ message }) => message);
  expect(notices).toContain('The input "mask" names MISSING, which is not set.');
  expect(notices).toContain('Not masked, because too short or an ordinary word: SHORT.');
  expect(step.log).toContain('note: replays/one.session.json holds the value of LICENSE, which is masked');
  for (const file of WRITTEN) expect(await project.read(`.agent-replay/${file}`)).not.toContain('field-mouse');
});
