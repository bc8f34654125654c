import { expect, test } from 'vitest';
import { type Found, tell } from './findings.ts';
import { FakeGitHub, type StoredIssue } from './github.ts';
import { type StepOptions, schedule } from './step.ts';

const PASSING: Found = { prefix: '' };
const WRITES = new Set(['open', 'edit', 'create']);

const sessionsOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, `input ${at}`]));

/** Nights of the bundled action, one after another, of which each may write less than ten times. */
async function nightsOn(github: FakeGitHub, ...nights: readonly (Found & { readonly leg?: string })[]): Promise<void> {
  for (const { leg, ...found } of nights) {
    const before = github.requests.length;
    const env = { GITHUB_RUN_ID: String(++runs) };
    const inputs = { issue: 'true', ...(leg && { leg: JSON.stringify({ model: leg }) }) };
    const step = await tell(found, { event: schedule(), github, env, inputs });
    expect(step.annotations.filter(({ level }) => level === 'notice')).toEqual([]);
    const written = github.requests.slice(before).filter(({ route }) => WRITES.has(route));
    expect(written.length).toBeLessThan(10);
  }
}
let runs = 100;

const states = ({ issues }: FakeGitHub) => issues.map(({ state }) => state);
/** What it shows of the last night. */
const failingIn = ({ body }: StoredIssue) =>
  [...body.matchAll(/^\| ✘&nbsp;.*<code>(s\d+)<\/code>/gm)].map(([, id]) => id);
const said = ({ comments }: FakeGitHub) => comments.map(({ body }) => body[0]);

test('fault 45: five sessions that wander for 14 red nights, a fix and a red night again: one issue, and a comment on each change of its state', async () => {
  await using github = await FakeGitHub.start();
  const sessions = sessionsOf(5);
  const [first, ...nights] = Array.from({ length: 14 }, (_, night) => ({ sessions, diverging: [`s${night % 5}`] }));
  await nightsOn(github, first!);
  const [issue] = github.issues as [StoredIssue];
  expect(issue).toMatchObject({
    title: 'The agent does not do as recorded',
    state: 'open',
    labels: ['agent-replay'],
    body: expect.stringContaining('lookup.text'),
  });
  Object.assign(issue, { title: 'Renamed by somebody', labels: [] });
  await nightsOn(github, ...nights);
  expect([states(github), said(github)]).toEqual([['open'], ['✘']]);
  expect(issue.body.match(/\[✘ \d{4}-\d\d-\d\d\]\(\S+\) 1/g)).toHaveLength(14);
  expect(failingIn(issue)).toEqual(['s3']);

  await nightsOn(github, { ...PASSING, sessions });
  expect(issue).toMatchObject({ title: 'Renamed by somebody', state: 'closed', state_reason: 'completed' });
  await nightsOn(github, { sessions });
  expect(issue).toMatchObject({ state: 'open', state_reason: 'reopened' });
  expect([github.count('open'), said(github)]).toEqual([1, ['✘', '✔', '✘']]);
});

test('a swap over 60 sessions, of which others fail each night, has one issue and one comment', async () => {
  await using github = await FakeGitHub.start();
  const sessions = sessionsOf(60);
  const ids = Object.keys(sessions);
  const nights = [ids.slice(0, 40), ids.slice(20), [...ids.slice(0, 10), ...ids.slice(50)]];
  await nightsOn(github, ...nights.map((diverging) => ({ sessions, diverging })));
  expect([states(github), said(github)]).toEqual([['open'], ['✘']]);
  expect(github.issues[0]?.body).toMatch(/\) 40 · .*\) 40 · .*\) 20$/m);
});

test('a leg that fails keeps its issue open while another leg is sound, and only its own sound night closes it', async () => {
  await using github = await FakeGitHub.start();
  await nightsOn(github, { leg: 'large' }, { ...PASSING, leg: 'small' });
  expect(github.issues).toMatchObject([{ state: 'open', title: expect.stringMatching(/: large$/) }]);
  await nightsOn(github, { ...PASSING, leg: 'small' });
  expect(states(github)).toEqual(['open']);
  await nightsOn(github, { ...PASSING, leg: 'large' });
  expect([states(github), said(github)]).toEqual([['closed'], ['✘', '✔']]);
});

test('a renamed job and an added group go on with issue and history; an added name or matrix is another subject with its own', async () => {
  await using github = await FakeGitHub.start();
  const edits: readonly StepOptions[] = [
    {},
    { env: { GITHUB_JOB: 'check' } },
    { inputs: { group: 'models' } },
    { inputs: { name: 'small' } },
    { inputs: { leg: '{"model":"small"}' } },
  ];
  for (const { env, inputs } of edits) {
    const all = { issue: 'true', history: 'branch:agent/history', ...inputs };
    await tell({}, { event: schedule(), github, env: { GITHUB_RUN_ID: String(++runs), ...env }, inputs: all });
  }
  const nights = github.issues.map(({ body }) => body.match(/\[✘ /g)?.length);
  const lines = ['history.ndjson', 'small/history.ndjson'].map(
    (file) => github.git.filesOf('agent/history')?.get(file)?.trim().split('\n').length,
  );
  // Nobody has said that the subject without a name is sound, so its issue stays open.
  expect([states(github), nights, lines]).toEqual([
    ['open', 'open'],
    [3, 2],
    [3, 2],
  ]);
});
