import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { unzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { readCommand } from '../../action/accept-command.ts';
import { loadConfig } from '../../src/config/index.ts';
import { keepPinLock, PIN_LOCK } from '../../src/job/index.ts';
import { isPinPath } from '../../src/session/index.ts';
import { command } from '../cli/command.ts';
import { fixture, pinOf, projectWith } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';
import { LINK } from './git-store.ts';
import { FakeGitHub } from './github.ts';
import { RUN } from './runner/job.ts';
import { dispatch, issueComment, pullRequest, runAction } from './step.ts';

const HEAD = 'ec26c3e57ca3a959ca5aad62de7213c562f8c821';
const OWN = 'Codertocat/Hello-World';
const WORKFLOW = 42;
const pinAt = (name: string) => `replays/${name}.session.json`;

interface Checked {
  /** The comment as the check wrote it. */
  readonly comment: string;
  /** What its workflow uploads, and the pins as they were replayed. */
  readonly artifact: Readonly<Record<string, Uint8Array>>;
  readonly pins: Readonly<Record<string, string>>;
}

/** Replayed with a prefix: `same` is recorded with it, `wandering` goes two ways, `cut` leaves no whole trace. */
const PINS = {
  one: JSON.stringify(pinOf('one', ['a'])),
  two: JSON.stringify(pinOf('two', ['b', 'c'])),
  same: JSON.stringify(pinOf('same', ['d']))
    .replaceAll('"answer to d"', '"x answer to d"')
    .replace('"text":"d"', '"text":"x d"'),
  wandering: JSON.stringify(pinOf('wandering', ['varies'])),
  cut: JSON.stringify(pinOf('cut', ['cut'])),
};

let checked: Promise<Checked> | undefined;

/** A real check of a pull request, which is made once. */
function theCheck(): Promise<Checked> {
  checked ??= (async () => {
    const files = Object.fromEntries(Object.entries(PINS).map(([name, text]) => [pinAt(name), text]));
    const config = { runs: 4, workers: 1, timeouts: { trace: 8_000 } };
    await using project = await projectWith({ files, config, agent: { env: { PREFIX: 'x ' } } });
    return await checkOf(project.path, files);
  })();
  return checked;
}

/** @param before the comment of another check of the group */
async function checkOf(folder: string, pins: Checked['pins'], inputs = {}, before?: string): Promise<Checked> {
  await using github = await FakeGitHub.start();
  if (before !== undefined) github.add(before);
  await runAction({ path: folder }, { event: pullRequest(), github, inputs });
  const output = path.join(folder, '.agent-replay');
  const { files } = JSON.parse(await readFile(path.join(output, 'origin.json'), 'utf8'));
  const names = ['origin.json', ...Object.keys(files)];
  const bytes = await Promise.all(
    names.map(async (name) => [name, new Uint8Array(await readFile(path.join(output, name)))]),
  );
  return { comment: github.comments[0]?.body ?? '', artifact: Object.fromEntries(bytes), pins };
}

/** A repository with that pull request, on which somebody comments. */
async function afterCheck(checked?: Checked) {
  const { comment, artifact, pins } = checked ?? (await theCheck());
  const github = await FakeGitHub.start();
  github.add(comment);
  github.pulls.set(2, { state: 'open', head: { ref: 'changes', sha: HEAD, repo: { full_name: OWN } } });
  github.git.commit('changes', { 'README.md': 'x' });
  github.git.commit('changes', pins, HEAD);
  github.runs.push({
    id: RUN.id,
    workflow_id: WORKFLOW,
    event: 'pull_request',
    head_sha: HEAD,
    head_repository: { full_name: OWN },
  });
  github.artifacts.push({ id: 1, run: RUN.id, name: 'agent-replay', zip: zipSync(artifact) });
  github.permissions.set('Codertocat', 'write');
  github.dispatchable.add(WORKFLOW);
  // Whoever loads a configuration here, or takes code of the head, is found out.
  const trap = "import { writeFileSync } from 'node:fs'; writeFileSync('owned', ''); export default {};";
  const folder = await folderWith({ 'agent-replay.config.js': trap });
  const said = (body: string, inputs: Readonly<Record<string, string>> = {}, event = issueComment(body)) =>
    runAction(folder, { event, github, inputs: { mode: 'accept', ...inputs }, env: { GITHUB_REF: 'refs/heads/main' } });
  return {
    github,
    folder,
    said,
    pin: (name: string) => github.git.filesOf('changes')?.get(pinAt(name)) ?? '',
    /** What was answered last; undefined when nothing was. */
    answer: () => (github.comments.length > 1 ? github.comments.at(-1)?.body : undefined),
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]();
      await github[Symbol.asyncDispose]();
    },
  };
}

