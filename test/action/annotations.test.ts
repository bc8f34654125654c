import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Report } from '../../src/rims.ts';
import { folderWith } from '../config/folder.ts';
import { outcomes } from '../outcomes.ts';
import { REPORTS, report as reportOf, session, turn } from '../report/fixtures/reports.ts';

const ANNOUNCE = fileURLToPath(new URL('../../action/announce.ts', import.meta.url));
const CHANGE = fileURLToPath(new URL('../../action/change.ts', import.meta.url));

/** What the action prints. @param files what the pull request changes */
function annotated(of: Report, root: string, files: object[] = []): string {
  const script = `
    import { annotate } from ${JSON.stringify(ANNOUNCE)};
    import { Change } from ${JSON.stringify(CHANGE)};
    const [report, files] = process.argv.slice(1).map((text) => JSON.parse(text));
    await annotate(report, process.cwd(), new Change(files));`;
  const args = ['--input-type=module', '-e', script, JSON.stringify(of), JSON.stringify(files)];
  const env = { ...process.env, GITHUB_WORKSPACE: root };
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout;
}

const ESCAPE = String.fromCharCode(27);

test('fault 87: a file name with escape sequences and bidirectional marks acts on no log through an annotation', () => {
  const report = structuredClone(REPORTS.mixed);
  for (const session of report.results.sessions) session.pin = `replays/${ESCAPE}[31ma\u202eb.session.json`;
  const stdout = annotated(report, process.cwd());
  expect(stdout).toMatch(/^::error .*file=[^:]*replays\/a\\u202eb\.session\.json/m);
  expect(stdout).not.toContain(ESCAPE);
  expect(stdout).not.toContain('\u202e');
});

test('the first annotation stands at the line that did it, in the diff of the pull request, with what it did', async () => {
  const now = 'Up to 20 EUR you refund yourself.';
  await using folder = await folderWith({
    'prompts/old.md': `${now}\n`,
    'prompts/system.md': `You are kind.\n\n${now}\n`,
  });
  const cause = {
    kind: 'agent' as const,
    detail: 'its system prompt differs at line 3: recorded "Up to 200 EUR", replayed "Up to 20 EUR"',
    line: { of: 'system prompt', number: 3, recorded: 'Up to 200 EUR you refund yourself.', replayed: now },
  };
  const called = { kind: 'call-name', recorded: 'refund_order', replayed: 'create_ticket', cause } as const;
  const turns = [turn({ verdict: outcomes.changed, clusters: [0, 5], divergence: called })];
  const made = reportOf([session('kettle', { turns }), session('socks', { turns }), session('tent')]);
  const patch =
    '@@ -1,3 +1,3 @@\n You are kind.\n \n-Up to 200 EUR you refund yourself.\n+Up to 20 EUR you refund yourself.';
  const firstOf = (files: object[]) => annotated(made, folder.path, files).split('\n')[0];
  const does = '2 of 3 sessions changed by this line: create_ticket instead of refund_order (kettle, socks)';
  expect(firstOf([{ filename: 'prompts/system.md', status: 'modified', patch }])).toBe(
    `::error title=agent-replay,file=prompts/system.md,line=3::${does}`,
  );
  expect(annotated(made, folder.path, [])).not.toContain('replayed "Up to 20 EUR"');
  expect(firstOf([{ filename: 'prompts/system.md', status: 'modified', patch: '@@ -9 +9 @@\n-a\n+b' }])).toBe(
    `::error title=agent-replay,file=prompts/old.md,line=1::${does}`,
  );
});
