import { expect, test } from 'vitest';
import { type Running, start } from './command.ts';
import { fixture, type Project, projectWith } from './project.ts';

/** What CI gives a cancelled job for everything. */
const MAX_END_MS = 7_000;

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

interface Phase {
  readonly name: string;
  readonly project: () => Promise<Project>;
  /** Said on stderr when the phase has been reached. */
  readonly reached: RegExp;
}

const PHASES: readonly Phase[] = [
  {
    name: 'the start of the agent',
    project: () => projectWith({ sessions: { a: 'a' }, agent: { command: fixture('never-ready.js') } }),
    reached: /started, and never ready/,
  },
  {
    name: 'a replay',
    project: () => projectWith({ sessions: { a: 'a', b: 'hang' }, config: { workers: 1 } }),
    reached: /asked: hang/,
  },
  {
    name: 'the wait for a trace',
    project: () =>
      projectWith({ sessions: { a: 'a', b: 'untraced' }, config: { workers: 1, timeouts: { trace: 60_000 } } }),
    reached: /asked: untraced/,
  },
];

const CASES = PHASES.flatMap((phase) => (['SIGINT', 'SIGTERM'] as const).map((signal) => ({ ...phase, signal })));

test.for(CASES)(
  'fault 71: $signal during $name ends in time, with a partial report and nothing left',
  async (phase) => {
    await using project = await phase.project();
    const running = start(['run'], { cwd: project.path });
    const { code, elapsedMs } = await endedBy(running, phase.signal, phase.reached);
    expect(code).toBe(EXIT_CODES[phase.signal]);
    expect(elapsedMs).toBeLessThan(MAX_END_MS);
    expect(project.leftovers()).toEqual([]);
    const { results, evidence } = await project.report();
    expect(results.status).toBe('interrupted');
    expect(evidence.interruptedBy).toBe(phase.signal);
    expect(results.title).not.toContain('passed');
  },
);

test('what had finished before the signal is in the report', async () => {
  await using project = await projectWith({ sessions: { a: 'a', b: 'hang' }, config: { workers: 1 } });
  const running = start(['run'], { cwd: project.path });
  await endedBy(running, 'SIGINT', /asked: hang/);
  const { sessions } = (await project.report()).results;
  expect(sessions.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['a', 'reproduced'],
    ['b', 'inconclusive'],
  ]);
  expect(sessions[1]?.turns[0]?.problems).toMatchObject([{ code: 'INTERRUPTED', runs: [1, 2] }]);
});

test('fault 72: a second signal, while a stubborn agent is given its grace, ends at once and leaves nothing', async () => {
  await using project = await projectWith({ sessions: { a: 'a' }, agent: { command: fixture('stubborn.js') } });
  const running = start(['run'], { cwd: project.path });
  await running.printed(/asked/);
  running.child.kill('SIGINT');
  await running.printed(/SIGTERM ignored/);
  const { code, elapsedMs } = await endedBy(running, 'SIGINT', /SIGTERM ignored/);
  expect(code).toBe(130);
  expect(elapsedMs).toBeLessThan(1_500);
  await expect.poll(() => project.leftovers()).toEqual([]);
});

test('fault 11: an agent that ignores SIGTERM is killed after the grace of a cancelled run', async () => {
  await using project = await projectWith({ sessions: { a: 'a' }, agent: { command: fixture('stubborn.js') } });
  const running = start(['run'], { cwd: project.path });
  const { code, elapsedMs } = await endedBy(running, 'SIGTERM', /asked/);
  expect(code).toBe(143);
  expect(elapsedMs).toBeLessThan(MAX_END_MS);
  expect(project.leftovers()).toEqual([]);
  expect((await project.report()).results.status).toBe('interrupted');
});

test('fault 73: when the command itself is killed, nothing of the agent is left', async () => {
  await using project = await projectWith({ sessions: { a: 'hang' } });
  const running = start(['run'], { cwd: project.path });
  await running.printed(/asked: hang/);
  running.child.kill('SIGKILL');
  await running.finished;
  await expect.poll(() => project.leftovers(), { timeout: MAX_END_MS }).toEqual([]);
});

async function endedBy(
  running: Running,
  signal: NodeJS.Signals,
  when: RegExp,
): Promise<{ code: number | null; elapsedMs: number }> {
  await running.printed(when);
  const startedAt = performance.now();
  running.child.kill(signal);
  const { code } = await running.finished;
  return { code, elapsedMs: performance.now() - startedAt };
}
