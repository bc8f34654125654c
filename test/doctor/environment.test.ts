import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { lookAround } from '../../src/doctor/evidence/surroundings.ts';
import { type CheckedRule, judge } from '../../src/doctor/judge-rules.ts';
import { ENVIRONMENT_RULES } from '../../src/doctor/rules/all.ts';
import { workflowFile } from '../../src/init/workflow-file.ts';
import { pinOf } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';

const CONFIG = JSON.stringify({ agent: { url: 'http://127.0.0.1:1/replay' } });
const PIN = JSON.stringify(pinOf('a', ['hello']));
const SHA = '0123456789012345678901234567890123456789';

/** What the rules that need no agent say of a project in a repository. */
async function verdictsOn(files: Readonly<Record<string, string>>): Promise<Map<string, CheckedRule>> {
  const project = { 'agent-replay.config.json': CONFIG, 'replays/a.session.json': PIN, ...files };
  await using folder = await folderWith({ '.git/HEAD': 'ref: refs/heads/main', ...project });
  const surroundings = await lookAround({
    cwd: folder.path,
    file: undefined,
    settings: undefined,
    signal: undefined,
  });
  return new Map(judge(ENVIRONMENT_RULES, surroundings).map((verdict) => [verdict.rule, verdict]));
}

interface WorkflowParts {
  readonly on?: string;
  readonly permissions?: string;
  readonly ref?: string;
}

function workflow({
  on = 'pull_request',
  permissions = '{ contents: read, pull-requests: write }',
  ref = SHA,
}: WorkflowParts) {
  const lines = [`on: ${on}`, `permissions: ${permissions}`, 'jobs:', '  replay:', '    runs-on: ubuntu-latest'];
  return [...lines, '    steps:', '      - uses: actions/checkout@v4', `      - uses: acme/agent-replay@${ref}`].join(
    '\n',
  );
}

test.each([
  ['as documented', workflow({}), 'pass', /replay\.yml$/],
  ['with a comment that it may not write', workflow({ permissions: '{ contents: read }' }), 'warn', /notice in place/],
  ['that may not read the repository', workflow({ permissions: '{ pull-requests: write }' }), 'warn', /contents: read/],
  ['that may do everything', workflow({ permissions: 'write-all' }), 'warn', /everything/],
  ['that says no permissions', workflow({ permissions: '' }), 'warn', /default applies/],
  ['with a branch of the action', workflow({ ref: 'main' }), 'warn', /agent-replay@main can change/],
  ['with a tag of the action', workflow({ ref: 'v1' }), 'warn', /agent-replay@v1 can change/],
  ['that gives secrets to strangers', workflow({ on: '[pull_request_target]' }), 'fail', /pull_request_target/],
  ['that is no YAML', `${workflow({})}\n   - {`, 'fail', /replay\.yml: /],
  [
    'on a schedule, where there is no comment',
    workflow({ on: '{ schedule: [] }', permissions: '{ contents: read }' }),
    'pass',
    /yml/,
  ],
  [
    'with the command',
    'on: push\npermissions: { contents: read }\njobs: { a: { steps: [{ run: npx agent-replay run }] } }',
    'pass',
    /yml/,
  ],
  ['of something else', 'on: push\njobs: { a: { steps: [{ run: echo my-agent-replays }] } }', 'skip', /no workflow/],
])('a workflow %s', async (_, text, state, seen) => {
  const verdicts = await verdictsOn({ '.github/workflows/replay.yml': text });
  const verdict = verdicts.get('workflow');
  expect([verdict?.state, verdict?.seen.join('\n')]).toEqual([state, expect.stringMatching(seen)]);
});

test('tools of which nothing says whether they only read are told, with the line that declares them', async () => {
  const seenWith = async (config: object) => {
    const verdicts = await verdictsOn({
      'agent-replay.config.json': JSON.stringify({ agent: { url: 'http://127.0.0.1:1/replay' }, ...config }),
      'replays/a.session.json': PIN.replaceAll('"lookup"', '"triage"'),
    });
    return verdicts.get('pins');
  };
  const declared = { compare: { tools: { triage: { readOnly: true } } } };
  expect(await seenWith({})).toMatchObject({
    state: 'pass',
    seen: [
      '1 session, 1 turn',
      'nothing says whether triage only reads, so its calls count as changes. Declare it if it does: compare: { tools: { "triage": { readOnly: true } } }',
    ],
  });
  expect(await seenWith(declared)).toMatchObject({ state: 'pass', seen: ['1 session, 1 turn'] });
});

