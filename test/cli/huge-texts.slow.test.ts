import { expect, test } from 'vitest';
import { type Running, start } from './command.ts';
import { type Project, projectWith } from './project.ts';

interface Case {
  readonly what: string;
  readonly project: (timeouts?: { readonly total?: number }) => Promise<Project>;
  /** Resolves when it is under way. */
  readonly reached: (running: Running, project: Project) => Promise<unknown>;
}

/** All of them begin alike, and so does every piece of what is answered: each is held against each. */
const SECRETS = Array.from({ length: 500 }, (_, index) => `${'g'.repeat(12)}${index}`);

const CASES: readonly Case[] = [
  {
    what: 'huge comparisons',
    // Each takes a second or more, and the next ones wait already.
    project: (timeouts) =>
      projectWith({
        sessions: { a: 'huge' },
        config: config({ workers: 8, runs: 100 }, timeouts),
        agent: { env: { WORDS: '1000000' } },
      }),
    reached: (_, project) => expect.poll(() => journalOf(project)).toContain('"type":"result"'),
  },
  {
    what: 'a huge redaction',
    // What is answered first is read while the second call hangs.
    project: (timeouts) =>
      projectWith({
        sessions: { a: 'masked', b: 'hang' },
        config: config({ runs: 1, redact: { values: SECRETS } }, timeouts),
      }),
    reached: (running) => running.printed(/asked: hang/),
  },
];

function config(more: object, timeouts: object = {}): object {
  return { workers: 1, retries: 0, maxResponse: 64 * 2 ** 20, timeouts: { call: 600_000, ...timeouts }, ...more };
}

async function journalOf(project: Project, what = ''): Promise<string> {
  const journal = await project.read('.agent-replay/journal.ndjson').catch(() => '');
  const results = journal.split('\n').filter((line) => line.startsWith('{"type":"result"'));
  return results.some((line) => line.includes(what)) ? '{"type":"result"' : '';
}

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

test.for(CASES.flatMap((each) => SIGNALS.map(([signal, code]) => ({ ...each, signal, code }))))(
  'fault 97: $signal during $what is heeded: the run ends, and what was replayed can be compared later',
  async ({ project: made, reached, signal, code }) => {
    await using project = await made();
    const running = start(['run'], { cwd: project.path });
    await reached(running, project);
    running.child.kill(signal);
    expect((await running.finished).code).toBe(code);
    expect(project.leftovers()).toEqual([]);
    const { results, evidence } = await project.report();
    expect(results.status).toBe('interrupted');
    expect(evidence.interruptedBy).toBe(signal);
    expect(results.sessions.map(({ verdict }) => verdict)).not.toContain('changed');
    expect(results.problems).toMatchObject([
      { code: 'INTERRUPTED', message: 'The run was cancelled while replays were being read and compared.' },
    ]);
  },
);

test('fault 106: a run that is given up during huge comparisons keeps what it had compared', async () => {
  await using project = await projectWith({
    sessions: { a: 'quick', b: 'huge' },
    config: config({ workers: 8, runs: 20 }),
    agent: { env: { WORDS: '1000000', PREFIX: 'other ' } },
  });
  const running = start(['run'], { cwd: project.path });
  await expect.poll(() => journalOf(project, '"session":"b"')).toContain('"type":"result"');
  running.child.kill('SIGTERM');
  expect((await running.finished).code).toBe(143);
  const { results, evidence } = await project.report();
  expect(results.problems[0]?.message).toBe('The run was cancelled while replays were being read and compared.');
  expect(results.sessions.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['a', 'changed'],
    ['b', 'inconclusive'],
  ]);
  expect(results.sessions[0]?.turns[0]?.comparison).toMatchObject({ requested: 20, conclusive: 20 });
  expect(evidence.usage.calls).toBeGreaterThanOrEqual(20);
});

test.for(CASES)('fault 97: timeouts.total is kept during $what', async ({ project: made }) => {
  // Time for the first answer to come on any machine, and none for what it takes to read all of them.
  await using project = await made({ total: 30_000 });
  const { code } = await start(['run'], { cwd: project.path }).finished;
  expect(code).toBe(2);
  expect(project.leftovers()).toEqual([]);
  const { results } = await project.report();
  expect(results.status).toBe('error');
  expect(results.problems).toMatchObject([
    {
      code: 'TOTAL_TIMEOUT',
      message: 'The time limit of the whole run passed while replays were being read and compared.',
    },
  ]);
});
