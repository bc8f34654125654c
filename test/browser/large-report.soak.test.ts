import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { isAsRecorded } from '../../src/compare/index.ts';
import type { SessionResult } from '../../src/report/index.ts';
import { folderWith } from '../config/folder.ts';
import { htmlOf } from '../report/fixtures/large.ts';
import { REPORTS } from '../report/fixtures/reports.ts';
import { renderHtml } from '../report/rendered.ts';
import { describeInBrowser } from './chromium.ts';

describeInBrowser('a large HTML report in a browser', (open) => {
  test('a file of 20 MB and 500 sessions opens with the first difference, and is scrolled, searched and looked into', async () => {
    await using folder = await folderWith({});
    const file = path.join(folder.path, 'large.html');
    await writeFile(file, await htmlOf(20 * 1024 ** 2));
    expect((await stat(file)).size).toBe(20 * 1024 ** 2);
    await using tab = await open(pathToFileURL(file).href);
    const { page } = tab;
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('j');
    await page.locator('.step-panel ins').first().waitFor();
    // Those that passed stand last, as people count.
    await page.getByRole('link', { name: /order 499/ }).scrollIntoViewIfNeeded();
    await page.getByRole('searchbox').fill('order-490');
    await page.getByText('1 of 500 sessions').waitFor();
    await page.getByRole('link', { name: /order 490/ }).click();
    await page.getByRole('heading', { name: 'Refund of order 490' }).waitFor();
    await page.getByRole('tab', { name: 'Whole run' }).click();
    await page.getByRole('region', { name: 'Observations' }).getByText('list_orders').first().waitFor();
    expect(tab.errors).toEqual([]);
  });

  test('a report of 50,000 sessions opens from a small file, with what does not pass first, is searched, and any session of it is read', async () => {
    await using folder = await folderWith({});
    const file = path.join(folder.path, 'many.html');
    const { mixed } = REPORTS;
    const [first, ...others] = mixed.results.sessions.toSorted(
      (a, b) => Number(isAsRecorded(b.verdict)) - Number(isAsRecorded(a.verdict)),
    );
    const passed = Array.from({ length: 50_000 - others.length }, (_, index) => ({
      ...(first as SessionResult),
      id: `order-${index}`,
      title: `Refund of order ${index}`,
    }));
    const html = await renderHtml({ ...mixed, results: { ...mixed.results, sessions: [...others, ...passed] } });
    await writeFile(file, html);
    expect((await stat(file)).size).toBeLessThan(10 * 1024 ** 2);
    await using tab = await open(pathToFileURL(file).href);
    const { page } = tab;
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('j');
    const rows = page.getByRole('navigation').getByRole('listitem');
    await expect.poll(() => rows.count()).toBeGreaterThan(0);
    await page.getByRole('searchbox').fill('order-48123');
    await page.getByText('1 of 50000 sessions').waitFor();
    await page.getByRole('link', { name: /order 48123/ }).click();
    await page.getByRole('heading', { name: 'Refund of order 48123' }).waitFor();
    expect(tab.errors).toEqual([]);
  });
});
