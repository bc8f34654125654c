import { expect, test } from 'vitest';
import { type VitestProject, vitestProject } from './vitest-project.ts';

/** A replay answers with 4 MB, which take seconds to be compared. */
function projectWith(runs: number, total?: number): Promise<VitestProject> {
  const timeouts = { call: 600_000, trace: 600_000, ...(total !== undefined && { total }) };
  return vitestProject({
    sessions: { a: 'huge' },
    config: { runs, workers: 8, maxResponse: 64 * 2 ** 20, timeouts },
    agent: { env: { WORDS: '590000' } },
    files: { 'asks.test.ts': asksMeanwhile(runs) },
  });
}

/** A test that asks Vitest's own process again and again while its replays are made. */
function asksMeanwhile(runs: number): string {
  return `
import { expect, inject, test } from 'vitest';
import { session } from 'agent-replay/vitest';

test('asks meanwhile', async () => {
  const { url } = inject('agentReplay').service;
  const begun = performance.now();
  let isOver = false;
  let longest = 0;
  const replaying = session('a').replay({ runs: ${runs} }).finally(() => { isOver = true; });
  while (!isOver) {
    const asked = performance.now();
    expect((await fetch(url)).status).toBe(401);
    longest = Math.max(longest, performance.now() - asked);
  }
  await replaying;
  console.log('longest wait: ' + longest / (performance.now() - begun));
});
`;
}

test('fault 117: Vitest answers while an answer of megabytes is read, redacted and compared', async () => {
  await using project = await projectWith(1);
  const { code, output } = await project.vitest(['asks.test.ts']);
  expect([code, output]).toEqual([0, expect.stringMatching(/longest wait: [\d.]+/)]);
  // The share of what the replay takes: most of that goes into its comparison.
  expect(Number(/longest wait: ([\d.]+)/.exec(output)?.[1])).toBeLessThan(1 / 4);
});

test('fault 117: SIGINT ends Vitest while answers of megabytes are compared, and nothing of the agent is left', async () => {
  await using project = await projectWith(100);
  let isKilled = false;
  const { code, output } = await project.vitest(['asks.test.ts'], {
    on: (output, kill) => {
      // More calls than workers: the first ones are answered, and being compared.
      if (isKilled || output.split('asked: huge').length < 12) return;
      isKilled = true;
      kill('SIGINT');
    },
  });
  expect([code, output]).toEqual([130, expect.not.stringContaining('longest wait')]);
  await expect.poll(() => project.leftovers()).toEqual([]);
});

test('fault 117: timeouts.total is kept in Vitest while answers of megabytes are compared', async () => {
  // Time for the first answer to come on any machine, and none for what it takes to read all of them.
  await using project = await projectWith(100, 30_000);
  const { code, output } = await project.vitest(['replays']);
  expect(code).toBe(1);
  expect(output).toContain('The time limit of the whole run passed while replays were being read and compared.');
  const { results } = await project.report();
  expect(results.status).toBe('error');
  expect(results.problems).toMatchObject([{ code: 'TOTAL_TIMEOUT' }]);
});
