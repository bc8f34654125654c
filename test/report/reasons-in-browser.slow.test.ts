import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeReport } from '../../src/job/index.ts';
import { parseReport, type Report, renderMarkdown, renderTerminal } from '../../src/report/index.ts';
import { describeInBrowser } from '../browser/chromium.ts';
import { pinOf } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';
import { served } from '../ui/project.ts';
import { REASONS } from './fixtures/reasons.ts';
import { report } from './fixtures/reports.ts';
import { renderHtml } from './rendered.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const SHIFT = 'the demo of a shift';
const CASES = [
  ...Object.entries(REASONS).map(([name, { session, what, why }]) => ({ name, id: session.id, what, why })),
  {
    name: SHIFT,
    id: 'small-refund',
    what: /all 20 replays call create_ticket, and no recording does/i,
    why: /more than 20 EUR/,
  },
];

let folder: string;
const reports = new Map<string, Report>();
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agent-replay-reasons-'));
  for (const [name, { session }] of Object.entries(REASONS)) reports.set(name, report([session]));
  const demo = ['run', '--config', 'examples/support-agent/shift.config.ts', '--output-dir', folder];
  // It is meant to fail.
  await promisify(execFile)(process.execPath, ['bin/agent-replay.js', ...demo], { cwd: ROOT }).catch(() => {});
  reports.set(SHIFT, parseReport(await readFile(path.join(folder, 'report.json'), 'utf8')));
});
afterAll(() => rm(folder, { recursive: true }));

/** The head of an open session, as a reader sees it. */
async function headOf(page: Page): Promise<string> {
  const parts = ['What', 'Why'].map((name) => page.getByRole('region', { name, exact: true }).innerText());
  return (await Promise.all(parts)).join('\n').replaceAll(/\b(?:recorded|replayed):\s*/g, '');
}

/** A comment as a reader sees it, up to its table. */
function topOf(markdown: string): string {
  const [top = ''] = markdown.split('| session |');
  const html = micromark(top, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"');
}

const RESULT = '20260101T000000000Z-abcdef';

describeInBrowser('of a change whose reason is known', (open) => {
  test.each(CASES)(
    '$name: the head of page, report, terminal and comment says what is done otherwise, and why',
    async ({ name, id, what, why }) => {
      const shown = reports.get(name) as Report;
      const file = path.join(folder, 'shown.html');
      await writeFile(file, await renderHtml(shown));
      await using project = await served(
        await folderWith({ [`replays/${id}.session.json`]: JSON.stringify(pinOf(id, ['a'])) }),
      );
      const dir = path.join(project.path, '.agent-replay/ui/runs', id, RESULT);
      await writeReport(shown, { dir, formats: ['json'] });
      await using asFile = await open(`${pathToFileURL(file).href}#session=${id}`);
      await using onPage = await open(project.at(id).replace('#', `&result=${RESULT}#`));
      const heads = {
        page: await headOf(onPage.page),
        report: await headOf(asFile.page),
        terminal: renderTerminal(shown, { columns: 120 }).split(/^✔/m)[0] ?? '',
        comment: topOf(renderMarkdown(shown)),
      };
      for (const [output, head] of Object.entries(heads)) {
        expect(head, output).toMatch(what);
        expect(head, output).toMatch(why);
      }
      const isByModel = /same input/.test(why.source);
      for (const { page } of [asFile, onPage])
        expect(await page.getByText('so not an edit').count()).toBe(isByModel ? 1 : 0);
    },
  );
});
