import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';

const PLACES = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const executablePath = PLACES.find((place) => place !== '' && existsSync(place));

/** Opens pages in one browser for a whole file; each has a context of its own, and all it did wrong is noted. */
export type Opener = (url: string, options?: BrowserContextOptions) => Promise<Opened>;

export interface Opened extends AsyncDisposable {
  readonly page: Page;
  /** Errors that were thrown or written to the console, refused requests and violations of the page's policy among them. */
  readonly errors: readonly string[];
  /** All that the page asked for besides itself. */
  readonly requests: readonly string[];
}

/** Tests in a real browser: Debian's Chromium, or the one that `CHROMIUM` names. Without one they are skipped, and say so. */
export function describeInBrowser(name: string, define: (open: Opener) => void): void {
  if (executablePath === undefined) {
    console.warn(`Skipped: ${name}. There is no Chromium: apt-get install chromium, or name one with CHROMIUM.`);
  }
  describe.skipIf(executablePath === undefined)(name, () => {
    let browser: Browser;
    beforeAll(async () => {
      // Chromium's own sandbox needs more than a container gives; what is opened is ours.
      browser = await chromium.launch({ executablePath: executablePath as string, args: ['--no-sandbox'] });
    });
    afterAll(() => browser?.close());
    define((url, options) => openPage(browser, url, options));
  });
}

async function openPage(browser: Browser, url: string, options?: BrowserContextOptions): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('dialog', (dialog) => {
    errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => request.url() !== url.replace(/#.*/, '') && requests.push(request.url()));
  await page.goto(url);
  return { page, errors, requests, [Symbol.asyncDispose]: () => context.close() };
}

/** What axe finds wrong with a page as it is, one line each. */
export async function violations(page: Page): Promise<string[]> {
  // Its source is evaluated, which the page's own policy does not forbid to the debugger.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
  });
}
