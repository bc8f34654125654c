import { expect, test } from 'vitest';
import { printedUrl, start } from './command.ts';
import { type Project, projectWith } from './project.ts';

/** A replay answers with 4 MB, which take seconds to be compared. */
function hugeAnswers(): Promise<Project> {
  return projectWith({
    sessions: { a: 'huge' },
    config: { workers: 8, maxResponse: 64 * 2 ** 20, timeouts: { call: 600_000, trace: 600_000 } },
    agent: { env: { WORDS: '590000' } },
  });
}

interface RunOnPage {
  /** Resolves when the page is told of it. */
  until(kind: 'answered' | 'replayed' | 'done'): Promise<void>;
  /** Asks for what the page shows. @returns the status */
  ask(): Promise<number>;
}

const SAID = { answered: /of \d+ replays finished/, replayed: /[1-9]\d* of \d+ replays finished/, done: /"report"/ };

/** Has the page at this address run the session, and follows that. */
async function runOn(page: URL, runs: number): Promise<RunOnPage> {
  const headers = { authorization: `Bearer ${page.hash.slice('#token='.length)}` };
  const body = JSON.stringify({ session: 'a', runs });
  const started = await fetch(new URL('/api/runs', page), { method: 'POST', headers, body });
  const { id } = (await started.json()) as { id: string };
  const said = async () => (await fetch(new URL(`/api/run?id=${id}`, page), { headers })).text();
  return {
    until: (kind) => expect.poll(said).toMatch(SAID[kind]),
    ask: async () => {
      const response = await fetch(new URL('/api/overview', page), { headers });
      await response.text();
      return response.status;
    },
  };
}

test('fault 118: the page is answered while an answer of megabytes is read, redacted and compared', async () => {
  await using project = await hugeAnswers();
  const running = start(['ui', '--no-open'], { cwd: project.path });
  const run = await runOn(await printedUrl(running), 1);
  await run.until('answered');
  const begun = performance.now();
  let isDone = false;
  const done = run.until('done').then(() => {
    isDone = true;
  });
  let longest = 0;
  while (!isDone) {
    const asked = performance.now();
    expect(await run.ask()).toBe(200);
    longest = Math.max(longest, performance.now() - asked);
  }
  await done;
  const share = longest / (performance.now() - begun);
  // Most of what a replay takes goes into its comparison.
  expect(share).toBeLessThan(1 / 4);
  running.child.kill('SIGTERM');
  expect((await running.finished).code).toBe(143);
});

test('fault 118: SIGINT ends ui while answers of megabytes are compared, and nothing of the agent is left', async () => {
  await using project = await hugeAnswers();
  const running = start(['ui', '--no-open'], { cwd: project.path });
  const run = await runOn(await printedUrl(running), 20);
  // The others are answered, and wait for their comparison.
  await run.until('replayed');
  running.child.kill('SIGINT');
  expect((await running.finished).code).toBe(130);
  expect(project.leftovers()).toEqual([]);
});
