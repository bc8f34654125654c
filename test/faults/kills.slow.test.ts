import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readJournal } from '../../src/job/journal/read-journal.ts';
import { parseReport } from '../../src/report/index.ts';
import { processesWith, run } from '../agent/processes.ts';
import { type Finished, start } from '../cli/command.ts';
import { type Project, projectWith } from '../cli/project.ts';
import fc from '../fast-check.ts';
import { killed } from '../programs.ts';

/** Some in every full run, 200 in `npm run test:soak`. */
const KILLS = Number(process.env.KILLS ?? 20);
const SIDE_BY_SIDE = 3;
/** A run of this project takes about as long: every phase of it is met. */
const LONGEST_MS = 900;
const SERVED = fileURLToPath(new URL('../cli/fixtures/agent.ts', import.meta.url));
const SESSIONS = { one: 'a', two: ['b', 'c'], three: 'd' };

/** How a daemon of the agent can hide, see `agent/hidden-daemons.slow`; `none` has no daemon. */
const DAEMONS = ['none', 'cleared', 'overwritten', 'forked-twice', 'orphaned', 'last-moment'] as const;

interface Kill {
  readonly victim: 'ours' | 'agent';
  readonly daemon: (typeof DAEMONS)[number];
  readonly afterMs: number;
}

/** The same moments in each slow run, others in each soak. */
const seed = Number(process.env.KILL_SEED ?? process.env.FC_SEED ?? Date.now());
const kills = fc.sample(
  fc.record<Kill>({
    victim: fc.constantFrom('ours', 'agent'),
    daemon: fc.constantFrom(...DAEMONS),
    afterMs: fc.integer({ min: 0, max: LONGEST_MS }),
  }),
  { numRuns: KILLS, seed },
);

test(`${KILLS} times kill -9, at random moments: no orphan, no held port, no half-written pin, a report that loads`, async () => {
  const left = [...kills];
  const worker = async () => {
    for (let kill = left.pop(); kill !== undefined; kill = left.pop()) await survives(kill);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
});

async function survives(kill: Kill): Promise<void> {
  const story = `KILL_SEED=${seed}: ${kill.victim} after ${kill.afterMs} ms, daemon: ${kill.daemon}`;
  const mark = crypto.randomUUID();
  await using project = await projectWith({
    sessions: SESSIONS,
    agent: { command: run('leaves-hidden-daemon.js'), env: { SERVES: SERVED, VARIANT: kill.daemon, MARK: mark } },
  });
  const pins = await pinsOf(project);
  const { child, finished } = start(['run'], { cwd: project.path });
  await Promise.race([setTimeout(kill.afterMs), finished]);
  if (kill.victim === 'ours') child.kill('SIGKILL');
  else for (const id of project.leftovers()) killed(id);
  const ended = await finished;

  await expect.poll(() => project.leftovers(), { message: story }).toEqual([]);
  await expect.poll(() => processesWith(mark), { message: story }).toEqual([]);
  await expect.poll(() => isHeld(project.port), { message: story }).toBe(false);
  expect(await pinsOf(project), story).toEqual(pins);
  expect(await readdir(path.join(project.path, 'replays')), story).toEqual(Object.keys(pins));
  await reportLoads(project, ended, kill, story);
}

async function pinsOf(project: Project): Promise<Record<string, string>> {
  const files = Object.keys(SESSIONS)
    .map((id) => `${id}.session.json`)
    .sort();
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await project.read(`replays/${file}`)] as const)),
  );
}

/** A killed run leaves its journal, and no report but a whole one; any other ends with a report. */
async function reportLoads(project: Project, ended: Finished, { victim }: Kill, story: string): Promise<void> {
  const text = (file: string) => project.read(`.agent-replay/${file}`).catch(() => undefined);
  const report = await text('report.json');
  if (report !== undefined) parseReport(report);
  // Killed before its first line was whole, it tells nothing.
  if ((await text('journal.ndjson'))?.includes('\n')) {
    await readJournal(path.join(project.path, '.agent-replay/journal.ndjson'));
  }
  if (victim === 'ours') return;
  expect(report, story).toBeDefined();
  expect([0, 2], `${story}\n${ended.stdout}`).toContain(ended.code);
  // What was lost with the agent could not be verified: never that it diverged.
  const { results } = parseReport(report as string);
  expect(results.status, story).toBe(ended.code === 0 ? 'passed' : 'error');
}

function isHeld(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });
}