/** Nothing was written anywhere, and why stands in the answer. */
async function refused(it: Awaited<ReturnType<typeof afterCheck>>, body: string, why: string, inputs = {}) {
  const head = it.github.git.headOf('changes');
  const checks = it.github.dispatched.length;
  const step = await it.said(body, inputs);
  expect(step, step.log).toMatchObject({ exitCode: 0, leftovers: [] });
  expect(it.answer()).toContain('Nothing was written');
  expect(it.answer()).toContain(why);
  expect(it.github.git.headOf('changes')).toBe(head);
  expect(it.github.dispatched).toHaveLength(checks);
}

test('accept commits what was replayed to the branch, says what it did, and starts the check of that commit', async () => {
  await using it = await afterCheck();
  const step = await it.said('/agent-replay accept one two\n\nLooks right to me. /agent-replay accept same');
  expect(step, step.log).toMatchObject({ exitCode: 0, annotations: [], leftovers: [] });
  expect(JSON.parse(it.pin('one')).turns[0].recorded.output).toBe('x answer to a');
  expect(JSON.parse(it.pin('two')).turns.map(({ recorded }: never) => (recorded as { output: string }).output)).toEqual(
    ['x answer to b', 'x answer to c'],
  );
  expect(it.github.git.depthOf('changes')).toBe(3);
  expect(it.pin('wandering')).toBe(PINS.wandering);
  const commit = it.github.git.headOf('changes') ?? '';
  expect(it.answer()).toContain(`**2 sessions have a new original**, in commit [${commit.slice(0, 7)}]`);
  expect(it.answer()).toContain(
    '- <code>one</code>: turn 1, step 1: lookup.text: <code>"a"</code> → <code>"x a"</code>',
  );
  expect(it.answer()).toContain('The check of this commit has started');
  expect(it.github.dispatched).toEqual([{ workflow: WORKFLOW, ref: 'changes', inputs: { 'pull-request': '2' } }]);
  expect(step.outputs['comment-url']).toContain('#issuecomment-');
  expect(step.summary.text).toContain('2 sessions have a new original');
  expect(it.github.git.messageOf('changes')).toBe(
    [
      'test: accept the replayed behaviour of 2 sessions',
      '',
      '- one',
      '- two',
      '',
      `Accepted by Codertocat on pull request 2, from run ${RUN.id}.`,
    ].join('\n'),
  );
  await expect(readFile(path.join(it.folder.path, 'owned'))).rejects.toThrow('ENOENT');
});

test('pins.lock tells nothing of a pin that was accepted, and the same of all others', async () => {
  await using project = await folderWith({
    'agent-replay.config.json': JSON.stringify({ agent: { url: 'http://127.0.0.1:1/replay' } }),
    'pins.lock': '',
    ...Object.fromEntries(Object.entries(PINS).map(([name, text]) => [pinAt(name), text])),
  });
  await keepPinLock(await loadConfig({ cwd: project.path }));
  const before = await readFile(path.join(project.path, PIN_LOCK), 'utf8');
  const check = await theCheck();
  await using it = await afterCheck({ ...check, pins: { ...check.pins, [PIN_LOCK]: before } });
  const step = await it.said('/agent-replay accept one');
  expect(it.answer(), step.log).toContain('**1 session has a new original**');
  const lines = before.split('\n');
  const after = it.github.git.filesOf('changes')?.get(PIN_LOCK)?.split('\n');
  expect(after).toEqual(lines.filter((line) => !line.includes(pinAt('one'))));
  expect(after).toHaveLength(lines.length - 1);
});

