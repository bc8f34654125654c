import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HistoryEntry, historyEntryOf } from '../../src/report/history/history-entry.ts';
import type { Report, SessionOutcome } from '../../src/report/index.ts';
import { renderHtml } from '../../src/report/outputs/html.ts';
import { describeInBrowser, SCALE, typography, violations } from '../browser/chromium.ts';
import { command } from '../cli/command.ts';
import { projectWith } from '../cli/project.ts';
import { outcomes } from '../outcomes.ts';
import { hostileReport, PAYLOADS } from './fixtures/hostile.ts';
import { drawn, type Play, played, tracesOf } from './fixtures/played.ts';
import { REPORTS, report, session, turn } from './fixtures/reports.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agent-replay-html-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** @param sessions whose traces lie beside it */
async function onDisk(
  written: Report,
  sessions: readonly SessionOutcome[] = [],
  history: readonly HistoryEntry[] = [],
): Promise<string> {
  const file = path.join(folder, `${randomUUID()}.html`);
  const kept = sessions.flatMap(({ id, turns }) => tracesOf(id, turns));
  await writeFile(file, await renderHtml(written, async (id) => kept.filter(({ session }) => session === id), history));
  return pathToFileURL(file).href;
}

const MANY = report(
  Array.from({ length: 1_000 }, (_, index) =>
    session(`session-${String(index).padStart(4, '0')}`, {
      turns: [
        index % 10 === 0
          ? turn({ verdict: outcomes.varies, clusters: [15, 5], requested: 20 })
          : turn({ verdict: outcomes.asRecorded, clusters: [20], requested: 20 }),
      ],
    }),
  ),
  { runs: 20 },
);

const ID = '9f86d081884c7d659a2feaa0c55ad015';
const refunding = (amount: number, id: string, withMail = true): Play => ({
  acts: [
    { tool: 'get_order', args: { id: 'ORD-118' }, result: { total: 118.4 } },
    { tool: 'search_policy', args: { query: 'refund' }, result: 'Within 30 days.' },
    { tool: 'refund_order', args: { id: 'ORD-118', amount }, result: { refund_id: id, amount } },
    ...(withMail ? [{ tool: 'send_mail', args: { refund: id }, result: 'sent' }] : []),
  ],
  answer: 'I refunded it.',
});
const other = (place: number) => ID.replaceAll('8', String(place));
const FORKED_TURNS = {
  turns: [
    played(
      [refunding(118.4, ID)],
      [
        refunding(118.4, other(1)),
        refunding(118.4, other(2)),
        refunding(59.2, other(3)),
        refunding(59.2, other(4)),
        refunding(118.4, other(5), false),
      ],
    ),
  ],
};
const FORKED = report([session('refund', FORKED_TURNS)]);
const EDITED = report([
  session('refund', {
    turns: [
      played(
        [{ ...refunding(118.4, ID), system: 'You help.\nRefund the full price.' }],
        [1, 2, 3, 4, 5].map((place) => ({ ...refunding(59.2, other(place)), system: 'You help.\nRefund half of it.' })),
      ),
    ],
  }),
]);
const STEADY = session('steady', {
  turns: [played([refunding(118.4, ID)], [refunding(118.4, other(1)), refunding(118.4, other(2))])],
});
const walk = (at?: number): Play => ({
  acts: Array.from({ length: 5_000 }, (_, page) => ({
    tool: 'get_order',
    args: { page: page === at ? 'x' : page },
    result: page,
  })),
  answer: 'Done.',
});
const LONG = report([session('long', { turns: [played([walk()], [walk(2_700)])] })]);
const PICTURES = report([session('pictures', { turns: [played([drawn('a blue tent')], [drawn('a red tent')])] })]);

