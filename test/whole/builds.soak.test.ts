import { expect, test } from 'vitest';
import { command } from '../cli/command.ts';
import { projectWith } from '../cli/project.ts';
import { type Agent, buildsOf, SDKS } from './builds.ts';

/** Each with the interval that the product gives the SDK's timer, and with the one that the SDK has of its own. */
const INTERVALS = [undefined, 5_000];
const SHAPES: Omit<Agent, 'sdk'>[] = [
  { payload: 1_000, workers: 4 },
  { payload: 1_000, workers: 16 },
  { payload: 30_000, workers: 16 },
  { payload: 100_000, workers: 4 },
  { payload: 100_000, workers: 16 },
  { payload: 1_000_000, workers: 4, sessions: 2, runs: 5 },
  { payload: 1_000_000, workers: 16, sessions: 4, runs: 10 },
];
const agents = SDKS.flatMap((sdk) =>
  SHAPES.flatMap((shape) => INTERVALS.map((intervalMs) => ({ sdk, ...shape, intervalMs }))),
);
/** 56 agents, so many builds each: 224 in all. */
const BUILDS = 4;

/** The titles of builds that were not passed. */
async function redOf(agent: Agent, count: number): Promise<string[]> {
  await using project = await buildsOf(agent);
  const red: string[] = [];
  for (let build = 1; build <= count; build++) {
    const { results } = await project.build();
    if (results.status !== 'passed') red.push(`${results.title}. ${results.message}`);
  }
  return red;
}

test.each(agents)('an agent that does the same each time is never red: %j', async (agent) => {
  expect(await redOf(agent, BUILDS)).toEqual([]);
});

test.each(SDKS)('%s: an agent that awaits no flush at all is never red either', async (sdk) => {
  for (const intervalMs of INTERVALS) {
    expect(await redOf({ sdk, payload: 20_000, workers: 16, intervalMs, env: { FLUSH: 'none' } }, 3)).toEqual([]);
  }
});

const LATE_MS = [5, 20, 50, 100, 150, 200, 250, 300];

test.each(LATE_MS)(
  'the root before the answer and its tool %i ms after it: as recorded in ten of ten builds',
  async (ms) => {
    await using project = await projectWith({
      sessions: { a: 'a', b: 'b' },
      config: { runs: 5 },
      agent: { env: { LATE: `${ms}` } },
    });
    for (let build = 1; build <= 10; build++) {
      expect((await command(['run', '--reporter', 'json'], { cwd: project.path })).code).toBe(0);
    }
  },
);

test.each(LATE_MS)(
  'a tool that was not recorded, traced %i ms after the answer: found in ten of ten builds',
  async (ms) => {
    const env = { LATE: `${ms}`, ALSO: 'delete_everything' };
    await using project = await projectWith({ sessions: { a: 'a', b: 'b' }, config: { runs: 5 }, agent: { env } });
    for (let build = 1; build <= 10; build++) {
      expect((await command(['run', '--reporter', 'json'], { cwd: project.path })).code).toBe(1);
    }
  },
);