test('a workflow where GitHub reads none is a failure, and one in no repository is looked at', async () => {
  const file = '.github/workflows/replay.yml';
  const project = { 'agent-replay.config.json': CONFIG, 'replays/a.session.json': PIN, [file]: workflow({}) };
  const nested = Object.entries(project).map(([name, text]) => [`apps/desk/${name}`, text] as const);
  await using folder = await folderWith({ '.git/HEAD': '', ...Object.fromEntries(nested) });
  const found = async (cwd: string) => {
    const around = await lookAround({ cwd, file: undefined, settings: undefined, signal: undefined });
    return judge(ENVIRONMENT_RULES, around).find(({ rule }) => rule === 'workflow');
  };
  expect(await found(path.join(folder.path, 'apps/desk'))).toMatchObject({
    state: 'fail',
    seen: [`apps/desk/${file}: GitHub reads workflows at the root of the repository only`],
    fix: expect.stringContaining('working-directory'),
  });
  await using alone = await folderWith(project);
  expect(await found(alone.path)).toMatchObject({ state: 'pass', seen: [file] });
});

/** A repository with the workflow that `init` writes, its action, and an agent. */
const STARTING = {
  '.gitignore': 'node_modules/\n',
  'package.json': JSON.stringify({ scripts: { start: 'node server.js' }, dependencies: { express: '5.0.0' } }),
  'package-lock.json': JSON.stringify({ packages: { '': { dependencies: { express: '5.0.0' } } } }),
  'server.js': '',
  'agent-replay.config.json': JSON.stringify({ agent: { command: 'npm start', url: 'http://127.0.0.1:1/replay' } }),
  '.github/workflows/replay.yml': workflowFile({ packageManager: 'npm', modelKeys: ['OPENAI_API_KEY'] }).content,
  '.github/actions/agent-replay/action.yml': 'runs:\n  using: node24\n  main: index.js\n  post: index.js\n',
  '.github/actions/agent-replay/index.js': '',
};

/** What the rule says of that repository with some files otherwise; without those that are undefined. */
async function workflowAfter(change: Readonly<Record<string, string | undefined>>) {
  const files = Object.entries({ 'replays/a.session.json': PIN, ...STARTING, ...change });
  await using folder = await folderWith(
    Object.fromEntries(files.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]]))),
  );
  execFileSync('git', ['init', '--quiet'], { cwd: folder.path });
  const around = await lookAround({ cwd: folder.path, file: undefined, settings: undefined, signal: undefined });
  const { state, seen = [] } = judge(ENVIRONMENT_RULES, around).find(({ rule }) => rule === 'workflow') ?? {};
  return { state, seen: seen.map((line) => line.replace('.github/workflows/replay.yml: ', '')) };
}

test('a workflow that finds all that it needs passes, with the secrets to set', async () => {
  expect(await workflowAfter({})).toEqual({
    state: 'pass',
    seen: ['.github/workflows/replay.yml', 'set where the repository is hosted: OPENAI_API_KEY'],
  });
});

test.each(['accept', 'fork-safe-publish', 'fork-safe-replay', 'nightly', 'pull-request', 'sharded'])(
  'the workflow docs/workflows/%s.yml passes as it is',
  async (name) => {
    const file = new URL(`../../docs/workflows/${name}.yml`, import.meta.url);
    const started = await workflowAfter({ '.github/workflows/replay.yml': await readFile(file, 'utf8') });
    expect(started).toMatchObject({ state: 'pass', seen: expect.arrayContaining(['.github/workflows/replay.yml']) });
  },
);

test('a workflow with the rights of the repository may show reports, and not replay beside that', async () => {
  const publishing = await readFile(new URL('../../docs/workflows/fork-safe-publish.yml', import.meta.url), 'utf8');
  const replaying = `${publishing}      - uses: ./.github/actions/agent-replay\n`;
  expect(await workflowAfter({ '.github/workflows/replay.yml': replaying })).toEqual({
    state: 'fail',
    seen: ["it runs on workflow_run, where a stranger's code gets the secrets"],
  });
});

const own = JSON.parse(STARTING['package.json']);
const withDependency = (version: string) => {
  const dependencies = { ...own.dependencies, 'agent-replay': version };
  return {
    'package.json': JSON.stringify({ ...own, dependencies }),
    'package-lock.json': JSON.stringify({ packages: { '': { dependencies } } }),
  };
};
const startedWith = (start: string) => ({ 'package.json': JSON.stringify({ ...own, scripts: { start } }) });

