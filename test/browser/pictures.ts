/**
 * Takes pictures of the page, the report and the comment in every state, for people to look at: `npm run pictures [--
 * FOLDER [WORD ...]]`. A word selects the scenes whose names hold it, or one width (1440, 1024, 390) or scheme (light,
 * dark). `npm run pictures -- --docs` takes the pictures of the documentation instead.
 */
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { launchChromium, openPage } from './launched.ts';
import { SCENES } from './scenes.ts';

const WIDTHS = [1440, 1024, 390];
const HEIGHT = 900;
const SCHEMES = ['light', 'dark'] as const;
/** What the documentation shows: the file, its scene and its size. README.md has only the session that changed. */
const DOCS: Readonly<Record<string, { scene: keyof typeof SCENES; state?: string; height: number; clip?: Clip }>> = {
  'page.png': { scene: 'page-changed', height: 800 },
  'report.png': { scene: 'report-flaky', height: 640 },
  'result.png': {
    scene: 'report-flaky',
    state: 'session',
    height: 800,
    clip: { x: 260, y: 44, width: 1180, height: 540 },
  },
};
type Clip = NonNullable<NonNullable<Parameters<Page['screenshot']>[0]>['clip']>;

const [folder = path.join(tmpdir(), 'agent-replay-pictures'), ...words] = process.argv.slice(2);
const widths = chosen(WIDTHS);
const schemes = chosen(SCHEMES);
const names = words.filter((word) => ![...WIDTHS, ...SCHEMES].map(String).includes(word));
const browser = await launchChromium();
try {
  await (folder === '--docs' ? forDocs() : forLooking());
} finally {
  await browser.close();
}

async function forLooking(): Promise<void> {
  await mkdir(folder, { recursive: true });
  const wanted = Object.entries(SCENES).filter(
    ([name]) => names.length === 0 || names.some((word) => name.includes(word)),
  );
  for (const [name, scene] of wanted) {
    await scene(open, async (page, state) => {
      for (const colorScheme of schemes) {
        for (const width of widths) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: HEIGHT });
          const file = [name, state, width, colorScheme].filter(Boolean).join('-');
          await shoot(page, path.join(folder, `${file}.png`), { fullPage: width !== 1440 || colorScheme === 'dark' });
        }
      }
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width: 1440, height: HEIGHT });
    });
    console.log(name);
  }
}

async function forDocs(): Promise<void> {
  for (const [file, { scene, state: wanted, height, clip }] of Object.entries(DOCS)) {
    await SCENES[scene]?.(open, async (page, state) => {
      if (state !== wanted) return;
      await page.setViewportSize({ width: 1440, height });
      await shoot(page, path.join(import.meta.dirname, '../../docs/images', file), { clip });
    });
  }
}

/** Those that a word selects; all if no word does. */
function chosen<Each extends string | number>(all: readonly Each[]): readonly Each[] {
  const named = all.filter((each) => words.includes(String(each)));
  return named.length === 0 ? all : named;
}

function open(url: string) {
  return openPage(browser, url, { viewport: { width: 1440, height: HEIGHT }, colorScheme: 'light' });
}

/** Waits for two frames, because a change of size causes a new layout. */
async function shoot(page: Page, file: string, how: Parameters<Page['screenshot']>[0]): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page.screenshot({ path: file, ...how });
}