test('where pins.lock cannot be read, nothing is written: it would go on telling of the pin that was', async () => {
  const check = await theCheck();
  await using it = await afterCheck({ ...check, pins: { ...check.pins, [PIN_LOCK]: 'of other pins' } });
  // The pin is read first.
  it.github.faults.blob = [undefined as never, { status: 403 }];
  const head = it.github.git.headOf('changes');
  await it.said('/agent-replay accept one');
  expect(it.github.git.headOf('changes')).toBe(head);
});

test('without names all that fail are meant; what wanders or was not verified is left as it is, with the reason', async () => {
  await using it = await afterCheck();
  await it.said('  /agent-replay accept  ');
  expect(it.answer()).toContain('**2 sessions have a new original**');
  expect(it.answer()).toMatch(/Left as they are:\n\n(.*\n)*- <code>wandering<\/code>: .*its replays do not agree/);
  expect(it.answer()).toMatch(/- <code>cut<\/code>: .*not all of its replays could be compared.* TRACE_INCOMPLETE/);
  expect(it.answer()).not.toMatch(/--|agent-replay run|<code>same/);
  expect([it.pin('cut'), it.pin('wandering'), it.pin('same')]).toEqual([PINS.cut, PINS.wandering, PINS.same]);
});

test('with --as-recordings all that the replays of a session did is kept beside its original, whether they agree or not', async () => {
  await using it = await afterCheck();
  await it.said('/agent-replay accept --as-recordings wandering cut');
  expect(it.answer()).toMatch(/<code>wandering<\/code>: turn 1: 4 replays kept as recordings/);
  expect(it.answer()).toMatch(/- <code>cut<\/code>: .*not all of its replays could be compared/);
  const [before, after] = [PINS.wandering, it.pin('wandering')].map((text) => JSON.parse(text).turns[0]);
  expect(after.recorded).toEqual(before.recorded);
  expect(after.baselines).toHaveLength(4);
  expect([it.pin('cut'), it.pin('one')]).toEqual([PINS.cut, PINS.one]);
  // A pin that already holds these replays does not get them again.
  const check = await theCheck();
  await using later = await afterCheck({
    ...check,
    pins: { ...check.pins, [pinAt('wandering')]: it.pin('wandering') },
  });
  await refused(later, '/agent-replay accept --as-recordings wandering', 'its pin already holds what was replayed');
});

test('the commit is told of on the pull request: the run that was dispatched for it updates the one comment', async () => {
  await using it = await afterCheck();
  await it.said('/agent-replay accept one');
  const sha = it.github.git.headOf('changes') ?? '';
  it.github.pulls.set(2, { state: 'open', head: { ref: 'changes', sha, repo: { full_name: OWN } } });
  await using project = await projectWith({
    sessions: { one: 'a' },
    files: { [pinAt('one')]: it.pin('one') },
    config: { runs: 2 },
    agent: { env: { PREFIX: 'x ' } },
  });
  const env = { GITHUB_REF: 'refs/heads/changes', GITHUB_RUN_ID: String(RUN.id + 1) };
  const { github } = it;
  const step = await runAction(project, {
    event: dispatch({ 'pull-request': '2' }),
    github,
    env: { ...env, GITHUB_SHA: sha },
  });
  expect(step, step.log).toMatchObject({ exitCode: 0, annotations: [] });
  expect(github.comments).toHaveLength(2);
  expect(github.comments[0]?.body).toContain('1 of 1 session as recorded');
  expect(github.comments[0]?.body).toContain(`/commit/${sha})`);
  const other = await runAction(project, {
    event: dispatch({ 'pull-request': '2' }),
    github,
    env: { ...env, GITHUB_SHA: HEAD },
  });
  expect(other.annotations).toMatchObject([
    { level: 'notice', message: expect.stringContaining('its head is another commit') },
  ]);
});

