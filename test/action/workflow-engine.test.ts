import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { chmod, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workflowFile } from '../../src/init/workflow-file.ts';
import { folderWith } from '../config/folder.ts';
import { issueComment, pullRequest, push, schedule, workflowRun } from './step.ts';
import { type PlayedStep, type PlayOptions, play, type Started } from './workflow-engine.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const FILES = globSync(['docs/workflows/*.yml', '.github/workflows/*.yml'], { cwd: ROOT }).sort();
const TEXTS: ReadonlyMap<string, string> = new Map([
  ...FILES.map((file) => [path.basename(file, '.yml'), readFileSync(path.join(ROOT, file), 'utf8')] as const),
  ['init', workflowFile({ packageManager: 'npm' }).content],
]);

const ON_MAIN = { ref: 'refs/heads/main', ref_type: 'branch', ref_name: 'main', base_ref: '', head_ref: '' };
const ON_PULL = {
  ref: 'refs/pull/2/merge',
  ref_type: 'branch',
  ref_name: '2/merge',
  base_ref: 'main',
  head_ref: 'patch-1',
};

function started(event: { name: string; payload: unknown }, github: Started['github'] = ON_MAIN): Started {
  return { name: event.name, payload: event.payload as Started['payload'], github };
}

const DEFAULT_BRANCH = { repository: { default_branch: 'main' } };
const EVENTS: Readonly<Record<string, Started>> = {
  'push to main': started(push()),
  'push to a branch': started(push(), { ...ON_MAIN, ref: 'refs/heads/x', ref_name: 'x' }),
  'push of v0.1.0': started(push(), { ...ON_MAIN, ref: 'refs/tags/v0.1.0', ref_type: 'tag', ref_name: 'v0.1.0' }),
  'push of another tag': started(push(), { ...ON_MAIN, ref: 'refs/tags/v0.1', ref_type: 'tag', ref_name: 'v0.1' }),
  'pull request': started(pullRequest(opened), ON_PULL),
  'pull request of a fork': started(
    pullRequest((it) => Object.assign(opened(it).head, { repo: { full_name: 'stranger/x' } })),
    ON_PULL,
  ),
  schedule: started(schedule()),
  dispatch: started({ name: 'workflow_dispatch', payload: { inputs: null, ...DEFAULT_BRANCH } }),
  'dispatch after accept': started({
    name: 'workflow_dispatch',
    payload: { inputs: { 'pull-request': '2' }, ...DEFAULT_BRANCH },
  }),
  'comment with a command': started(issueComment('/agent-replay accept one')),
  'comment without one': started(issueComment('I would /agent-replay accept one')),
  'comment on an issue': started(issueComment('/agent-replay accept', (it) => delete it.issue.pull_request)),
  'comment that was edited': started(
    issueComment('/agent-replay accept', (it) => Object.assign(it, { action: 'edited' })),
  ),
  'after a check of a pull request': started(workflowRun('f'.repeat(40), 'stranger/x', {})),
  'after a check of a push': started(workflowRun('f'.repeat(40), 'stranger/x', { event: 'push' })),
};

function opened<T extends { pull_request: { head: { repo: unknown } } }>(payload: T): T['pull_request'] {
  Object.assign(payload, { action: 'opened' });
  return payload.pull_request;
}

function played(workflow: string, event: Started, options?: PlayOptions) {
  const text = TEXTS.get(workflow);
  if (text === undefined) throw new Error(`there is no ${workflow}`);
  return play(text, event, options);
}

/** Which jobs run after an event, by workflow; workflows that it does not start, or of which nothing runs, are left out. */
function jobsAfter(event: Started): Record<string, string[]> {
  const all = [...TEXTS.keys()].map((name): [string, string[]] => [
    name,
    [...new Set(played(name, event)?.steps.map(({ job }) => job) ?? [])],
  ]);
  return Object.fromEntries(all.filter(([, jobs]) => jobs.length > 0));
}

const ON_EACH_PULL = {
  ci: ['check', 'agent', 'bench'],
  codeql: ['analyze'],
  'fork-safe-replay': ['replay'],
  init: ['replay'],
  'pull-request': ['replay'],
  sharded: ['replay', 'look', 'verdict'],
  zizmor: ['audit'],
};

