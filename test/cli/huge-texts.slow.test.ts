import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { outcomes } from '../outcomes.ts';
import { withinTime } from '../patience.ts';
import { command, type Running, start } from './command.ts';
import { type Project, projectWith } from './project.ts';
import { sceneOf } from './scene.ts';

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
        agent: { env: { WORDS: '550000' } },
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
  { signal: 'SIGINT', code: 130 },
  { signal: 'SIGTERM', code: 143 },
] as const;

// Another signal in each: all take the same way.
test.for(CASES.map((each, index) => ({ ...each, ...SIGNALS[index % SIGNALS.length]! })))(
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
    expect(results.sessions.map(({ verdict }) => verdict)).not.toContain(outcomes.changed);
    expect(results.problems).toMatchObject([
      { code: 'INTERRUPTED', message: 'The run was cancelled while replays were being read and compared.' },
    ]);
  },
);

test('fault 106: a run that is given up during huge comparisons keeps what it had compared', async () => {
  await using project = await projectWith({
    sessions: { a: 'quick', b: 'huge' },
    config: config({ workers: 8, runs: 20 }),
    agent: { env: { WORDS: '550000', PREFIX: 'other ' } },
  });
  const running = start(['run'], { cwd: project.path });
  await expect.poll(() => journalOf(project, '"session":"b"')).toContain('"type":"result"');
  running.child.kill('SIGTERM');
  expect((await running.finished).code).toBe(143);
  const { results, evidence } = await project.report();
  expect(results.problems[0]?.message).toBe('The run was cancelled while replays were being read and compared.');
  expect(results.sessions.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['a', outcomes.changed],
    ['b', outcomes.couldNotTell],
  ]);
  expect(results.sessions[0]?.turns[0]?.comparison).toMatchObject({ requested: 20, conclusive: 20 });
  expect(evidence.usage.calls).toBeGreaterThanOrEqual(20);
});

test('fault 60: recordings of 100,000 elements and of a megabyte are told of in a few lines, in every output for people', async () => {
  await using project = await projectWith({ sessions: { list: 'a', text: 'b' }, config: { runs: 2 } });
  await record(project, 'list', ({ tool }) => {
    tool.input = { text: 'a', list: Array.from({ length: 100_000 }, (_, index) => index) };
    tool.output = Array.from({ length: 100_000 }, (_, id) => ({ id, name: `n${id}` }));
  });
  await record(project, 'text', ({ tool }) => {
    tool.input = { text: 'word '.repeat(200_000) };
  });
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(code).toBe(1);
  expect((await project.report()).results.sessions.map(({ verdict }) => verdict)).toEqual([
    outcomes.changed,
    outcomes.changed,
  ]);
  const [markdown, junit] = await Promise.all(
    ['report.md', 'junit.xml'].map((file) => project.read(`.agent-replay/${file}`)),
  );
  expect([stdout, markdown, junit].map((text) => (text?.length ?? 0) < 10_000)).toEqual([true, true, true]);
});

interface Recorded {
  tool: { input: unknown; output: unknown };
}

async function record(project: Project, id: string, change: (recorded: Recorded) => void): Promise<void> {
  const file = `replays/${id}.session.json`;
  const pin = JSON.parse(await project.read(file));
  change({ tool: pin.turns[0].recorded.observations[1] });
  await writeFile(path.join(project.path, file), JSON.stringify(pin));
}

/** Where a run has kept two texts of megabytes. */
const hugeRun = sceneOf(async () => {
  const project = await projectWith({
    sessions: { a: 'huge' },
    config: config({ runs: 1 }),
    agent: { env: { WORDS: '550000' } },
  });
  expect((await command(['run'], { cwd: project.path })).code).toBe(1);
  return project;
});

// What a process has read so far, Linux tells alone.
test.skipIf(process.platform !== 'linux').for([
  ['merge', ['merge', '.agent-replay', '--output-dir', 'merged'], '.agent-replay/journal.ndjson'],
  ['accept', ['accept'], '.agent-replay/traces/a.1.1.json'],
] as const)(
  'fault 116: SIGINT while %s works on megabytes ends it at once, and nothing is half written',
  async ([, args, input]) => {
    await using project = await hugeRun();
    const before = await filesIn(project.path);
    const running = start(args, { cwd: project.path });
    const { size } = await stat(path.join(project.path, input));
    await expect.poll(() => bytesReadBy(running)).toBeGreaterThan(size);
    running.child.kill('SIGINT');
    expect(await running.finished).toMatchObject({ signal: 'SIGINT', stdout: '' });
    expect(await filesIn(project.path)).toEqual(before);
  },
);

async function bytesReadBy({ child }: Running): Promise<number> {
  const text = await readFile(`/proc/${child.pid}/io`, 'utf8').catch(() => '');
  return Number(/^rchar: (\d+)$/m.exec(text)?.[1] ?? 0);
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const digest = async (file: string) =>
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
  return Promise.all(files.sort().map(async (file) => `${await digest(file)} ${file}`));
}

test.for(CASES)('fault 97: timeouts.total is kept during $what', async ({ project: made }) => {
  const runFor = async (total: number) => {
    await using project = await made({ total });
    const { code } = await command(['run'], { cwd: project.path });
    const { results } = await project.report();
    return { code, left: project.leftovers(), status: results.status, problems: results.problems };
  };
  const during = {
    code: 'TOTAL_TIMEOUT',
    message: 'The time limit of the whole run passed while replays were being read and compared.',
  };
  // Enough for the first answer to come, and not for what it takes to read all of them.
  const ran = await withinTime(4_000, runFor, ({ problems }) => problems[0]?.message === during.message);
  expect(ran).toMatchObject({ left: [], problems: [during] });
  // What was compared in time keeps its verdict; the rest is in doubt.
  expect([ran.code, ran.status]).toEqual(ran.code === 1 ? [1, 'failed'] : [2, 'error']);
});