test('under shift the replays become the recordings, in place of those before', async () => {
  await using project = await projectWith({
    sessions: { trip: 'fares to Rome' },
    config: { runs: 10 },
    agent: { command: fixture('live-agent.ts'), env: { SEED: 'recorded' } },
  });
  expect(await command(['pin', pinAt('trip'), '--runs', '10', '--yes'], { cwd: project.path })).toMatchObject({
    code: 0,
  });
  const pins = { [pinAt('trip')]: await project.read(pinAt('trip')) };
  const config = JSON.parse(await project.read('agent-replay.config.json'));
  config.agent.env = { ...config.agent.env, SEED: 'replayed', WITHOUT: 'check_policy' };
  await using changed = await folderWith({ ...pins, 'agent-replay.config.json': JSON.stringify(config) });
  await using it = await afterCheck(await checkOf(changed.path, pins));
  await it.said('/agent-replay accept trip');
  expect(it.answer()).toMatch(/turn 1: \d+ replays kept as recordings, in place of 10 recordings of \d{4}-/);
  const [turn] = JSON.parse(it.pin('trip')).turns;
  const before = JSON.parse(pins[pinAt('trip')] ?? '').turns[0];
  expect(turn.recorded).toEqual(before.recorded);
  expect(turn.baselines).not.toEqual(before.baselines);
});

test.for<[string, Parameters<typeof issueComment>[1], string?]>([
  ['by somebody who may only read', undefined, 'read'],
  ['by somebody who may only triage', undefined, 'triage'],
  [
    'by somebody who GitHub does not know here, whatever the event calls him',
    (it) => Object.assign(it.comment, { author_association: 'OWNER' }),
    '',
  ],
  ['that was edited', (it) => Object.assign(it, { action: 'edited' })],
  ['of a bot', (it) => Object.assign(it.comment.user, { type: 'Bot' })],
  ['on an issue', (it) => delete it.issue.pull_request],
  ['that quotes the command', (it) => Object.assign(it.comment, { body: '> /agent-replay accept' })],
  ['that begins otherwise', (it) => Object.assign(it.comment, { body: 'please\n/agent-replay accept' })],
  ['of another command', (it) => Object.assign(it.comment, { body: '/agent-replayaccept one' })],
])(
  'a comment %s does nothing, and gets no answer but a thumb down to who may not ask',
  async ([, change, permission = 'write']) => {
    await using it = await afterCheck();
    it.github.permissions.clear();
    if (permission !== '') it.github.permissions.set('Codertocat', permission);
    const step = await it.said('', {}, issueComment('/agent-replay accept one', change));
    expect(step).toMatchObject({ exitCode: 0 });
    expect(it.answer()).toBeUndefined();
    expect(it.pin('one')).toBe(PINS.one);
    const others = it.github.requests.filter(({ route }) => route !== 'permission');
    const isRefused = permission !== 'write';
    expect(others.map(({ route }) => route)).toEqual(isRefused ? ['react'] : []);
    expect(it.github.reactions).toEqual(isRefused ? ['-1'] : []);
  },
);

