import { expect, test } from 'vitest';
import { start } from './command.ts';
import { projectWith } from './project.ts';

// Comparing seven megabytes of other words takes longer than anybody waits who has pressed Ctrl-C.

const HUGE = { retries: 0, maxResponse: 64 * 2 ** 20 };

test.for([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'fault 97: %s while a huge comparison runs ends the run, and what was replayed can be compared later',
  async ([signal, code]) => {
    await using project = await projectWith({
      sessions: { a: 'a', b: 'huge' },
      config: { workers: 1, runs: 2, ...HUGE },
    });
    const running = start(['run'], { cwd: project.path });
    await expect.poll(() => resultsIn(project), { timeout: 120_000 }).toContain('huge');
    running.child.kill(signal);
    expect((await running.finished).code).toBe(code);
    expect(project.leftovers()).toEqual([]);
    const { results, evidence } = await project.report();
    expect(results.status).toBe('interrupted');
    expect(evidence.interruptedBy).toBe(signal);
    expect(results.sessions.map(({ verdict }) => verdict)).toEqual(['inconclusive', 'inconclusive']);
    expect(results.problems).toMatchObject([
      { code: 'INTERRUPTED', message: 'The run was given up while replays were being compared.' },
    ]);
  },
);

/** Inputs whose replays are in the journal. */
async function resultsIn(project: { read: (file: string) => Promise<string> }): Promise<string> {
  const journal = await project.read('.agent-replay/journal.ndjson').catch(() => '');
  return /"type":"result","session":"b"/.test(journal) ? 'huge' : '';
}
