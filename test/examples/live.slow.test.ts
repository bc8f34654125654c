import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseReport } from '../../src/report/index.ts';
import { command } from '../cli/command.ts';

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
  expect(new Set(verdicts)).toEqual(new Set(['varies', 'reproduced']));
  expect(stdout).toContain('Gate: 4 sessions by shift (5 or more recordings made by runs).');
});

test('demo:shift: with an edited prompt it is red, says what sets the runs apart, and why', async () => {
  const { code, stdout, report } = await demo('shift.config.ts');
  expect(code).toBe(1);
  const changed = report.results.sessions.filter(({ verdict }) => verdict === 'changed');
  expect(changed.map(({ id }) => id)).toEqual(['small-refund']);
  expect(changed[0]?.turns[0]?.shift?.separation).toContain('no replay calls refund_order, and all 10 recordings do');
  expect(changed[0]?.turns[0]?.comparison.divergence?.cause.kind).toBe('agent');
  expect(stdout).toContain('All sessions of support together have shifted');
});
