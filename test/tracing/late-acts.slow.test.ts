import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { command } from '../cli/command.ts';
import { projectWith } from '../cli/project.ts';

const AGENT = fileURLToPath(new URL('fixtures/late-otel-agent.ts', import.meta.url));

/** A recorded turn that saves a memory 6 s after its answer. */
function pinOf(id: string): string {
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  const observations = [
    {
      id: 'r',
      parentId: null,
      type: 'agent',
      name: 'invoke_agent a',
      startTime: at(0),
      endTime: at(20),
      output: 'done',
    },
    {
      ...{ id: 't', parentId: 'r', type: 'tool', name: 'save_memory' },
      ...{ startTime: at(6_020), endTime: at(6_021), input: { fact: 'x' } },
    },
  ];
  const turn = { request: { input: 'hi' }, recorded: { output: 'done', observations } };
  return JSON.stringify({ version: 1, id, turns: [turn] });
}

async function run(sessions: number, env: Record<string, string> = {}) {
  const files = Object.fromEntries(
    Array.from({ length: sessions }, (_, n) => [`replays/s${n}.session.json`, pinOf(`s${n}`)]),
  );
  await using project = await projectWith({
    files,
    config: { runs: 1, workers: 4, timeouts: { trace: 60_000 } },
    agent: { command: `"${process.execPath}" "${AGENT}"`, env },
  });
  const ended = await command(['run'], { cwd: project.path });
  return { ...ended, evidence: (await project.report()).evidence };
}

test.each([1, 40])(
  'an agent that calls a tool 6 s after its answer is as recorded, in suites of %i',
  async (sessions) => {
    const { code, stdout } = await run(sessions);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${sessions} of ${sessions} `)]);
  },
);

test('where that tool is gone, it is missing after twice the time of the recording, and that is said', async () => {
  const { code, stdout, evidence } = await run(1, { GONE: '1' });
  expect(code, stdout).toBe(1);
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /Missing in 1 replay: a call of "save_memory"\. No span had come for 12(\.\d)? s, and the recordings end within 6 s of their root/,
  );
  const [replay] = evidence.runs;
  expect(replay?.ended).toMatchObject({ without: ['a call of "save_memory"'], recordedMs: 6_001 });
  expect(stdout).not.toMatch(/Cause: (agent|environment)/);
});