test('hostile words of a comment are text: in the log, in the answer, in the summary and in the commit', async () => {
  await using it = await afterCheck();
  const step = await it.said(
    '/agent-replay accept one $(id) `;reboot` @octocat #1 <img src=x> ##[add-mask]one ../../etc/passwd __proto__\u202e',
  );
  expect(step.annotations).toEqual([]);
  expect(step.masks.has('one')).toBe(false);
  expect(it.answer()).toContain('1 session has a new original');
  expect(it.answer()).not.toMatch(/@octocat|<img|#1\b(?!;)|\u202e/);
  expect(it.answer()).toContain('no report of this commit has a session with this name');
  expect(it.github.git.messageOf('changes')).not.toMatch(/octocat|etc|proto/);
});

test('what the report says of a session never stands in the commit: it could close issues or skip the check', async () => {
  const { artifact, ...check } = await theCheck();
  const report = JSON.parse(Buffer.from(artifact['report.json'] ?? []).toString());
  const name = 'fixes #1 [skip ci] @octocat';
  for (const session of report.results.sessions) if (session.id === 'one') session.pin = pinAt(name);
  const pins = { ...check.pins, [pinAt(name)]: PINS.one };
  await using it = await afterCheck(
    resealed({ ...check, pins, artifact: { ...artifact, 'report.json': bytesOf(JSON.stringify(report)) } }),
  );
  await it.said('/agent-replay accept `one`');
  expect(it.answer()).toContain('1 session has a new original');
  expect(it.github.git.messageOf('changes')).toMatch(
    /^test: accept the replayed behaviour of fixes-1-skip-ci-octocat\n/,
  );
});

/** As a job would seal it that lies: with the rights that a run of the repository itself has. */
function resealed(check: Checked, change: (origin: { files: Record<string, string> }) => void = () => {}): Checked {
  const origin = JSON.parse(Buffer.from(check.artifact['origin.json'] ?? []).toString());
  for (const name of Object.keys(origin.files)) origin.files[name] = digestOf(check.artifact[name]);
  change(origin);
  const text = bytesOf(JSON.stringify(origin));
  return {
    ...check,
    artifact: { ...check.artifact, 'origin.json': text },
    comment: check.comment.replace(/"seal":"[0-9a-f]{64}"/, `"seal":"${digestOf(text)}"`),
  };
}

test.for<[string, string, string]>([
  ['leads out by ..', 'replays/../../other.session.json', 'does not match the setting'],
  ['is absolute', '/etc/x.session.json', 'does not match the setting'],
  ['is of a workflow', '.github/workflows/x.session.json', 'does not match the setting'],
  ['goes through .git', 'replays/.git/x.session.json', 'does not match the setting'],
  ['is written with a backslash', 'replays/..\\x.session.json', 'does not match the setting'],
  ['is another file', 'package.json', 'does not match the setting'],
  ['is not there', 'replays/new.session.json', 'does not exist'],
  ['is a link', 'replays/link.session.json', 'is a link'],
  ['lies behind a link', 'replays/linked/one.session.json', 'not a regular file, or is behind a link'],
  ['is a folder', 'replays/folder.session.json', 'not a regular file'],
  ['is no pin', 'replays/broken.session.json', 'is not valid JSON'],
  ['is another session', 'replays/same.session.json', 'another session'],
])('a pin whose path %s is left as it is', async ([, pin, why]) => {
  const { artifact, ...check } = await theCheck();
  const report = JSON.parse(Buffer.from(artifact['report.json'] ?? []).toString());
  for (const session of report.results.sessions) if (session.id === 'one') session.pin = pin;
  const pins = {
    ...check.pins,
    'replays/link.session.json': `${LINK}one.session.json`,
    'replays/linked': `${LINK}../elsewhere`,
    'replays/folder.session.json/x': 'x',
    'replays/broken.session.json': '{',
    'package.json': PINS.one,
    '.github/workflows/x.session.json': PINS.one,
    'replays/.git/x.session.json': PINS.one,
  };
  await using it = await afterCheck(
    resealed({ ...check, pins, artifact: { ...artifact, 'report.json': bytesOf(JSON.stringify(report)) } }),
  );
  await refused(it, '/agent-replay accept one', why);
});

test.for<[string, (it: Awaited<ReturnType<typeof afterCheck>>) => void, string]>([
  [
    'of a fork',
    ({ github }) =>
      github.pulls.set(2, { state: 'open', head: { sha: HEAD, repo: { full_name: 'stranger/Hello-World' } } }),
    'comes from a fork',
  ],
  [
    'of a fork that was deleted',
    ({ github }) => github.pulls.set(2, { state: 'open', head: { sha: HEAD, repo: null } }),
    'comes from a fork',
  ],
  [
    'that is closed',
    ({ github }) => github.pulls.set(2, { state: 'closed', head: { sha: HEAD, repo: { full_name: OWN } } }),
    'is closed',
  ],
  [
    'with a newer head',
    ({ github }) => github.pulls.set(2, { state: 'open', head: { sha: 'f'.repeat(40), repo: { full_name: OWN } } }),
    'the report is of commit',
  ],
  ['whose report was never written', ({ github }) => github.comments.pop(), 'no report of agent-replay'],
  [
    'whose report was written by somebody else',
    ({ github }) => github.add(github.comments.pop()?.body ?? '', { login: 'octocat', type: 'User' }),
    'no report of agent-replay',
  ],
  [
    'whose report was edited by a stranger',
    ({ github }) => Object.assign(github.comments[0]!, { editor: { login: 'octocat', type: 'User' } }),
    'somebody edited the comment',
  ],
  [
    'whose report was edited by a person of our name',
    ({ github }) => Object.assign(github.comments[0]!, { editor: { login: 'github-actions', type: 'User' } }),
    'somebody edited the comment',
  ],
  [
    'whose stamp has no seal',
    ({ github }) =>
      Object.assign(github.comments[0]!, { body: github.comments[0]!.body.replace(/"seal":"\w+",?/, '') }),
    'does not name its files',
  ],
  [
    'whose run was of another commit',
    ({ github }) => Object.assign(github.runs[0]!, { head_sha: 'e'.repeat(40) }),
    'from a run of another commit',
  ],
  [
    'whose run was of a fork',
    ({ github }) => Object.assign(github.runs[0]!, { head_repository: { full_name: 'stranger/x' } }),
    'not of a check of this repository',
  ],
  [
    'whose run was on another event',
    ({ github }) => Object.assign(github.runs[0]!, { event: 'issue_comment' }),
    'not of a check of this repository',
  ],
  ['whose artifact is gone', ({ github }) => github.artifacts.pop(), 'no artifact of that run holds its report'],
  [
    'whose artifact has expired',
    ({ github }) => Object.assign(github.artifacts[0]!, { expired: true }),
    'no artifact of that run holds its report',
  ],
  [
    'whose artifact is far too large',
    ({ github }) => Object.assign(github.artifacts[0]!, { size: 1e9 }),
    'no artifact of that run holds its report',
  ],
  [
    'whose artifact is no archive',
    ({ github }) => Object.assign(github.artifacts[0]!, { zip: Buffer.from('PK nonsense') }),
    'no artifact of that run holds its report',
  ],
])('accept refuses a pull request %s, and says why', async ([, change, why]) => {
  await using it = await afterCheck();
  change(it);
  const head = it.github.git.headOf('changes');
  const step = await it.said('/agent-replay accept one');
  expect(step, step.log).toMatchObject({ exitCode: 0 });
  expect(it.github.comments.at(-1)?.body).toContain(`Nothing was written: `);
  expect(it.github.comments.at(-1)?.body).toContain(why);
  expect(it.github.git.headOf('changes')).toBe(head);
});

const forged = (files: Record<string, Uint8Array>, name: string): Record<string, Uint8Array> => ({
  ...files,
  [name]: bytesOf(
    Buffer.from(files[name] ?? [])
      .toString()
      .replaceAll('x answer', 'forged answer'),
  ),
});

test.for<[string, (files: Record<string, Uint8Array>) => Record<string, Uint8Array>, string]>([
  ['report', (files) => forged(files, 'report.json'), 'report.json is not the one'],
  ['behaviour', (files) => forged(files, 'traces/one.1.1.json'), 'traces/one.1.1.json is not the one'],
  ['journal', (files) => forged(files, 'journal.ndjson'), 'journal.ndjson is not the one'],
  ['origin', (files) => forged({ ...files, 'origin.json': bytesOf('{}') }, 'report.json'), 'no artifact of that run'],
  ['missing file', ({ 'traces/one.1.1.json': _, ...files }) => files, 'has no'],
])('a forged artifact is refused: %s', async ([, forge, why]) => {
  await using it = await afterCheck();
  const files = forge(unzipSync(it.github.artifacts[0]!.zip));
  it.github.artifacts[0] = { ...it.github.artifacts[0]!, zip: zipSync(files) };
  await refused(it, '/agent-replay accept one', why);
});

test('a seal over names that lead out of the folder is refused, and nothing is written there', async () => {
  const check = await theCheck();
  const lie = resealed(
    { ...check, artifact: { ...check.artifact, 'traces/../../x.json': bytesOf('{}') } },
    ({ files }) => {
      files['traces/../../x.json'] = digestOf(bytesOf('{}'));
    },
  );
  await using it = await afterCheck(lie);
  await refused(it, '/agent-replay accept one', 'The artifact has no');
});

test('the artifact is found among others, in whatever folder of it the report lies', async () => {
  await using it = await afterCheck();
  const { artifact } = await theCheck();
  const deeper = Object.fromEntries(Object.entries(artifact).map(([name, bytes]) => [`some/out/${name}`, bytes]));
  it.github.artifacts.splice(
    0,
    1,
    { id: 5, run: RUN.id, name: 'agent-replay-older', zip: zipSync({ 'origin.json': bytesOf('{}') }) },
    { id: 6, run: RUN.id, name: 'coverage', zip: zipSync(deeper) },
  );
  await it.said('/agent-replay accept one');
  expect(it.answer()).toContain('1 session has a new original');
});

test.for<[string, (github: FakeGitHub) => void]>([
  ['is pushed to', (github) => github.git.commit('changes', { 'README.md': 'new' })],
  ['is reset to an earlier commit', (github) => github.git.reset('changes', github.git.parentOf('changes')!)],
])('when the branch %s at the last moment, nothing is written and nothing of it is undone', async ([, race]) => {
  await using it = await afterCheck();
  let after: string | undefined;
  it.github.before = (route) => {
    if (route !== 'commit-on-branch') return;
    race(it.github);
    after = it.github.git.headOf('changes');
  };
  await it.said('/agent-replay accept one');
  expect(it.answer()).toContain('Nothing was written: the branch has moved on');
  expect(it.github.git.headOf('changes')).toBe(after);
});

test('a commit whose answer is lost is found, and is not made twice', async () => {
  await using it = await afterCheck();
  it.github.faults['commit-on-branch'] = [{ status: 502, takesEffect: true }];
  await it.said('/agent-replay accept one');
  expect(it.answer()).toContain('1 session has a new original');
  expect(it.github.count('commit-on-branch')).toBe(1);
  expect(it.github.git.depthOf('changes')).toBe(3);
});

test.for<[string, (it: Awaited<ReturnType<typeof afterCheck>>) => void, string]>([
  ['the job may not', ({ github }) => (github.faults.dispatch = [{ status: 403 }]), 'permissions: actions: write'],
  ['the workflow cannot be dispatched', ({ github }) => github.dispatchable.clear(), 'workflow_dispatch'],
])('after the commit it says that the check was not started: %s', async ([, change, why]) => {
  await using it = await afterCheck();
  change(it);
  await it.said('/agent-replay accept one');
  expect(it.answer()).toContain('1 session has a new original');
  expect(it.answer()).toContain('**The check of this commit has not started**');
  expect(it.answer()).toContain(why);
});

test('with the token of an app the commit is made by it, and no check is dispatched', async () => {
  await using it = await afterCheck();
  const app = 'ghs_canaryTokenOfTheApp4567890123456';
  it.github.tokens.add(app);
  const step = await it.said('/agent-replay accept one', { 'push-token': app });
  expect(it.answer()).toContain('The commit starts the checks of the pull request');
  expect(it.github.dispatched).toEqual([]);
  expect(step.masks.has(app)).toBe(true);
});

test('accept takes what stands in the comment of a group', async () => {
  const pins = { [pinAt('one')]: PINS.one };
  await using project = await projectWith({ files: pins, config: { runs: 4 }, agent: { env: { PREFIX: 'x ' } } });
  await using it = await afterCheck(await checkOf(project.path, pins, { group: 'models' }));
  const step = await it.said('/agent-replay accept');
  expect(step, step.log).toMatchObject({ exitCode: 0, annotations: [] });
  expect(JSON.parse(it.pin('one')).turns[0].recorded.output).toBe('x answer to a');
});

test('of a group of several checks each accepted line names its check, with the name as text', async () => {
  const checked: Checked[] = [];
  for (const [name, check] of [['one', 'small'] as const, ['two', 'large <b>'] as const]) {
    const files = { [pinAt(name)]: PINS[name] };
    await using project = await projectWith({ files, config: { runs: 4 }, agent: { env: { PREFIX: 'x ' } } });
    const before = checked.at(-1)?.comment;
    checked.push(await checkOf(project.path, files, { group: 'models', name: check }, before));
  }
  const [small, large] = checked as [Checked, Checked];
  await using it = await afterCheck({ ...large, pins: { ...small.pins, ...large.pins } });
  it.github.artifacts.push({ id: 2, run: RUN.id, name: 'agent-replay-small', zip: zipSync(small.artifact) });
  await it.said('/agent-replay accept');
  expect(it.answer()).toContain('**2 sessions have a new original**');
  expect(
    it
      .answer()
      ?.split('\n')
      .filter((line) => line.startsWith('- ')),
  ).toEqual([
    expect.stringMatching(/^- large <code>&#60;b&#62;<\/code>: <code>two<\/code>: turn 1, /),
    expect.stringMatching(/^- small: <code>one<\/code>: turn 1, /),
  ]);
});

test('a session of two legs of a matrix is not accepted, since they need not be alike: the answer names their checks', async () => {
  await using it = await afterCheck();
  const other = (await theCheck()).comment.replace(/(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])/g, 'f'.repeat(24));
  it.github.add(other.replace(/"name":"[^"]*"/, '"name":"large"'));
  const why = '2 reports or pins have this session (replay, large), and they may differ.';
  await refused(it, '/agent-replay accept one', why);
});

test('what is as recorded, and what nobody knows, is left; an unknown command is answered with those there are', async () => {
  await using it = await afterCheck();
  await refused(it, '/agent-replay accept same', 'as recorded');
  await refused(it, '/agent-replay approve', 'unknown command');
});

test('the project may lie in a folder that the default branch does not know yet, with pins of other names', async () => {
  const check = await theCheck();
  const moved = Object.fromEntries(Object.entries(check.pins).map(([name, text]) => [`agents/new/${name}`, text]));
  await using it = await afterCheck({ ...check, pins: moved });
  await it.said('/agent-replay accept one', { 'working-directory': 'agents/new' });
  expect(it.answer()).toContain('1 session has a new original');
  expect(it.github.git.filesOf('changes')?.get('agents/new/replays/one.session.json')).toContain('x answer to a');
  await refused(it, '/agent-replay accept two', 'does not match the setting', {
    'working-directory': 'agents/new',
    set: 'sessions=pins/*.json',
  });
  await using other = await afterCheck();
  const step = await other.said('/agent-replay accept one', { 'working-directory': '../..' });
  expect(step).toMatchObject({
    exitCode: 2,
    annotations: [{ message: expect.stringContaining('is outside the repository') }],
  });
});

test('accept on another event is wrong use', async () => {
  await using it = await afterCheck();
  const step = await it.said('', {}, pullRequest() as never);
  expect(step).toMatchObject({
    exitCode: 2,
    annotations: [{ message: expect.stringContaining('cannot be "accept" on pull_request') }],
  });
});

test.for([
  ['/agent-replay accept', { sessions: [], asRecordings: false }],
  ['\n /agent-replay\taccept a,b  `c` a\r\nmore', { sessions: ['a', 'b', 'c'], asRecordings: false }],
  ['/agent-replay accept --as-recordings a', { sessions: ['a'], asRecordings: true }],
  ['/agent-replay rerun', 'unknown'],
  ['/agent-replay', 'unknown'],
  ['/agent-replay help', 'unknown'],
  ['/agent-replays accept', undefined],
  ['see /agent-replay accept', undefined],
  [' '.repeat(100_000), undefined],
] as const)('the command in %j', ([body, command]) => {
  expect(readCommand(body)).toEqual(command);
});

test.for([
  ['replays/a.session.json', true],
  ['replays/deep/a b.session.json', true],
  ['replays/a.json', false],
  ['other/a.session.json', false],
  ['./replays/a.session.json', false],
  ['replays//a.session.json', false],
  ['replays/\na.session.json', false],
  ['replays/node_modules/a.session.json', false],
] as const)('the pattern of the sessions means %j: %s', ([file, meant]) => {
  expect(isPinPath(file, ['./replays/**/*.session.json'], '/x')).toBe(meant);
});

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function digestOf(bytes: Uint8Array = new Uint8Array()): string {
  return createHash('sha256').update(bytes).digest('hex');
}
