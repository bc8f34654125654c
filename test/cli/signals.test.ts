import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { processesWith } from '../agent/processes.ts';
import { outcomes } from '../outcomes.ts';
import { BIN, command, type Running, start } from './command.ts';
import { fixture, type Project, projectWith } from './project.ts';

/** No test waits so long: a command that does not cut its waiting short never ends in time. */
const FOREVER_MS = 600_000;
const PATIENT = { gracefulShutdown: { timeout: FOREVER_MS } } as const;

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

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
      projectWith({ sessions: { a: 'a', b: 'untraced' }, config: { workers: 1, timeouts: { trace: FOREVER_MS } } }),
    reached: /asked: untraced/,
  },
];

const CASES = PHASES.flatMap((phase) => (['SIGINT', 'SIGTERM'] as const).map((signal) => ({ ...phase, signal })));

test.for(CASES)(
  'fault 71 and 89: $signal during $name ends it, with a partial report, no crash, and nothing left',
  async (phase) => {
    await using project = await phase.project();
    const running = start(['run'], { cwd: project.path });
    expect(await endedBy(running, phase.signal, phase.reached)).toBe(EXIT_CODES[phase.signal]);
    expect(project.leftovers()).toEqual([]);
    const { results, evidence } = await project.report();
    expect(results.status).toBe('interrupted');
    expect(evidence.interruptedBy).toBe(phase.signal);
    expect(results.title).not.toContain('passed');
    // It ended because we ended it.
    expect(JSON.stringify(results)).not.toContain('AGENT_CRASHED');
  },
);

test('what had finished before the signal is in the report', async () => {
  await using project = await projectWith({ sessions: { a: 'a', b: 'hang' }, config: { workers: 1 } });
  const running = start(['run'], { cwd: project.path });
  await endedBy(running, 'SIGINT', /asked: hang/);
  // What was never sent is not counted as replayed.
  expect((await running.finished).stderr).not.toMatch(/2\/2 sessions|4\/4 (?:runs|replays)/);
  const { sessions } = (await project.report()).results;
  expect(sessions.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['a', outcomes.asRecorded],
    ['b', outcomes.couldNotTell],
  ]);
  expect(sessions[1]?.turns[0]?.problems).toMatchObject([{ code: 'INTERRUPTED', runs: [1, 2] }]);
});

test('fault 72: a second signal, while a stubborn agent is given its grace, ends at once and leaves nothing', async () => {
  await using project = await projectWith({
    sessions: { a: 'a' },
    agent: { command: fixture('stubborn.js'), ...PATIENT },
  });
  const running = start(['run'], { cwd: project.path });
  await running.printed(/asked/);
  running.child.kill('SIGINT');
  await running.printed(/SIGTERM ignored/);
  expect(await endedBy(running, 'SIGINT', /SIGTERM ignored/)).toBe(130);
  await expect.poll(() => project.leftovers()).toEqual([]);
});

test('fault 11: an agent that ignores SIGTERM is killed after the grace of a cancelled run', async () => {
  await using project = await projectWith({
    sessions: { a: 'a' },
    agent: { command: fixture('stubborn.js'), ...PATIENT },
  });
  const running = start(['run'], { cwd: project.path });
  expect(await endedBy(running, 'SIGTERM', /asked/)).toBe(143);
  expect(project.leftovers()).toEqual([]);
  expect((await project.report()).results.status).toBe('interrupted');
});

test('fault 73: when the command itself is killed, nothing of the agent is left', async () => {
  await using project = await projectWith({ sessions: { a: 'hang' } });
  const running = start(['run'], { cwd: project.path });
  await running.printed(/asked: hang/);
  running.child.kill('SIGKILL');
  await running.finished;
  await expect.poll(() => project.leftovers()).toEqual([]);
});

// `script` holds the other end of the terminal: when it is gone, the terminal is closed.
test.skipIf(process.platform !== 'linux')(
  'fault 111: when the terminal is closed, the report is written as interrupted, and nothing is left',
  async () => {
    await using project = await projectWith({ sessions: { a: 'quick', b: 'hang' }, config: { workers: 1, runs: 1 } });
    const mark = randomUUID();
    const terminal = inTerminal(['run'], project.path, mark);
    await expect.poll(() => project.read('.agent-replay/journal.ndjson').catch(() => '')).toContain('"type":"result"');
    terminal.kill('SIGKILL');
    // The command is no child of ours, and writes in the folder until it ends.
    await expect.poll(() => processesWith(mark)).toEqual([]);
    const { results, evidence } = await project.report();
    expect([results.status, evidence.interruptedBy]).toEqual(['interrupted', 'SIGHUP']);
    expect(results.sessions.map(({ verdict }) => verdict)).toEqual([outcomes.asRecorded, outcomes.couldNotTell]);
    expect(project.leftovers()).toEqual([]);
  },
);

test('fault 111: SIGHUP ends a run as SIGTERM does, with a code of its own', async () => {
  await using project = await projectWith({ sessions: { a: 'hang' } });
  const running = start(['run'], { cwd: project.path });
  expect(await endedBy(running, 'SIGHUP', /asked: hang/)).toBe(EXIT_CODES.SIGHUP);
  expect((await project.report()).results.status).toBe('interrupted');
  expect(project.leftovers()).toEqual([]);
});

function inTerminal(args: readonly string[], cwd: string, mark: string): ChildProcess {
  const words = [process.execPath, BIN, ...args].map((word) => `'${word}'`);
  const env = { ...process.env, MARK: mark };
  return spawn('script', ['--quiet', '--command', `exec ${words.join(' ')}`, '/dev/null'], { cwd, stdio: 'pipe', env });
}

async function endedBy(running: Running, signal: NodeJS.Signals, when: RegExp): Promise<number | null> {
  await running.printed(when);
  running.child.kill(signal);
  return (await running.finished).code;
}

test('fault 71: a signal before the run has begun is told as that, and blames no other run', async () => {
  const config = `
    const alive = setInterval(() => {}, 1_000);
    await new Promise((resolve) => process.once('SIGINT', resolve) && process.kill(process.pid, 'SIGINT'));
    clearInterval(alive);
    export default { agent: { command: 'node agent.js', url: 'http://127.0.0.1:1/replay' } };`;
  await using project = await projectWith({ sessions: { a: 'a' }, files: { 'own.config.mjs': config } });
  const { code, stderr } = await command(['run', '--config', 'own.config.mjs'], { cwd: project.path });
  expect(stderr).toBe('error: The run was interrupted by SIGINT. (INTERRUPTED)\n  -> Nothing was replayed.\n');
  expect(code).toBe(130);
});
