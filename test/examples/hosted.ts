import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { FakeGitHub, TOKEN } from '../action/github.ts';
import { Job, type StepResult } from '../action/runner/job.ts';
import { pullRequest } from '../action/step.ts';
import { play } from '../action/workflow-engine.ts';
import { folderWith } from '../config/folder.ts';
import { ended } from './page.ts';

export interface Hosted {
  readonly step: StepResult;
  /** The comment on the pull request. */
  readonly comment: string;
}

/**
 * What GitHub does when a pull request of a branch is opened: it plays the only workflow of the repository on a machine that
 * has nothing but what was pushed.
 * @param install does what a step runs
 */
export async function openPullRequest(
  repository: string,
  branch: string,
  install: (command: string, folder: string) => Promise<void>,
): Promise<Hosted> {
  await using machine = await folderWith({});
  await using github = await FakeGitHub.start();
  const workspace = path.join(machine.path, 'work');
  const event = pullRequest();
  let step: StepResult | undefined;
  const workflow = await showFile(repository, branch, '.github/workflows/agent-replay.yml');
  const steps = play(workflow, { ...event, payload: { ...event.payload }, github: {} })?.steps ?? [];
  for (const { uses, run, with: inputs, env } of steps) {
    if (uses?.startsWith('actions/checkout@')) {
      await ended('git', ['clone', '--quiet', '--branch', branch, repository, workspace], machine.path);
    } else if (run !== undefined) {
      await install(run, workspace);
    } else if (uses?.startsWith('./')) {
      await using job = await Job.create({
        workspace,
        action: path.join(workspace, uses),
        inputs: { 'github-token': TOKEN, ...inputs },
        event,
        env: { ...github.env, ...env },
      });
      step = await (await job.main()).finished;
    }
  }
  expect(step, 'the workflow uses an action of the repository').toBeDefined();
  return { step: step as StepResult, comment: github.comments.map(({ body }) => body).join('\n') };
}

async function showFile(repository: string, branch: string, file: string): Promise<string> {
  await using clone = await folderWith({});
  await ended('git', ['clone', '--quiet', '--branch', branch, repository, '.'], clone.path);
  return readFile(path.join(clone.path, file), 'utf8');
}
