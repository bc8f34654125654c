import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { executablePath, launchChromium, type Opened, openPage } from './launched.ts';

/** Opens pages in one browser for a whole file. Each page has a context of its own, and its errors are collected. */
export type Opener = (url: string, options?: BrowserContextOptions) => Promise<Opened>;

/** Defines tests in a real browser. Without a browser they are skipped, with a message. */
export function describeInBrowser(name: string, define: (open: Opener) => void): void {
  if (executablePath === undefined) {
    console.warn(`Skipped: ${name}. There is no Chromium: apt-get install chromium, or name one with CHROMIUM.`);
  }
  describe.skipIf(executablePath === undefined)(name, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchChromium();
    });
    afterAll(() => browser?.close());
    define((url, options) => openPage(browser, url, options));
  });
}

/** The font sizes of a page, in pixels, and its typefaces, as the style sheet names them. */
export async function typography(page: Page): Promise<{ sizes: number[]; faces: string[] }> {
  const seen = await page.evaluate(() =>
    [...document.body.querySelectorAll<HTMLElement>('*')]
      .filter(
        (each) =>
          each.matches('input, select, button') ||
          [...each.childNodes].some(({ nodeType, textContent }) => nodeType === 3 && (textContent ?? '').trim() !== ''),
      )
      .filter((each) => each.getClientRects().length > 0)
      .map((each) => [Number.parseFloat(getComputedStyle(each).fontSize), getComputedStyle(each).fontFamily] as const),
  );
  const sizes = new Set(seen.map(([size]) => size));
  // Elements that show only a sign have size 0.
  sizes.delete(0);
  return { sizes: [...sizes].sort((a, b) => a - b), faces: [...new Set(seen.map(([, face]) => face))] };
}

/** The one scale of sizes. */
export const SCALE = [11, 12, 13, 14, 16, 24];

/** What axe finds wrong with a page as it is, one line each. */
export async function violations(page: Page): Promise<string[]> {
  // Evaluated through the debugger, which the page's own policy does not forbid.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
  });
}