test.for<[string, Record<string, string | undefined>, string]>([
  [
    'an action that is not there',
    { '.github/actions/agent-replay/action.yml': undefined },
    '.github/actions/agent-replay/action.yml is not there: `npx agent-replay init` writes the action',
  ],
  [
    'an action without its bundle',
    { '.github/actions/agent-replay/index.js': undefined },
    '.github/actions/agent-replay/index.js is not there',
  ],
  [
    'an action that git ignores',
    { '.gitignore': '*.js\n!server.js\n' },
    'git ignores .github/actions/agent-replay/index.js (.gitignore:1:*.js), so the job does not have it',
  ],
  ['no lock file', { 'package-lock.json': undefined }, 'package-lock.json is not there'],
  [
    'a package outside of the repository',
    withDependency('file:../agent-replay'),
    'agent-replay is installed from ../agent-replay, outside of the repository: install it from a copy in it',
  ],
  [
    'a package that git ignores',
    { ...withDependency('file:agent-replay-0.1.0.tgz'), 'agent-replay-0.1.0.tgz': '', '.gitignore': '*.tgz' },
    'git ignores agent-replay-0.1.0.tgz (.gitignore:1:*.tgz), so the job does not have it',
  ],
  [
    'an .env without which the agent does not start',
    { ...startedWith('node --env-file=.env server.js'), '.env': 'A=1', '.gitignore': '.env' },
    'git ignores .env (.gitignore:1:.env), so the job does not have it: start it with --env-file-if-exists=.env',
  ],
  [
    'pins that git ignores',
    { '.gitignore': 'replays' },
    'git ignores replays/a.session.json (.gitignore:1:replays), so the job does not have it',
  ],
  [
    'no checkout',
    {
      '.github/workflows/replay.yml': STARTING['.github/workflows/replay.yml'].replace(
        / +- uses: actions\/checkout.*\n.*\n.*\n/,
        '',
      ),
    },
    'no step checks the repository out before ./.github/actions/agent-replay is used',
  ],
])('a workflow cannot start: %s', async ([, change, said]) => {
  expect(await workflowAfter(change)).toEqual({ state: 'fail', seen: [said] });
});

test('variables of an .env that is not committed are named, those that the workflow gives are not', async () => {
  const found = await workflowAfter({ '.env': 'OPENAI_API_KEY=x\nSHOP_URL=y\nPORT=1\n', '.gitignore': '.env' });
  expect(found).toEqual({
    state: 'warn',
    seen: ['only .env sets SHOP_URL: give the step what the agent needs of it, under env'],
  });
});

test('a pin that cannot be read is a failed rule, with the file; the others are looked at all the same', async () => {
  const verdicts = await verdictsOn({ 'replays/b.session.json': '{' });
  expect(verdicts.get('pins')).toMatchObject({ state: 'fail', seen: [expect.stringContaining('b.session.json')] });
  expect(verdicts.get('self-test')?.state).toBe('pass');
});

test('how long recorded turns go on after their root is told, because a run waits for it', async () => {
  const { turns, ...pin } = JSON.parse(PIN);
  const [turn] = turns;
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  const late = { id: 'm', parentId: 'r', type: 'tool', name: 'save_memory', startTime: at(6_000), endTime: at(6_003) };
  const observations = [...turn.recorded.observations, late];
  const recorded = { ...turn.recorded, observations };
  const verdicts = await verdictsOn({
    'replays/a.session.json': JSON.stringify({ ...pin, turns: [{ ...turn, recorded }] }),
  });
  expect(verdicts.get('pins')).toMatchObject({
    state: 'pass',
    seen: ['1 session, 1 turn', 'recorded turns go on for up to 6 s after their root: what comes last is waited for'],
  });
});

test('a planted change that is missed, a harmless one that is red, and a policy that fails nothing, fail the gate', async () => {
  const gateWith = async (config: object) => {
    const files = { 'agent-replay.config.json': JSON.stringify({ ...JSON.parse(CONFIG), ...config }) };
    return (await verdictsOn(files)).get('self-test');
  };
  expect(await gateWith({})).toMatchObject({
    state: 'pass',
    seen: expect.arrayContaining([
      expect.stringMatching(/^\d+ would be reported and fail none, \d+ are not compared, 0 missed$/),
    ]),
  });
  const blind = await gateWith({ failOn: { did: [], said: [], path: [] } });
  expect(blind).toMatchObject({ state: 'fail', fix: expect.stringContaining('--self-test') });

  await using folder = await folderWith({ 'agent-replay.config.json': CONFIG, 'replays/a.session.json': PIN });
  const surroundings = await lookAround({ cwd: folder.path, file: undefined, settings: undefined, signal: undefined });
  const missed = { ...(surroundings.gate as NonNullable<typeof surroundings.gate>), status: 'missed' } as const;
  const verdict = judge(ENVIRONMENT_RULES, { ...surroundings, gate: missed }).find(({ rule }) => rule === 'self-test');
  expect(verdict?.state).toBe('fail');
});

test('a configuration with a mistake is told with its place, and what needs it is not looked at', async () => {
  const verdicts = await verdictsOn({ 'agent-replay.config.json': '{"agent": {"url": "http://a/replay"}, "runs": 0}' });
  expect(verdicts.get('config')).toMatchObject({
    state: 'fail',
    seen: expect.arrayContaining([expect.stringContaining('runs')]),
  });
  expect(verdicts.get('pins')).toMatchObject({ state: 'skip', blockedBy: 'config' });
});
