import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { REPORTS } from '../report/fixtures/reports.ts';

const ANNOUNCE = fileURLToPath(new URL('../../action/announce.ts', import.meta.url));
const ESCAPE = String.fromCharCode(27);

test('fault 87: a file name with escape sequences and bidirectional marks acts on no log through an annotation', () => {
  const report = structuredClone(REPORTS.mixed);
  for (const session of report.results.sessions) session.pin = `replays/${ESCAPE}[31ma\u202eb.session.json`;
  const script = `import { annotate } from ${JSON.stringify(ANNOUNCE)}; await annotate(JSON.parse(process.argv[1]), process.cwd());`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', script, JSON.stringify(report)],
    {
      encoding: 'utf8',
    },
  );
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^::error .*file=[^:]*replays\/a\\u202eb\.session\.json/m);
  expect(stdout).not.toContain(ESCAPE);
  expect(stdout).not.toContain('\u202e');
});