describeInBrowser('the HTML report in a browser', (open) => {
  test('it opens from disk, asks for nothing and breaks none of its own rules', async () => {
    await using opened = await open(await onDisk(REPORTS.mixed));
    await opened.page.getByRole('heading', { level: 1 }).getByText('1 of 7 sessions changed').waitFor();
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
    await page.getByRole('heading', { level: 2, name: 'two-parcels' }).waitFor();
    await expect.poll(() => article.getByText('runs 4-5').count()).toBeGreaterThan(0);
    await article.getByText('Figures and runs').last().click();
    await expect
      .poll(() => article.getByRole('region', { name: 'Runs of turn 2' }).getByRole('row').count())
      .toBe(1 + 5);
    await page.getByRole('button', { name: 'Copy command', exact: true }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      'npx agent-replay run replays/two-parcels.session.json --runs 5',
    );
  });

  test('the address of a session opens it', async () => {
    await using opened = await open(`${await onDisk(REPORTS.mixed)}#session=id-tent-warranty`);
    const article = opened.page.getByRole('article');
    await opened.page.getByRole('heading', { level: 2, name: /tent-warranty/ }).waitFor();
    await article.locator('.problem code', { hasText: 'TRACE_MISSING' }).waitFor();
  });

  test('of a thousand sessions only those in sight are there, and searching and filtering act at once', async () => {
    await using opened = await open(await onDisk(MANY));
    const { page } = opened;
    const list = page.getByRole('navigation', { name: 'Sessions' });
    await list.getByText('1000 sessions').waitFor();
    await expect.poll(() => list.getByRole('listitem').count()).toBeLessThan(60);
    await list.getByRole('searchbox').fill('0 session-09');
    await list.getByText('100 of 1000 sessions').waitFor();
    await list.getByRole('searchbox').fill('');
    // A chip shows only what it names.
    await list.getByRole('button', { name: /varies/ }).click();
    await list.getByText('100 of 1000 sessions').waitFor();
    await expect.poll(() => list.getByRole('link', { name: /as recorded/ }).count()).toBe(0);
  });

  test('with the keyboard alone one gets to any session', async () => {
    await using opened = await open(await onDisk(MANY));
    const { page } = opened;
    await page.keyboard.press('/');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Search sessions');
    await page.keyboard.type('0999');
    await page.getByText('1 of 1000 sessions').waitFor();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Delete');
    await page
      .getByRole('link', { name: /session-/ })
      .first()
      .focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('session-0999');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: /session-0999/ }).waitFor();
    await page.getByRole('heading', { level: 2, name: /session-0999/ }).click();
    await page.keyboard.press('k');
    await page.getByRole('heading', { level: 2, name: /session-0998/ }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('next difference').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('steps stand in one table: the recording and each behaviour, with what is the same folded', async () => {
    await using opened = await open(await onDisk(FORKED));
    const table = opened.page.getByRole('region', { name: 'Recorded and replayed steps' });
    await expect
      .poll(() => table.getByRole('columnheader').allInnerTexts())
      .toEqual([
        'step',
        'A recorded\nruns 1-2'.replace(' ', '\n'),
        'B\nruns 3-4\nrefund_order: other /amount',
        'C\nrun 5\nsend_mail: no call',
      ]);
    await table.getByRole('button', { name: 'steps 1 to 4 are the same' }).waitFor();
    const cells = (name: RegExp) => table.getByRole('row', { name }).getByRole('cell');
    expect(await cells(/call refund_order/).evaluateAll((all) => all.map((cell) => cell.dataset.state))).toEqual([
      undefined,
      'different',
      'same',
    ]);
    expect(await cells(/call send_mail/).evaluateAll((all) => all.map((cell) => cell.dataset.state))).toEqual([
      undefined,
      'same',
      'missing',
    ]);
    await table.getByRole('button', { name: 'steps 1 to 4 are the same' }).click();
    await table.getByRole('row', { name: /call get_order/ }).waitFor();
    expect(opened.errors).toEqual([]);
  });

  test('the first divergence is side by side at once, its real ids with it, and n and p go on and back', async () => {
    await using opened = await open(await onDisk(FORKED));
    const { page } = opened;
    const panel = page.getByRole('region', { name: 'What is chosen' });
    await panel.getByRole('heading', { name: 'Step 5 call refund_order' }).waitFor();
    await expect.poll(() => panel.locator('.half[data-side=left] del').allInnerTexts()).toEqual(['118.4']);
    await expect.poll(() => panel.locator('.half[data-side=right] ins').allInnerTexts()).toEqual(['59.2']);
    await page.keyboard.press('n');
    await panel.getByRole('heading', { name: 'Step 6 result refund_order' }).waitFor();
    const shown = await panel.locator('.both').innerText();
    expect(shown).toContain(ID);
    expect(shown).not.toContain('.hex#1>');
    await expect.poll(() => panel.locator('.id').first().getAttribute('title')).toContain('the id of refund_order');
    await page.keyboard.press('p');
    await panel.getByRole('heading', { name: 'Step 5 call refund_order' }).waitFor();
  });

  test('why a session diverged is on the screen without a click, and that of any other one with one', async () => {
    const both = report([
      session('again', {
        turns: [
          played(
            [{ ...refunding(118.4, ID), system: 'You help.\nRefund the full price.' }],
            [1, 2, 3].map((place) => ({ ...refunding(59.2, other(place)), system: 'You help.\nRefund half of it.' })),
          ),
        ],
      }),
      STEADY,
    ]);
    await using opened = await open(await onDisk(both, [STEADY]), { viewport: { width: 1440, height: 900 } });
    const { page } = opened;
    const cause = page.getByRole('region', { name: 'Cause' });
    const difference = page.getByRole('region', { name: 'What is chosen' }).locator('ins');
    const table = page.getByRole('row', { name: /refund_order/ });
    for (const part of [cause, difference.first(), table.first()]) {
      const { y = 0, height = 0 } = (await part.boundingBox()) ?? {};
      expect(y).toBeGreaterThan(0);
      expect(y + height).toBeLessThan(900);
    }
    await expect.poll(() => cause.locator('ins b').innerText()).toBe('half of it');
    // The page itself stands still.
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(900);
    await page.getByRole('link', { name: /steady/ }).click();
    await page.getByRole('region', { name: 'Observations' }).waitFor();
  });

  test('on a phone one pane is there at a time, and the way back leads to the one before', async () => {
    await using opened = await open(await onDisk(report([session('one', FORKED_TURNS), STEADY]), [STEADY]), {
      viewport: { width: 390, height: 844 },
    });
    const { page } = opened;
    const [list, article, details] = [
      page.getByRole('navigation', { name: 'Sessions' }),
      page.getByRole('article'),
      page.getByRole('region', { name: 'What is chosen' }),
    ];
    const shown = async () => [await list.isVisible(), await article.isVisible(), await details.isVisible()];
    expect(await shown()).toEqual([true, false, false]);
    await list.getByRole('link', { name: /one/ }).click();
    await expect.poll(shown).toEqual([false, true, false]);
    await article.getByRole('button', { name: /call refund_order/ }).click();
    await expect.poll(shown).toEqual([false, false, true]);
    await details.locator('ins').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: '← The run' }).click();
    await expect.poll(shown).toEqual([false, true, false]);
    await page.getByRole('link', { name: '← All sessions' }).click();
    await expect.poll(shown).toEqual([true, false, false]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  });

  test('with a history each session has its trend, in the list and above its run', async () => {
    const written = report([session('one', FORKED_TURNS), STEADY]);
    const history = [1, 2, 3].map((day) => ({
      ...historyEntryOf(written),
      startedAt: `2026-11-0${day}T00:00:00.000Z`,
    }));
    await using opened = await open(await onDisk(written, [STEADY], history));
    const trend = opened.page.getByRole('img', { name: 'As recorded, run by run: 40 %, 40 %, 40 %' });
    await expect.poll(() => trend.count()).toBe(2);
    await opened.page.getByRole('img', { name: 'As recorded, run by run: 100 %, 100 %, 100 %' }).waitFor();
  });

  test('the edges of the panes are moved by pointer and arrow keys, and remembered', async () => {
    const address = await onDisk(report([session('one', FORKED_TURNS), STEADY]));
    await using opened = await open(address, { viewport: { width: 1440, height: 900 } });
    const { page } = opened;
    const details = page.getByRole('region', { name: 'What is chosen' });
    const width = () => details.evaluate((pane) => pane.clientWidth);
    const before = await width();
    const edge = page.getByRole('separator', { name: 'Width of the details' });
    await edge.focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(width).toBe(before + 24);
    const { x = 0, y = 0 } = (await edge.boundingBox()) ?? {};
    await page.mouse.move(x + 4, y + 200);
    await page.mouse.down();
    await page.mouse.move(x - 46, y + 200);
    await page.mouse.up();
    await expect.poll(width).toBe(before + 74);
    await page.reload();
    await expect.poll(width).toBe(before + 74);
  });

  test('printed, a session is there whole: no list, nothing that only a pointer can open, nothing that scrolls', async () => {
    await using opened = await open(await onDisk(FORKED));
    const { page } = opened;
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => page.getByRole('button', { name: 'Copy as Markdown' }).isVisible()).toBe(false);
    await expect.poll(() => page.getByText('steps 1 to 4 are the same').isVisible()).toBe(true);
    for (const pane of ['.shell-run', '.shell-details', '.step-table']) {
      const hidden = await page.locator(pane).evaluate((box) => box.scrollHeight - box.clientHeight);
      expect([pane, hidden <= 1]).toEqual([pane, true]);
    }
    expect((await page.pdf()).length).toBeGreaterThan(10_000);
  });

  test('on a screen the panes scroll, and the page itself does not, nor does a name of a step that is cut lose its end', async () => {
    await using tab = await open(await onDisk(FORKED, [session('refund', FORKED_TURNS)]));
    const { page } = tab;
    const over = () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
    expect(await over()).toBe(0);
    await page.getByRole('tab', { name: 'Whole run' }).click();
    await page.getByRole('region', { name: 'Observations' }).waitFor();
    expect(await over()).toBe(0);
    const names = await page.locator('.fork .tick').allTextContents();
    expect(new Set(names).size).toBe(names.length);
  });

  test('two behaviours are compared with each other, and the address brings it back', async () => {
    await using opened = await open(await onDisk(FORKED));
    const { page } = opened;
    const panel = page.getByRole('region', { name: 'What is chosen' });
    await panel.getByLabel('Left side').selectOption({ label: 'C: run 5' });
    const heads = () => panel.locator('.side-head :is(option:checked, .quiet)').allTextContents();
    await expect.poll(heads).toEqual(['C: run 5', 'step 5', 'B: runs 3-4', 'step 5']);
    await page.reload();
    await expect.poll(heads).toEqual(['C: run 5', 'step 5', 'B: runs 3-4', 'step 5']);
    await expect.poll(() => panel.locator('.half[data-side=left] del').allInnerTexts()).toEqual(['118.4']);
  });

  test('a divergence at step 5401 of 10001 is on the page, and all steps can be scrolled through', async () => {
    await using opened = await open(await onDisk(LONG));
    const table = opened.page.getByRole('region', { name: 'Recorded and replayed steps' });
    await table.getByRole('row', { name: /5401 call get_order/ }).waitFor();
    await table.getByRole('button', { name: 'steps 1 to 5400 are the same' }).click();
    await table.getByRole('row', { name: /^2 result/ }).waitFor();
    await expect.poll(() => table.getByRole('row').count()).toBeLessThan(100);
    await table.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await table.getByRole('button', { name: 'steps 5402 to 10001 are the same' }).waitFor();
    await table.getByRole('row', { name: /5401 call get_order/ }).waitFor();
  });

  test('an image is an image, a sound and a file are links, and nothing is loaded', async () => {
    await using opened = await open(await onDisk(PICTURES));
    const { page } = opened;
    const table = page.getByRole('region', { name: 'Recorded and replayed steps' });
    await table.getByRole('button', { name: 'result draw' }).click();
    const panel = page.getByRole('region', { name: 'What is chosen' });
    await panel
      .getByRole('img', { name: /image\/png/ })
      .first()
      .waitFor();
    expect(
      await panel
        .getByRole('img')
        .first()
        .evaluate((image: HTMLImageElement) => image.naturalWidth),
    ).toBe(1);
    await panel
      .getByRole('link', { name: /audio\/wav/ })
      .first()
      .waitFor();
    await panel.getByRole('link', { name: 'https://example.org/manual.pdf' }).first().waitFor();
    expect(opened.errors).toEqual([]);
    expect(opened.requests.filter((url) => !url.startsWith('data:'))).toEqual([]);
  });

  test('every run can be looked into: its observations as a tree, their times, tokens and cost, and what went in and out', async () => {
    await using opened = await open(await onDisk(report([STEADY]), [STEADY]));
    const { page } = opened;
    await page.getByRole('tab', { name: 'Whole run' }).click();
    const panel = page.getByRole('region', { name: 'What is chosen' });
    await panel
      .getByText(/^[\d.]+ s · 10 observations · 1,800 tokens in, 125 out · \$0\.0050 · gpt-4o-mini$/)
      .waitFor();
    await panel.getByRole('button', { name: 'A runs 1-2' }).click();
    await panel.getByText('trace-2', { exact: true }).waitFor();
    await panel.getByRole('button', { name: /tool refund_order/ }).click();
    const observation = panel.getByRole('region', { name: 'Observation' });
    await expect
      .poll(() => observation.getByRole('heading', { level: 3 }).innerText())
      .toMatch(/refund_order tool · from .* · steps 5, 6/);
    await expect
      .poll(() => observation.locator('pre').first().innerText())
      .toBe('{\n  "id": "ORD-118",\n  "amount": 118.4\n}');
    expect(await violations(page)).toEqual([]);
    expect(opened.errors).toEqual([]);
    expect(opened.requests).toEqual([]);
  });

  test('what a report cuts opens, and where the whole is not there it says so', async () => {
    const told = (end: string): Play => ({ acts: [], answer: `${'a long answer '.repeat(1_000)}${end}` });
    const long = session('long', { turns: [played([told('yes')], [told('no')])] });
    await using opened = await open(await onDisk(report([long]), [long]));
    const panel = opened.page.getByRole('region', { name: 'What is chosen' });
    await expect
      .poll(() => panel.locator('.half[data-side=right]').allInnerTexts())
      .toEqual([expect.stringMatching(/no$/)]);
    await using alone = await open(await onDisk(report([long])));
    await alone.page
      .getByText('The left side is cut: 600 of 14003 characters are here. The whole is in the traces of the run.')
      .waitFor();
  });

  test('the raw trace of a run is saved whole; what the page cuts of it says so, and where it is when the report had no room', async () => {
    const listing = (end: string): Play => ({
      acts: [{ tool: 'list', args: {}, result: `${'one more line of it, '.repeat(2_500)}${end}` }],
      answer: 'Here.',
    });
    const long = session('long', { turns: [played([listing('yes')], [listing('no')])] });
    await using opened = await open(await onDisk(report([long]), [long]));
    const { page } = opened;
    const panel = page.getByRole('region', { name: 'What is chosen' });
    await page.getByRole('tab', { name: 'Whole run' }).click();
    await panel.getByRole('button', { name: /B run 1/ }).click();
    await panel.getByText(/^Of \S+ long values? the beginning is here\. The raw trace has all of it\.$/).waitFor();
    await panel.getByRole('button', { name: /tool list/ }).click();
    await panel.getByText('20,000 of 52,502 characters are here; the raw trace has them all.').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      panel.getByRole('button', { name: 'Download raw trace' }).click(),
    ]);
    const raw = JSON.parse(await readFile(await file.path(), 'utf8')) as {
      observations: { name: string; output: string }[];
    };
    expect(raw.observations.find(({ name }) => name === 'list')?.output).toMatch(/no$/);
    expect(raw.observations.find(({ name }) => name === 'list')?.output).toHaveLength(52_502);

    const traces = tracesOf('long', long.turns).map((trace) => {
      const observations = trace.recording.observations.map((each) =>
        each.name === 'list' ? { ...each, output: randomBytes(12 * 1024 ** 2).toString('base64') } : each,
      );
      return { ...trace, recording: { ...trace.recording, observations } };
    });
    const at = path.join(folder, `${randomUUID()}.html`);
    await writeFile(at, await renderHtml(report([long]), async () => traces));
    await using tight = await open(pathToFileURL(at).href);
    await tight.page.getByRole('tab', { name: 'Whole run' }).click();
    await tight.page.getByRole('button', { name: 'Download raw trace' }).click();
    await tight.page.getByRole('button', { name: 'It is in the folder traces of the run' }).waitFor();
    expect([...opened.errors, ...tight.errors]).toEqual([]);
  });

  test('where no replay came the report holds what was recorded: its steps open, and its trace', async () => {
    await using project = await projectWith({ sessions: { one: 'a' }, agent: { env: { FAILS: '500' } } });
    expect((await command(['run'], { cwd: project.path })).code).toBe(2);
    await rm(path.join(project.path, '.agent-replay/traces'), { recursive: true });
    await using opened = await open(pathToFileURL(path.join(project.path, '.agent-replay/report.html')).href);
    const { page } = opened;
    const panel = page.getByRole('region', { name: 'What is chosen' });
    await page.getByRole('button', { name: 'call lookup' }).click();
    await panel.getByText('{"text":"a"}').or(panel.getByText('"text": "a"')).first().waitFor();
    await page.getByRole('tab', { name: 'Whole run' }).click();
    await panel.getByRole('region', { name: 'Observations' }).getByText('lookup').waitFor();
    expect(opened.errors).toEqual([]);
  });

  test('a step is shown as JSON, as text and as it was recorded, folded or whole; red is what was recorded, green what was replayed', async () => {
    const found = (end: string): Play => ({
      acts: [
        {
          tool: 'find',
          args: { q: 'tent' },
          result: { note: `first\n${end}`, hits: Array.from({ length: 30 }, (_, at) => at) },
        },
      ],
      answer: 'Here.',
    });
    const turns = [played([found('in stock')], [found('sold out')])];
    await using opened = await open(await onDisk(report([session('s', { turns })])), {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = opened;
    const panel = page.getByRole('region', { name: 'What is chosen' });
    const left = panel.locator('.half[data-side=left]');
    await panel
      .getByRole('button', { name: /lines the same$/ })
      .first()
      .waitFor();
    const folded = await left.count();
    await panel.getByRole('button', { name: 'Expand all' }).click();
    await expect.poll(() => left.count()).toBeGreaterThan(folded + 20);
    await panel.getByRole('button', { name: 'Text', exact: true }).click();
    const onlyLeft = panel.locator('.half[data-side=left][data-same=false] > span:not(.hidden)');
    await expect.poll(() => onlyLeft.allInnerTexts()).toEqual(['in stock']);
    await panel.getByRole('button', { name: 'Raw', exact: true }).click();
    await expect.poll(() => left.count()).toBe(1);
    await panel.getByRole('button', { name: 'Copy', exact: true }).first().click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('"note":"first\\nin stock"');
    const colour = async (mark: string) => {
      const painted = await panel
        .locator(mark)
        .first()
        .evaluate((each) => {
          const context = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D;
          context.fillStyle = getComputedStyle(each).backgroundColor;
          context.fillRect(0, 0, 1, 1);
          return [...context.getImageData(0, 0, 1, 1).data];
        });
      const [red = 0, green = 0] = painted;
      return red > green ? 'red' : 'green';
    };
    expect([
      await colour('.half[data-side=left][data-same=false]'),
      await colour('.half[data-side=right][data-same=false]'),
    ]).toEqual(['red', 'green']);
    expect(opened.errors).toEqual([]);
  });

  test('a place of the picture opens its step', async () => {
    await using opened = await open(await onDisk(FORKED), { viewport: { width: 1440, height: 900 } });
    const { page } = opened;
    await page.getByRole('region', { name: 'Where runs part' }).locator('circle[data-state=missing]').first().click();
    await page.getByRole('heading', { name: 'Step 7 call send_mail' }).waitFor();
    await page
      .getByLabel('Right side')
      .locator('option:checked', { hasText: 'C: run 5' })
      .waitFor({ state: 'attached' });
  });

  test('heads of columns break between words only, letters are of one scale and two typefaces', async () => {
    const names = ['check_refund_policy', 'update_customer_record', 'search_help_articles', 'create_ticket'];
    const without = (left?: string): Play => ({
      acts: names.filter((name) => name !== left).map((tool) => ({ tool, args: { id: 7 }, result: 'ok' })),
      answer: 'Done.',
    });
    const turns = [played([without()], names.map(without))];
    for (const width of [1440, 1024, 390]) {
      await using opened = await open(`${await onDisk(report([session('s', { turns })]))}#session=s`, {
        viewport: { width, height: 900 },
      });
      const { page } = opened;
      const heads = page.getByRole('region', { name: 'Recorded and replayed steps' }).getByRole('columnheader');
      await heads.first().waitFor();
      await expect.poll(() => heads.count()).toBe(6);
      const broken = await heads.evaluateAll((all) =>
        all.flatMap((head) => {
          const walker = document.createTreeWalker(head, NodeFilter.SHOW_TEXT);
          const found: string[] = [];
          for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
            for (const { index, 0: word } of (node.textContent ?? '').matchAll(/[\p{L}\p{N}]+/gu)) {
              const range = document.createRange();
              range.setStart(node, index);
              range.setEnd(node, index + word.length);
              if (range.getClientRects().length > 1) found.push(word);
            }
          }
          return found;
        }),
      );
      expect(broken).toEqual([]);
      const { sizes, faces } = await typography(page);
      expect(sizes.filter((size) => !SCALE.includes(size))).toEqual([]);
      expect(faces).toHaveLength(2);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    }
  });

  test.each(['light', 'dark'] as const)(
    'the five tones of behaviours are five, and none is that of a verdict: %s',
    async (colorScheme) => {
      await using opened = await open(await onDisk(FORKED), { colorScheme });
      const names = ['--tone-0', '--tone-1', '--tone-2', '--tone-3', '--tone-4', '--good', '--bad'];
      const colours = await opened.page.evaluate((names) => {
        const context = document
          .createElement('canvas')
          .getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D;
        const probe = document.body.appendChild(document.createElement('i'));
        return names.map((name) => {
          probe.style.color = `var(${name})`;
          context.fillStyle = getComputedStyle(probe).color;
          context.fillRect(0, 0, 1, 1);
          return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
        });
      }, names);
      for (const [at, one] of colours.entries()) {
        for (const other of colours.slice(0, at)) {
          expect(Math.hypot(...one.map((part, channel) => part - (other[channel] ?? 0))), names[at]).toBeGreaterThan(
            40,
          );
        }
      }
    },
  );

  test("times are told in the reader's zone, which is said; what was seen stands before what to do", async () => {
    await using opened = await open(await onDisk(REPORTS.error), { timezoneId: 'Asia/Tokyo' });
    const { page } = opened;
    await page.getByText('About this run').click();
    await page.getByText(/^Nov 21, 2026, 11:40:52 AM GMT\+9$/).waitFor();
    const problem = page.getByRole('article').locator('.problem').first();
    expect(
      await problem.evaluate((each) =>
        [...each.children].map(({ tagName, className }) => `${tagName} ${className}`.trim()),
      ),
    ).toEqual(['P', 'PRE log', 'P hint']);
  });

  test('what a coding agent needs is copied: what diverged, why, and where to look', async () => {
    await using opened = await open(await onDisk(EDITED), { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = opened;
    await page.getByRole('button', { name: 'Copy as prompt' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const prompt = await page.evaluate(() => navigator.clipboard.readText());
    expect(prompt).toContain('Likely cause: agent (the system prompt differs at line 2)');
    expect(prompt).toContain('- Refund the full price.\n+ Refund half of it.');
    expect(prompt).toContain('search the code for the new line ("Refund half of it.")');
    expect(prompt).toContain('npx agent-replay run replays/refund.session.json --runs 5');
    expect(prompt).toContain('step 5, argument of refund_order /amount: recorded "118.4", replayed "59.2"');
  });

  test.for([
    ['light', 1280],
    ['dark', 320],
  ] as const)('axe finds nothing in steps side by side: %s, %i wide', async ([colorScheme, width]) => {
    await using opened = await open(`${await onDisk(FORKED)}#session=id-refund&turn=1&step=7&behaviour=C`, {
      colorScheme,
      viewport: { width, height: 800 },
    });
    const { page } = opened;
    await page.getByRole('heading', { name: 'Step 7 call send_mail' }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
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
    await expect
      .poll(() => page.locator('img, iframe, article a[href^=http], script:not(#data):not([type=module])').count())
      .toBe(0);
    const shown = await page.locator('body').innerText();
    expect(shown).toContain('<script>alert(1)</script>');
    expect(shown).toContain('\\u202egnp.exe');
    expect(shown).not.toMatch(/[\u202e\u200b\u0000]/);
  });
});
