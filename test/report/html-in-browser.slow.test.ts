import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Report, renderHtml } from '../../src/report/index.ts';
import { describeInBrowser, violations } from '../browser/chromium.ts';
import { hostileReport, PAYLOADS } from './fixtures/hostile.ts';
import { REPORTS, report, session, turn } from './fixtures/reports.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agent-replay-html-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function onDisk(written: Report): Promise<string> {
  const file = path.join(folder, `${randomUUID()}.html`);
  await writeFile(file, await renderHtml(written));
  return pathToFileURL(file).href;
}

const MANY = report(
  Array.from({ length: 1_000 }, (_, index) =>
    session(`session-${String(index).padStart(4, '0')}`, {
      turns: [
        index % 10 === 0
          ? turn({ verdict: 'flaky', clusters: [15, 5], requested: 20 })
          : turn({ verdict: 'reproduced', clusters: [20], requested: 20 }),
      ],
    }),
  ),
  { runs: 20 },
);

describeInBrowser('the HTML report in a browser', (open) => {
  test('it opens from disk, asks for nothing and breaks none of its own rules', async () => {
    await using opened = await open(await onDisk(REPORTS.mixed));
    await opened.page.getByRole('heading', { level: 1 }).getByText('3 of 7 sessions diverged').waitFor();
    expect(opened.requests).toEqual([]);
    expect(opened.errors).toEqual([]);
  });

  test.for([
    ['light', 1280],
    ['dark', 360],
  ] as const)('axe finds nothing in it: %s, %i wide', async ([colorScheme, width]) => {
    await using opened = await open(await onDisk(REPORTS.mixed), { colorScheme, viewport: { width, height: 800 } });
    const { page } = opened;
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: /two-parcels/ }).click();
    await page.getByText('About this run').click();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  });

  test('a session is told with its runs, where they part, both sides and the command to run it again', async () => {
    await using opened = await open(await onDisk(REPORTS.mixed), {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = opened;
    await page.getByRole('link', { name: /two-parcels/ }).click();
    const article = page.getByRole('article');
    await expect.poll(() => article.getByRole('heading', { level: 2 }).textContent()).toContain('two-parcels');
    expect(await article.getByRole('list', { name: 'Runs' }).last().getByRole('listitem').count()).toBe(5);
    expect(await article.getByText('runs 4-5').count()).toBeGreaterThan(0);
    await article.getByRole('button', { name: 'Copy command' }).click();
    await article.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      'npx agent-replay run replays/two-parcels.session.json --runs 5',
    );
  });

  test('the address of a session opens it', async () => {
    await using opened = await open(`${await onDisk(REPORTS.mixed)}#session=id-tent-warranty`);
    const article = opened.page.getByRole('article');
    await article.getByRole('heading', { name: /tent-warranty/ }).waitFor();
    await article.locator('.problem code', { hasText: 'TRACE_MISSING' }).waitFor();
  });

  test('of a thousand sessions only those in sight are there, and searching and filtering act at once', async () => {
    await using opened = await open(await onDisk(MANY));
    const { page } = opened;
    const list = page.getByRole('navigation', { name: 'Sessions' });
    await list.getByText('1000 sessions').waitFor();
    expect(await list.getByRole('listitem').count()).toBeLessThan(60);
    await list.getByRole('searchbox').fill('0 session-09');
    await list.getByText('100 of 1000 sessions').waitFor();
    await list.getByRole('searchbox').fill('');
    await list.getByRole('button', { name: /reproduced/ }).click();
    await list.getByText('100 of 1000 sessions').waitFor();
    expect(await list.getByRole('button', { name: /reproduced/ }).getAttribute('aria-pressed')).toBe('false');
  });

  test('with the keyboard alone one gets to any session', async () => {
    await using opened = await open(await onDisk(MANY));
    const { page } = opened;
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Search sessions');
    await page
      .getByRole('link', { name: /session-/ })
      .first()
      .focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('session-0999');
    await page.keyboard.press('Enter');
    await page
      .getByRole('article')
      .getByRole('heading', { name: /session-0999/ })
      .waitFor();
  });

  test('hostile texts are shown as the texts they are', async () => {
    const text = PAYLOADS.join(' ');
    await using opened = await open(await onDisk(hostileReport(text)));
    const { page } = opened;
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate(() => {
      for (const part of document.querySelectorAll('details')) part.open = true;
    });
    expect(opened.errors).toEqual([]);
    expect(opened.requests).toEqual([]);
    expect(await page.locator('img, iframe, article a[href^=http], script:not(#data):not([type=module])').count()).toBe(
      0,
    );
    const shown = await page.locator('body').innerText();
    expect(shown).toContain('<script>alert(1)</script>');
    expect(shown).toContain('\\u202egnp.exe');
    expect(shown).not.toMatch(/[\u202e\u200b\u0000]/);
  });
});
