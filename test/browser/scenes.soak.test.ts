import { expect, test } from 'vitest';
import { describeInBrowser, SCALE, typography, violations } from './chromium.ts';
import { COMMENTS } from './comments.ts';
import { SCENES } from './scenes.ts';

const SIZES = [
  { width: 1440, colorScheme: 'light' },
  { width: 1440, colorScheme: 'dark' },
  { width: 1024, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
  { width: 320, colorScheme: 'light' },
] as const;

/** What GitHub makes of a comment is not ours to lay out. */
const OURS = Object.entries(SCENES).filter(([name]) => !Object.hasOwn(COMMENTS, name));

describeInBrowser('every state of the page and the report', (open) => {
  test.each(OURS)('%s: axe finds nothing, nothing scrolls sideways, letters are of one scale', async (_, scene) => {
    await scene(
      (url) => open(url, { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }),
      async (page, state = '') => {
        for (const { width, colorScheme } of SIZES) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 900 });
          const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          const { sizes, faces } = await typography(page);
          const odd = [...sizes.filter((size) => !SCALE.includes(size)), ...faces.slice(2)];
          const found = { state, width, colorScheme, over, odd, violations: await violations(page) };
          expect.soft(found).toEqual({ state, width, colorScheme, over: 0, odd: [], violations: [] });
        }
        await page.emulateMedia({ colorScheme: 'light' });
        await page.setViewportSize({ width: 1440, height: 900 });
      },
    );
  });
});