test.for<[string, Record<string, string[]>]>([
  [
    'push to main',
    { ci: ['check', 'agent', 'bench'], codeql: ['analyze'], scorecard: ['analysis'], zizmor: ['audit'] },
  ],
  ['push to a branch', {}],
  ['push of v0.1.0', { release: ['pack', 'publish', 'release'] }],
  ['push of another tag', {}],
  ['pull request', ON_EACH_PULL],
  ['pull request of a fork', ON_EACH_PULL],
  ['schedule', { codeql: ['analyze'], nightly: ['replay'], scorecard: ['analysis'] }],
  [
    'dispatch',
    { nightly: ['replay'], 'pull-request': ['replay'], release: ['pack'], sharded: ['replay', 'look', 'verdict'] },
  ],
  ['comment with a command', { accept: ['accept'] }],
  ['comment without one', {}],
  ['comment on an issue', {}],
  ['comment that was edited', {}],
  ['after a check of a pull request', { 'fork-safe-publish': ['publish'] }],
  ['after a check of a push', {}],
])('these jobs run after a %s, of all workflows', ([name, jobs]) => {
  expect(jobsAfter(EVENTS[name]!)).toEqual(jobs);
});

const stepsOf = (workflow: string, event: string, outcomes: PlayOptions['outcomes'] = {}) =>
  played(workflow, EVENTS[event]!, { outcomes })?.steps ?? [];
const names = (steps: readonly PlayedStep[]) => steps.map(({ name }) => name);
const BEFORE = ['checkout', 'setup-node', 'npm ci'];

test.for([
  ['success', ['agent-replay', 'upload-artifact']],
  ['failure', ['agent-replay', 'upload-artifact']],
  ['cancelled', ['agent-replay']],
] as const)('a report is uploaded of a check that ends in %s, or it is not', ([outcome, last]) => {
  for (const workflow of ['pull-request', 'fork-safe-replay', 'init']) {
    const steps = stepsOf(workflow, 'pull request', { 'agent-replay': outcome });
    const after = names(steps).slice(names(steps).indexOf('agent-replay'));
    // The page stands once more by itself, so that one click opens it.
    const alone = steps.flatMap((step) => (step.with.archive === 'false' ? ['upload-artifact'] : []));
    expect(after, workflow).toEqual([...last, ...alone]);
    expect(alone.length, workflow).toBeLessThanOrEqual(last.length - 1);
  }
  expect(names(stepsOf('nightly', 'schedule', { 'agent-replay': outcome }))).toEqual([...BEFORE, ...last]);
});

test('nothing is replayed where nothing could be installed', () => {
  expect(names(stepsOf('nightly', 'schedule', { 'npm ci': 'failure' }))).toEqual([...BEFORE, 'upload-artifact']);
});

test('each shard makes its part, and the verdict is given whatever becomes of them, unless somebody cancels', () => {
  const steps = stepsOf('sharded', 'pull request', { 'agent-replay': 'failure' });
  const shards = steps.filter((step) => step.job === 'replay' && step.name === 'agent-replay');
  expect(shards.map((step) => step.with.shard)).toEqual(['1/4', '2/4', '3/4', '4/4']);
  const uploads = steps.filter((step) => step.job === 'replay' && step.name === 'upload-artifact');
  expect(uploads.map((step) => step.with.name)).toEqual([1, 2, 3, 4].map((shard) => `agent-replay-${shard}`));
  expect(names(steps.filter(({ job }) => job === 'verdict'))).toContain('agent-replay');
  expect(stepsOf('sharded', 'pull request', { 'agent-replay': 'cancelled' }).some(({ job }) => job === 'verdict')).toBe(
    false,
  );
});

test('shards make the last look of all sessions where the merge left it open, each after its own journal', () => {
  const jobsWith = (open: string) => {
    const outputs = { merged: { open } };
    return (
      played('sharded', EVENTS['pull request']!, { outcomes: { 'agent-replay': 'failure' }, outputs })?.steps ?? []
    );
  };
  expect(jobsWith('false').map(({ job }) => job)).not.toContain('last-look');
  const steps = jobsWith('true').filter(({ job }) => job === 'last-look');
  const given = (name: string, input: string) => steps.flatMap((step) => (step.name === name ? step.with[input] : []));
  expect(given('agent-replay', 'shard')).toEqual(['1/4', '2/4', '3/4', '4/4']);
  expect(new Set(given('agent-replay', 'set'))).toEqual(new Set(['lastLook=true']));
  expect(given('download-artifact', 'name')).toEqual(given('upload-artifact', 'name'));
  expect(new Set(given('upload-artifact', 'overwrite'))).toEqual(new Set(['true']));
  expect(jobsWith('true').at(-1)?.job).toBe('verdict');
});

