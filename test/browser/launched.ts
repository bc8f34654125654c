import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { PATIENCE_MS } from '../patience.ts';

const PLACES = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Debian's Chromium, or the one that `CHROMIUM` names; undefined where there is none. */
export const executablePath = PLACES.find((place) => place !== '' && existsSync(place));

/** @throws when there is no Chromium */
export function launchChromium(): Promise<Browser> {
  if (executablePath === undefined) {
    throw new Error('There is no Chromium: apt-get install chromium, or name one with CHROMIUM.');
  }
  // Chromium's own sandbox needs rights that a container lacks. We open only our own pages.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

export interface Opened extends AsyncDisposable {
  readonly page: Page;
  /** Errors that were thrown or written to the console, refused requests and violations of the page's policy among them. */
  readonly errors: readonly string[];
  /** All requests of the page, except the one for itself. */
  readonly requests: readonly string[];
}

/** Opens a page in a context of its own, and collects its errors. */
export async function openPage(browser: Browser, url: string, options?: BrowserContextOptions): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
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
