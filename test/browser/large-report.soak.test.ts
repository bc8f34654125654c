import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { folderWith } from '../config/folder.ts';
import { htmlOf } from '../report/fixtures/large.ts';
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
});
