// Measures the HTML report in Chromium, with 500 sessions and 20 MB in one file, and with one session of 10,001 steps:
// the time from opening to the first difference on screen; the longest frame while its list is scrolled from end to
// end; the time until a search is answered; and the time from choosing another session to its difference. Uses Debian's
// Chromium, or the one that CHROMIUM names.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { markdownTable } from 'markdown-table';
import type { Page } from 'playwright-core';
import { executablePath, launchChromium, openPage } from '../test/browser/launched.ts';
import { htmlOf, longHtml } from '../test/report/fixtures/large.ts';
import { many, medianOf, record } from './results.ts';

const ROUNDS = many(5, 1);

interface Took {
  readonly openMs: number;
  readonly longestFrameMs: number;
  readonly searchMs: number;
  readonly chooseMs: number;
}

/** Scrolls from top to bottom, one screen per frame. @returns the longest frame, in ms */
function scrolled(page: Page, list: string): Promise<number> {
  return page.locator(list).evaluate(async (box) => {
    const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
    let [longest, before] = [0, await frame()];
    for (let top = 0; top < box.scrollHeight; top += Math.max(box.clientHeight, box.scrollHeight / 200)) {
      box.scrollTop = top;
      const now = await frame();
      longest = Math.max(longest, now - before);
      before = now;
    }
    return longest;
  });
}

/** The time until an action is painted. */
async function timed(page: Page, act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  return performance.now() - start;
}

async function measured(file: string, hasList: boolean): Promise<Took> {
  const browser = await launchChromium();
  try {
    const start = performance.now();
    await using tab = await openPage(browser, pathToFileURL(file).href);
    const { page } = tab;
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (hasList) await page.keyboard.press('j');
    await page.locator('.step-panel ins').first().waitFor();
    const openMs = performance.now() - start;
    if (!hasList) return { openMs, longestFrameMs: await scrolled(page, '.middle'), searchMs: 0, chooseMs: 0 };
    const longestFrameMs = await scrolled(page, '.windowed');
    const searchMs = await timed(page, async () => {
      await page.getByRole('searchbox').fill('order-490');
      await page.getByText('1 of 500 sessions').waitFor();
    });
    const chooseMs = await timed(page, async () => {
      await page.getByRole('link', { name: /order 490/ }).click();
      await page.getByRole('heading', { name: 'Refund of order 490' }).waitFor();
      await page.locator('.step-panel ins').first().waitFor();
    });
    return { openMs, longestFrameMs, searchMs, chooseMs };
  } finally {
    await browser.close();
  }
}

if (executablePath === undefined) {
  console.log('left out: there is no Chromium');
} else {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-report-'));
  try {
    const figures: Record<string, Took> = {};
    for (const [name, html, hasList] of [
      ['500 sessions, 20 MB', await htmlOf(20 * 1024 ** 2), true],
      ['one session, 10,001 steps', await longHtml(), false],
    ] as const) {
      const file = path.join(folder, 'report.html');
      await writeFile(file, html);
      const rounds: Took[] = [];
      for (let round = 0; round < ROUNDS; round++) rounds.push(await measured(file, hasList));
      const median = (of: (took: Took) => number) => Math.round(medianOf(rounds.map(of)));
      figures[name] = {
        openMs: median(({ openMs }) => openMs),
        longestFrameMs: median(({ longestFrameMs }) => longestFrameMs),
        searchMs: median(({ searchMs }) => searchMs),
        chooseMs: median(({ chooseMs }) => chooseMs),
      };
    }
    const rows = Object.entries(figures).map(([name, took]) => [
      name,
      ...[took.openMs, took.longestFrameMs, took.searchMs, took.chooseMs].map((ms) => (ms === 0 ? '–' : `${ms} ms`)),
    ]);
    console.log(markdownTable([['report.html', 'opened', 'longest frame', 'search', 'another session'], ...rows]));
    record('report', figures);
  } finally {
    await rm(folder, { recursive: true });
  }
}
