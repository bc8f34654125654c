import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sitePages } from '../scripts/site/pages.ts';
import { launchChromium } from './browser/launched.ts';

const ROOT = path.join(import.meta.dirname, '..');
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

let site: string;
beforeAll(() => {
  site = mkdtempSync(path.join(tmpdir(), 'agent-replay-site-'));
  const built = spawnSync('npm', ['run', 'build:site', '--', site], { cwd: ROOT, encoding: 'utf8' });
  expect([built.status, built.stdout, built.stderr]).toEqual([
    0,
    expect.stringContaining('build complete'),
    expect.not.stringMatching(/Error:/),
  ]);
});
afterAll(() => rmSync(site, { recursive: true, force: true }));

const read = (file: string) => readFileSync(path.join(site, file), 'utf8');

/** The file that an address of the site is answered with. */
function fileAt(address: string): string {
  const { pathname } = new URL(address, 'http://site');
  const file = decodeURIComponent(pathname.slice(1));
  return (
    [file, `${file}.html`, `${file}index.html`].find((each) => each !== '' && existsSync(path.join(site, each))) ??
    '404.html'
  );
}

test('every page of the documentation is a page of the site', () => {
  const pages = sitePages(ROOT).map(({ path: file }) => file.replace(/md$/, 'html'));
  expect(pages).toContain('docs/getting-started.html');
  expect(pages.filter((page) => !existsSync(path.join(site, page)))).toEqual([]);
});

test('no page shows what the generator was to fill in, other than as code', () => {
  const pages = globSync('**/*.html', { cwd: site }).filter((page) => !page.startsWith('example/'));
  const shown = (page: string) => read(page).replaceAll(/<(code|script)\b[\s\S]*?<\/\1>/g, '');
  expect(pages.filter((page) => /\{\{|\}\}/.test(shown(page)))).toEqual([]);
  expect(read('index.html')).toContain('<title>agent-replay');
});

test('every link, image and heading that a page of the site leads to is there', () => {
  const pages = globSync('**/*.html', { cwd: site }).filter(
    (page) => !page.startsWith('example/') && page !== '404.html',
  );
  const broken = pages.flatMap((page) => {
    const here = `/${page}`;
    return [...read(page).matchAll(/<(?:a|img|link|script)\b[^>]*?\s(?:href|src)="([^"]*)"/g)].flatMap(
      ([, link = '']) => {
        const address = new URL(link.replaceAll('&amp;', '&'), `http://site${here}`);
        if (address.origin !== 'http://site') return [];
        const file = fileAt(address.href);
        if (file === '404.html') return [`${page}: ${link}`];
        const anchor = decodeURIComponent(address.hash.slice(1));
        const isThere = anchor === '' || !file.endsWith('.html') || read(file).includes(`id="${anchor}"`);
        return isThere ? [] : [`${page}: ${link}`];
      },
    );
  });
  expect(pages.length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});

test('a word is found with the search of the site, and the report, which README leads to, and the page to look at open', async () => {
  const server = createServer((request, response) => {
    const file = fileAt(request.url ?? '/');
    response.setHeader('content-type', TYPES[path.extname(file)] ?? 'application/octet-stream');
    response.end(readFileSync(path.join(site, file)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(`${url}/docs/getting-started.html`);
    await page.locator('button.DocSearch-Button').click();
    await page.locator('#localsearch-input').fill('LANGSMITH_OTEL_ONLY');
    await page.locator('#localsearch-list a').first().click();
    await page.waitForURL(/\/docs\/sources/);
    expect(await page.locator('h1').textContent()).toContain('Traces from elsewhere');
    await page.goto(url);
    await page.getByRole('link', { name: 'Open this report' }).click();
    await page.waitForURL(/\/example\/report\.html/);
    expect(await page.locator('body').innerText()).toContain('Please refund FO-1023');
    await page.goto(`${url}/example/page.html`);
    await page.getByText('Please refund FO-1023').first().click();
    await page.getByRole('button', { name: 'Run 5×' }).click();
    await page.getByText('System prompt, line 5').first().waitFor();
  } finally {
    await browser.close();
    server.close();
  }
});