test('two pull requests never cancel each other, whatever their branches are called; two runs of one do', () => {
  const other = started(
    pullRequest((it) => Object.assign(opened(it), { number: 3 })),
    ON_PULL,
  );
  for (const workflow of ['pull-request', 'fork-safe-replay', 'sharded', 'init', 'ci', 'zizmor', 'codeql']) {
    const [first, second] = [EVENTS['pull request']!, other].map((event) => played(workflow, event)!);
    expect(first?.group, workflow).not.toBe(second?.group);
    expect(first?.cancels, workflow).toBe(true);
  }
  const dispatched = played('pull-request', EVENTS['dispatch after accept']!);
  expect(dispatched?.group).toBe(played('pull-request', EVENTS['pull request']!)?.group);
  const comments = ['comment with a command', 'comment without one'].map((name, id) => {
    const event = EVENTS[name]!;
    return played('accept', { ...event, payload: { ...event.payload, comment: { body: '', id } } })?.group;
  });
  expect(new Set(comments).size).toBe(2);
});

test('no word of an event reaches a command or a setting of a step: titles, bodies, branches and names are hostile', () => {
  const hostile = '$(touch owned)';
  const poisoned = (value: unknown): unknown =>
    typeof value === 'string'
      ? hostile
      : Array.isArray(value)
        ? value.map(poisoned)
        : value !== null && typeof value === 'object'
          ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, poisoned(each)]))
          : value;
  let looked = 0;
  for (const [name, event] of Object.entries(EVENTS)) {
    const { action } = event.payload;
    const payload = {
      ...(poisoned(event.payload) as object),
      ...(action === undefined ? {} : { action }),
      ...(event.name === 'workflow_run' ? { workflow_run: { event: 'pull_request', id: 7, name: hostile } } : {}),
    };
    if (event.name === 'issue_comment')
      Object.assign(payload, { comment: { id: 1, body: `/agent-replay ${hostile}` } });
    const github = { ...event.github, base_ref: hostile, head_ref: hostile };
    for (const workflow of TEXTS.keys()) {
      for (const step of played(workflow, { ...event, payload, github })?.steps ?? []) {
        looked++;
        expect(
          `${step.run ?? ''}${JSON.stringify(step.with)}`,
          `${workflow} after ${name}: ${step.name}`,
        ).not.toContain(hostile);
      }
    }
  }
  expect(looked).toBeGreaterThan(50);
});

/** Runs a step as the runner does, with stand-ins for programs that are not here: each writes down what it was called with. */
async function runStep(
  step: PlayedStep | undefined,
  programs: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
) {
  const written = Object.entries(programs).map(([name, script]) => [
    `bin/${name}`,
    `#!/bin/sh\necho "$@" >> "$CALLS"\n${script}\n`,
  ]);
  await using folder = await folderWith(Object.fromEntries(written));
  for (const name of Object.keys(programs)) await chmod(path.join(folder.path, 'bin', name), 0o755);
  const calls = path.join(folder.path, 'calls');
  const { status } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step?.run ?? 'exit 99'], {
    cwd: folder.path,
    env: { PATH: `${folder.path}/bin:${process.env.PATH}`, CALLS: calls, ...step?.env, ...env },
  });
  return {
    status,
    calls: (await readFile(calls, 'utf8').catch(() => ''))
      .trim()
      .split('\n')
      .filter((line) => line !== ''),
  };
}

test.for([
  ['passed', 0],
  ['failed', 1],
  ['', 1],
] as const)(
  'the check of our own agent holds the output of the action against its name: %j',
  async ([status, code]) => {
    const { steps } = played('ci', EVENTS['pull request']!, { outputs: { replay: { status } } })!;
    const step = steps.find(({ run }) => run?.startsWith('test '));
    expect(await runStep(step, {})).toMatchObject({ status: code });
  },
);

test('a release is made of the tag, and the moving tag is moved, or made the first time', async () => {
  const steps = stepsOf('release', 'push of v0.1.0').filter(({ job }) => job === 'release');
  const [create, move] = steps.filter(({ run }) => run !== undefined);
  expect(await runStep(create, { gh: 'true' })).toMatchObject({
    status: 0,
    calls: [expect.stringContaining('release create v0.1.0 --verify-tag --title v0.1.0 --notes-file release/notes.md')],
  });
  const env = { GITHUB_REPOSITORY: 'o/r', GITHUB_SHA: 'abc' };
  expect(await runStep(move, { gh: 'true' }, env)).toEqual({
    status: 0,
    calls: ['api --method PATCH repos/o/r/git/refs/tags/v0 -f sha=abc -F force=true'],
  });
  const first = await runStep(move, { gh: 'case "$3" in PATCH) exit 1;; esac' }, env);
  expect(first).toMatchObject({
    status: 0,
    calls: [expect.anything(), 'api --method POST repos/o/r/git/refs -f ref=refs/tags/v0 -f sha=abc'],
  });
});
