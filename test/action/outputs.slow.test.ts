import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { type Project, projectWith } from '../cli/project.ts';
import { FakeGitHub } from './github.ts';
import { pullRequest, runAction } from './step.ts';

const FORGES = fileURLToPath(new URL('../agent/fixtures/forges-outputs.js', import.meta.url));
const AGENT = fileURLToPath(new URL('../cli/fixtures/agent.ts', import.meta.url));
const told = (what: string) => `Another process wrote to the ${what}: what it wrote was taken out.`;
const TOLD = told('outputs of this step');

/** A project whose agent does otherwise than recorded, and has a daemon that runs a loop in a shell. */
function projectThat(VARIANT: string, LOOP: string, SEEN = '', OF = 'OUTPUT'): Promise<Project> {
  const env = { PREFIX: 'zebra ', SERVES: pathToFileURL(AGENT).href, MARK: 'forger', VARIANT, LOOP, SEEN, OF };
  return projectWith({ sessions: { one: 'a' }, agent: { command: `"${process.execPath}" "${FORGES}"`, env } });
}

const onLinux = test.skipIf(process.platform !== 'linux');

onLinux.for(['cleared', 'overwritten', 'forked-twice', 'orphaned'])(
  'fault 115: a daemon that hides and writes a pass into the outputs of the step changes nothing (%s)',
  async (variant) => {
    const loop = 'while :; do echo status=passed >> FILE; sleep 0.01; done';
    await using project = await projectThat(variant, loop, 'status=passed');
    const step = await runAction(project);
    expect(step).toMatchObject({ exitCode: 1, conclusion: 'failure', leftovers: [], outputs: { status: 'failed' } });
    expect(step.annotations.map(({ message }) => message).join()).toContain(TOLD);
  },
);

onLinux('fault 115: an output that a daemon has begun and not ended swallows none of ours', async () => {
  await using project = await projectThat('cleared', 'echo "x<<y" >> FILE; sleep 600', 'x<<y');
  const step = await runAction(project);
  expect(step).toMatchObject({ exitCode: 1, outputs: { status: 'failed' } });
  expect(step.outputs).not.toHaveProperty('x');
});

onLinux.for([
  ['ENV', 'environment of later steps'],
  ['PATH', 'path of later steps'],
  ['STATE', 'state of this step'],
] as const)('a line that an agent writes into GITHUB_%s reaches no later step', async ([file, what]) => {
  await using project = await projectThat('cleared', 'echo told=/forged >> FILE; sleep 600', 'told=/forged', file);
  const step = await runAction(project);
  const { id, ...state } = { id: step.state.pairs.jobId, ...step.state.pairs };
  expect(id).toMatch(/^[-0-9a-f]{36}$/);
  expect({ exitCode: step.exitCode, env: step.env.pairs, path: step.path, state }).toEqual({
    exitCode: 1,
    env: {},
    path: [],
    state: { jobId: id },
  });
  expect(step.annotations.map(({ message }) => message).join()).toContain(told(what));
});

onLinux('fault 115: what a daemon that was not found writes after our outputs is taken out again', async () => {
  // It takes off the mark by which it would be found, and is over once it has forged.
  const unmarked = '{ ulimit -S -w unlimited || ulimit -S -x unlimited; } 2>/dev/null';
  const forge = 'until grep -q status FILE; do sleep 0.01; done; echo status=passed >> FILE; echo >> forged';
  await using project = await projectThat('cleared', `${unmarked}; ${forge}`);
  await using github = await FakeGitHub.start();
  github.before = async (route) => {
    // The comment of the pending run stands before the outputs do; its result is written after them.
    if (route === 'update') await expect.poll(() => existsSync(path.join(project.path, 'forged'))).toBe(true);
  };
  const step = await runAction(project, { event: pullRequest(), github });
  expect(step).toMatchObject({ exitCode: 1, outputs: { status: 'failed' } });
  expect(step.annotations.map(({ message }) => message).join()).toContain(TOLD);
  expect(project.leftovers()).toEqual([]);
});
