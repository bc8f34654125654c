import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { fixture, projectWith } from '../cli/project.ts';
import { FakeGitHub } from './github.ts';
import { jobIn, pullRequest, runAction } from './step.ts';

test('the timeout of the step ends it with what it has: exit 2, a report, the agent gone', async () => {
  await using github = await FakeGitHub.start();
  await using project = await projectWith({ sessions: { b: 'hang' } });
  const step = await runAction(project, { event: pullRequest(), github, inputs: { timeout: '0.02' } });
  expect(step).toMatchObject({ exitCode: 2, leftovers: [], outputs: { status: 'error' } });
  expect(step.summary.text).toContain('TOTAL_TIMEOUT');
  expect(step.log + step.summary.text).not.toContain('AGENT_CRASHED');
  expect(github.comments[0]?.body).toMatch(/could not tell in/i);
});

test('fault 70: nothing of an event or an input reaches a shell', async () => {
  await using github = await FakeGitHub.start();
  const hostile = '$(touch owned)`touch owned`;touch owned #';
  await using project = await projectWith({ sessions: { one: 'a' } });
  const event = pullRequest(({ pull_request }) => {
    Object.assign(pull_request, { title: hostile });
    Object.assign(pull_request.head, { ref: hostile });
  });
  const env = { GITHUB_HEAD_REF: hostile, GITHUB_REF: `refs/heads/${hostile}`, GITHUB_WORKFLOW: hostile };
  const step = await runAction(project, { event, github, env, inputs: { leg: hostile } });
  expect(step).toMatchObject({ exitCode: 0, annotations: [] });
  expect(await readdir(project.path)).not.toContain('owned');
});

test.for([
  ['starting', { command: fixture('never-ready.js') }, 'a', /never ready/],
  ['waiting for a trace', {}, 'untraced', /asked: untraced/],
  ['an agent that ignores SIGTERM is replaying', { command: fixture('stubborn.js') }, 'a', /asked/],
] as const)('fault 71, 11: cancelled while %s, it ends in time and leaves nothing', async ([, agent, input, seen]) => {
  await using project = await projectWith({ sessions: { a: input }, agent, config: { timeouts: { trace: 600_000 } } });
  await using job = await jobIn(project);
  const step = await job.main();
  await step.printed(seen);
  step.cancel();
  const result = await step.finished;
  expect(result).toMatchObject({ exitCode: 130, leftovers: [], annotations: [], outputs: { status: 'interrupted' } });
  expect(result.log).not.toContain('AGENT_CRASHED');
  expect(result.summary.text).toContain('interrupted');
});

test('fault 71: a step that is cancelled while it comments says so by its exit code', async () => {
  await using github = await FakeGitHub.start();
  github.faults.create = [{ hangs: true }];
  await using project = await projectWith({ sessions: { a: 'a' } });
  await using job = await jobIn(project, { event: pullRequest(), github });
  const step = await job.main();
  await expect.poll(() => github.count('create')).toBe(1);
  step.cancel();
  expect(await step.finished).toMatchObject({ exitCode: 130, leftovers: [] });
  expect(github.comments).toEqual([]);
});

test('fault 73: what a killed step leaves, its post step ends', async () => {
  await using project = await projectWith({
    sessions: { a: 'hang' },
    agent: {
      // Heeds no SIGTERM, and writes into no pipe whose reader is gone.
      command: `(trap '' TERM; exec sleep 1000) & exec ${fixture('agent.ts')}`,
      gracefulShutdown: { timeout: 60_000 },
    },
  });
  await using job = await jobIn(project);
  const step = await job.main();
  await step.printed(/asked/);
  step.kill();
  const { leftovers } = await step.finished;
  expect(leftovers.length).toBeGreaterThan(0);
  expect(await job.post()).toMatchObject({ exitCode: 0, leftovers: [] });
});
