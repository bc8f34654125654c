import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseReport } from '../../src/report/index.ts';
import { command } from '../cli/command.ts';
import { outcomes } from '../outcomes.ts';
import { steady } from '../whole-message.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The support agent with its model at a temperature, by recordings that runs made. */
async function demo(config: string) {
  const outputDir = await mkdtemp(path.join(os.tmpdir(), 'live-example-'));
  const args = ['run', '--config', `examples/support-agent/${config}`, '--output-dir', outputDir];
  const { code, stdout } = await command(args, { cwd: ROOT });
  const report = parseReport(await readFile(path.join(outputDir, 'report.json'), 'utf8'));
  await rm(outputDir, { recursive: true });
  return { code, stdout, report, verdicts: report.results.sessions.map(({ verdict }) => verdict) };
}

test('demo:live: an agent that wanders as it was recorded is green, and varies where it varies', async () => {
  const { code, stdout, verdicts } = await demo('live.config.ts');
  expect(code, stdout).toBe(0);
  expect(new Set(verdicts)).toEqual(new Set([outcomes.asRecorded, outcomes.asRecorded]));
  expect(stdout).toContain(
    'Gate: 4 sessions by shift (whether replays differ from 5 or more recordings by more than chance).',
  );
});

test('demo:shift: with an edited prompt it is red, says what sets the runs apart, and why', async () => {
  const { code, stdout, report } = await demo('shift.config.ts');
  expect(code).toBe(1);
  const changed = report.results.sessions.filter(({ verdict }) => verdict === outcomes.changed);
  expect(changed.map(({ id }) => id)).toEqual(['small-refund']);
  expect(changed[0]?.turns[0]?.shift?.separation).toContain('no replay calls refund_order, and all 10 recordings do');
  expect(changed[0]?.turns[0]?.comparison.divergence?.cause.kind).toBe('agent');
  // How old the recordings are depends on the day.
  expect(steady(stdout.replace(/(made .*?|\d+ days? old);/, '<age>;'))).toMatchInlineSnapshot(`
    "✘ failed: 1 of 4 sessions changed, 3 as recorded
      37 replays, 44,461 tokens in, 2,852 tokens out, <time>

    Gate: 4 sessions by shift (whether replays differ from 5 or more recordings by more than chance).

    cause  one edit: system prompt, line 5 (examples/support-agent/prompts/system-v2.md:5)
         - Never refund more than 200 EUR yourself: create a ticket instead.
         + Never refund more than 20 EUR yourself: create a ticket instead.

    ✘ small-refund  did  all 20 replays call create_ticket, and no recording does
      did: what it changed, and how it ended

    ✔ 3 as recorded
    wanted?  npx agent-replay accept <folder>/report.json --as-recordings --force --config examples/support-agent/shift.config.ts
    unsure?  open <folder>/report.html
    rerun    npx agent-replay run --last-failed --output-dir <folder> --config examples/support-agent/shift.config.ts

    All sessions of support together have shifted in the calls: p = 0.00033, 92 % further from the
    recordings than these are from each other.
    Recordings: of 2026-11-22, <age>; models: support-1.

    ✘ failed: 1 of 4 sessions changed, 3 as recorded
    "
  `);
});
