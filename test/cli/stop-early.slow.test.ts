import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseReport } from '../../src/report/index.ts';
import { freePort } from '../agent/processes.ts';
import { folderWith } from '../config/folder.ts';
import { command } from './command.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The example agent with its model at a temperature. */
async function runFlaky(outputDir: string, ...args: string[]) {
  const port = await freePort();
  const { code, stdout } = await command(
    [
      'run',
      ...['--config', 'examples/support-agent/flaky.config.ts'],
      ...['--url', `http://127.0.0.1:${port}/replay`],
      ...['--set', 'agent.env.TEMPERATURE=1', '--set', `agent.env.PORT=${port}`],
      ...['--output-dir', outputDir],
      ...args,
    ],
    { cwd: ROOT },
  );
  const report = parseReport(await readFile(`${outputDir}/report.json`, 'utf8'));
  return { code, stdout, report, junit: await readFile(`${outputDir}/junit.xml`, 'utf8') };
}

test('--stop-early of a flaky agent makes fewer calls and ends with the same exit code', async () => {
  await using folder = await folderWith({});
  const [full, stopped] = await Promise.all([
    runFlaky(`${folder.path}/full`),
    runFlaky(`${folder.path}/stopped`, '--stop-early'),
  ]);
  expect([full.code, stopped.code]).toEqual([1, 1]);
  expect(stopped.report.results.title).toBe(full.report.results.title);
  expect(stopped.report.evidence.usage.calls).toBeLessThan(full.report.evidence.usage.calls);
  expect(stopped.stdout).toMatch(/: not reproduced, stopped after \d of 5\n/);
  expect(stopped.junit).toMatch(/message="not reproduced, stopped after \d of 5: turn /);
});
