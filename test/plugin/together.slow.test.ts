import { describe, test } from 'vitest';
import { fixture } from '../cli/project.ts';
import { outcomes } from '../outcomes.ts';
import { type Major, vitestProject } from './vitest-project.ts';

/** Of one or two turns each; far more than Vitest has workers. */
const SESSIONS = { a: 'a1', b: ['b1', 'b2'], c: 'c1', d: ['d1', 'd2'], e: 'e1', f: 'f1' };

/** @param asked how often the agent is asked before it answers */
const projectOf = (major: Major, asked: number, runs = 2) =>
  vitestProject(
    {
      sessions: SESSIONS,
      config: { runs, workers: 100 },
      agent: {
        command: fixture('agent.ts').replace('cli/fixtures/agent.ts', 'plugin/fixtures/agent-in-step.ts'),
        env: { ASKED: `${asked}` },
      },
    },
    major,
  );

const askedIn = (output: string) => [...output.matchAll(/asked: (\w+)/g)].map(([, input]) => input).sort();

describe.concurrent.each([4, 5] as const)('the pins of a run of Vitest %i', (major) => {
  test('are replayed together: all calls are sent before one is answered, and all traces are waited for at once', async ({
    expect,
  }) => {
    await using project = await projectOf(major, 16);
    const { code, output } = await project.vitest(['--maxWorkers=1']);
    expect(output).toMatch(/Tests +8 passed/);
    expect(code).toBe(0);
    expect(askedIn(output)).toHaveLength(16);
    const { results, evidence } = await project.report();
    expect(results.sessions.map(({ id, verdict }) => [id, verdict])).toEqual(
      Object.keys(SESSIONS).map((id) => [id, outcomes.asRecorded]),
    );
    expect(evidence.runs).toHaveLength(16);
  });

  test.for([
    { by: 'the name of a test', args: ['-t', 'turn 2'], asked: ['b2', 'd2'] },
    { by: 'the name of a session', args: ['-t', '^[ab]( >)? turn'], asked: ['a1', 'b1', 'b2'] },
    { by: 'a file', args: ['replays/b', 'replays/c', '-t', 'turn 1'], asked: ['b1', 'c1'] },
  ])('are asked for alone if $by chooses them', async ({ args, asked }, { expect }) => {
    await using project = await projectOf(major, asked.length, 1);
    const { code, output } = await project.vitest(args);
    expect(askedIn(output)).toEqual(asked);
    expect(code).toBe(0);
  });

  test('are asked for alone if they are a shard', async ({ expect }) => {
    await using project = await projectOf(major, 1, 1);
    const shards = [await project.vitest(['--shard=1/2']), await project.vitest(['--shard=2/2'])];
    const asked = shards.map(({ output }) => askedIn(output));
    expect(asked.flat().sort()).toEqual(Object.values(SESSIONS).flat());
    expect(asked.every((some) => some.length > 0)).toBe(true);
  });

  test('are no longer asked for once Vitest gives up', async ({ expect }) => {
    await using project = await vitestProject(
      {
        // Vitest begins with the largest file.
        sessions: { a: 'a rather long question', b: 'hang', c: 'c', d: 'd' },
        agent: { env: { PREFIX: 'new ' } },
        config: { runs: 1, workers: 1 },
      },
      major,
    );
    const { code, output } = await project.vitest(['--bail=1', '--maxWorkers=1']);
    expect(output).toContain('Diverged');
    expect(output).not.toContain('asked: c');
    expect(code).toBe(1);
    expect(project.leftovers()).toEqual([]);
  });
});
