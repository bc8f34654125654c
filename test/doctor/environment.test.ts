import path from 'node:path';
import { expect, test } from 'vitest';
import { type CheckedRule, judge } from '../../src/doctor/judge-rules.ts';
import { ENVIRONMENT_RULES } from '../../src/doctor/rules/all.ts';
import { lookAround } from '../../src/doctor/surroundings.ts';
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

test('a pin that cannot be read is a failed rule, with the file; the others are looked at all the same', async () => {
  const verdicts = await verdictsOn({ 'replays/b.session.json': '{' });
  expect(verdicts.get('pins')).toMatchObject({ state: 'fail', seen: [expect.stringContaining('b.session.json')] });
  expect(verdicts.get('gate')?.state).toBe('pass');
});

test('a planted change that is missed, a harmless one that is red, and a policy that fails nothing, fail the gate', async () => {
  const gateWith = async (config: object) => {
    const files = { 'agent-replay.config.json': JSON.stringify({ ...JSON.parse(CONFIG), ...config }) };
    return (await verdictsOn(files)).get('gate');
  };
  expect(await gateWith({})).toMatchObject({ state: 'pass', seen: expect.arrayContaining(['0 missed']) });
  const blind = await gateWith({ failOn: { changed: 'off', flaky: 'off', unsettled: 'off' } });
  expect(blind).toMatchObject({ state: 'fail', fix: expect.stringContaining('--self-test') });

  await using folder = await folderWith({ 'agent-replay.config.json': CONFIG, 'replays/a.session.json': PIN });
  const surroundings = await lookAround({ cwd: folder.path, file: undefined, settings: undefined, signal: undefined });
  const missed = { ...(surroundings.gate as NonNullable<typeof surroundings.gate>), status: 'missed' } as const;
  const verdict = judge(ENVIRONMENT_RULES, { ...surroundings, gate: missed }).find(({ rule }) => rule === 'gate');
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
