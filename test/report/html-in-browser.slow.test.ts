import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Report, SessionOutcome } from '../../src/report/index.ts';
import { renderHtml } from '../../src/report/outputs/html.ts';
import { describeInBrowser, SCALE, typography, violations } from '../browser/chromium.ts';
import { command } from '../cli/command.ts';
import { projectWith } from '../cli/project.ts';
import { noise } from '../noise.ts';
import { outcomes } from '../outcomes.ts';
import { hostileReport, PAYLOADS } from './fixtures/hostile.ts';
import { drawn, type Play, played, tracesOf } from './fixtures/played.ts';
import { REPORTS, report, SESSIONS, session, turn } from './fixtures/reports.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agent-replay-html-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** @param sessions whose traces lie beside it */
async function onDisk(written: Report, sessions: readonly SessionOutcome[] = []): Promise<string> {
  const file = path.join(folder, `${randomUUID()}.html`);
  const kept = sessions.flatMap(({ id, turns }) => tracesOf(id, turns));
  await writeFile(file, await renderHtml(written, async (id) => kept.filter(({ session }) => session === id)));
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
const EDITED_TURNS = [
  played(
    [{ ...refunding(118.4, ID), system: 'You help.\nRefund the full price.' }],
    [1, 2, 3, 4, 5].map((place) => ({ ...refunding(59.2, other(place)), system: 'You help.\nRefund half of it.' })),
  ),
];
const EDITED = report([session('refund', { turns: EDITED_TURNS })]);
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

/** A conversation of three turns, of which the second and the third differ. */
const TALK = session('talk', {
  title: 'Two orders in one',
  turns: [
    played([refunding(118.4, ID)], [refunding(118.4, other(1)), refunding(118.4, other(2))], { asked: 'Where is it?' }),
    played([refunding(118.4, ID)], [refunding(59.2, other(1)), refunding(59.2, other(2))], {
      turn: 2,
      asked: 'Then refund it, please',
    }),
    played([drawn('a blue tent')], [drawn('a red tent'), drawn('a red tent')], { turn: 3, asked: 'And draw a tent' }),
  ],
});

const lanesOf = (page: Page) => page.getByRole('region', { name: /^Recorded and replayed steps/ });
const detailOf = (page: Page) => page.getByRole('region', { name: 'What is chosen' });
const left = (page: Page) => detailOf(page).locator('.half[data-side=left] del');
const right = (page: Page) => detailOf(page).locator('.half[data-side=right] ins');

describeInBrowser('the HTML report in a browser', (open) => {
  test('it opens from disk with one sentence, asks for nothing and breaks none of its own rules', async () => {
    await using opened = await open(await onDisk(REPORTS.mixed));
    await opened.page.getByRole('heading', { level: 1 }).getByText('1 of 7 sessions changed').waitFor();
    expect(opened.requests).toEqual([]);
    expect(opened.errors).toEqual([]);
  });

  test('it starts with the cause: an edited line once, below it what each session does otherwise, and one line for what passed', async () => {
    const both = report([
      ...['a', 'b'].map((name) => session(name, { turns: EDITED_TURNS })),
      STEADY,
      session('calm', { turns: STEADY.turns }),
    ]);
    await using opened = await open(await onDisk(both));
    const { page } = opened;
    await page.getByRole('heading', { level: 1, name: 'One edit changed 2 of 4 sessions' }).waitFor();
    await page.getByRole('heading', { level: 2, name: 'System prompt, line 2' }).waitFor();
    await expect.poll(() => page.locator('.line-diff').count()).toBe(1);
    await expect.poll(() => page.locator('.line-diff ins b').innerText()).toBe('half of it');
    // What is to be typed is whole.
    const choices = page.getByRole('list', { name: 'What to do' });
    await expect.poll(() => choices.locator('code').first().innerText()).toBe('npx agent-replay accept');
    const row = page.getByRole('link', { name: /^a recorded|^a / }).first();
    await expect.poll(() => row.innerText()).toMatch(/refund_order\.amount[\s\S]*118\.4[\s\S]*59\.2[\s\S]*5 of 5/);
    // Of one verdict all rows are alike.
    expect(await row.innerText()).not.toContain('changed');
    await page.getByText('2 sessions are as recorded').click();
    await page.getByRole('link', { name: /steady/ }).click();
    await page.getByRole('heading', { level: 1, name: 'steady' }).waitFor();
  });

  test('where sessions of one cause have several verdicts each row says its own, and a run shows only what is known of it', async () => {
    await using opened = await open(await onDisk(report(Object.values(SESSIONS))));
    const { page } = opened;
    const counts = page.locator('.card').first().locator('.row .count');
    await expect
      .poll(() => counts.allInnerTexts())
      .toEqual(['changed: 5 of 5 differ', 'varies: 5 of 5 differ', 'varies: 2 of 5 differ']);
    await page.evaluate(() => {
      location.hash = 'session=id-two-parcels';
    });
    await page.getByText('Figures and runs').click();
    await expect.poll(() => page.locator('.figures th').allInnerTexts()).toEqual(['run', 'result', 'behaviour']);
    // What a problem says ends the page where it ends.
    const hostile = await onDisk(hostileReport(PAYLOADS.join(' ')));
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(hostile);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const tail = await page.evaluate(
      () =>
        document.documentElement.scrollHeight - (document.querySelector('.about')?.getBoundingClientRect().bottom ?? 0),
    );
    expect(tail).toBeLessThan(200);
  });

  test.for([
    ['light', 1280],
    ['dark', 360],
  ] as const)('axe finds nothing in it: %s, %i wide', async ([colorScheme, width]) => {
    const written = report([...Object.values(SESSIONS), TALK, session('refund', FORKED_TURNS)]);
    await using opened = await open(await onDisk(written, [TALK]), { colorScheme, viewport: { width, height: 800 } });
    const { page } = opened;
    const isFine = async (state: string) => {
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      const { sizes, faces } = await typography(page);
      // Letters are of one scale and two typefaces.
      const odd = [...sizes.filter((size) => !SCALE.includes(size)), ...faces.slice(2)];
      expect({ state, over: Math.max(0, over), odd, found: await violations(page) }).toEqual({
        state,
        over: 0,
        odd: [],
        found: [],
      });
    };
    await page.getByText('About this run').click();
    await isFine('the start');
    for (const id of ['id-two-parcels', 'id-tent-warranty', 'id-talk', 'id-refund', 'id-parcel-on-its-way']) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, `session=${id}`);
      await page.getByText('Figures and runs').click();
      await isFine(id);
    }
    await page.evaluate(() => {
      location.hash = 'session=id-talk&turn=3&view=run';
    });
    await page.getByRole('region', { name: 'Observations' }).waitFor();
    await isFine('a whole run');
  });

  test('a session says what and why on the first screen, and how each run went as a dot that opens that run', async () => {
    await using opened = await open(await onDisk(FORKED, [session('refund', FORKED_TURNS)]), {
      viewport: { width: 1440, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = opened;
    const [what, why] = ['What', 'Why'].map((name) => page.getByRole('region', { name, exact: true }));
    await expect.poll(() => what?.getByRole('heading').innerText()).toMatch(/refund_order\.amount.*118\.4.*59\.2/s);
    await expect.poll(() => why?.innerText()).toContain('Likely the model');
    const dots = page.getByRole('list', { name: 'Runs of turn 1' }).getByRole('button');
    await expect.poll(() => dots.allInnerTexts()).toEqual(['●', '●', '✘', '✘', '✘']);
    for (const part of [what, why, dots.first(), lanesOf(page).getByRole('row').first(), right(page).first()]) {
      const { y = 0, height = 0 } = (await part?.boundingBox()) ?? {};
      expect(y).toBeGreaterThan(0);
      expect(y + height).toBeLessThan(900);
    }
    // The page itself stands still.
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(900);
    await using many = await open(`${await onDisk(MANY)}#session=id-session-0000`, {
      viewport: { width: 1024, height: 900 },
    });
    await many.page.getByRole('region', { name: 'What', exact: true }).waitFor();
    expect(await many.page.evaluate(() => document.documentElement.scrollHeight)).toBe(900);
    await page.getByRole('button', { name: 'run 5: fail, C send_mail: no call' }).click();
    await detailOf(page).getByRole('button', { name: 'C run 5', pressed: true }).waitFor();
    await detailOf(page).getByText('trace-6', { exact: true }).waitFor();
    expect(page.url()).toContain('run=5');
    await page.getByRole('button', { name: 'Copy rerun command' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      'npx agent-replay run replays/refund.session.json --runs 5',
    );
  });

  test('in a conversation the rail, the lanes, the head and the detail are of one turn, with the words of its user; n leads through all', async () => {
    await using opened = await open(await onDisk(report([TALK]), [TALK]));
    const { page } = opened;
    const rail = page.getByRole('navigation', { name: 'Conversation' });
    const isAt = async (turn: number, asked: string, step: string) => {
      await page.locator('.asked', { hasText: asked }).waitFor();
      await page.getByRole('region', { name: `Recorded and replayed steps of turn ${turn}` }).waitFor();
      await page.getByRole('region', { name: 'What', exact: true }).getByText(`turn ${turn} of 3`).waitFor();
      await rail.locator('[aria-current]', { hasText: asked }).waitFor();
      await detailOf(page).getByRole('heading', { name: step }).waitFor();
    };
    await isAt(2, 'Then refund it, please', 'Step 5 call refund_order');
    await page.keyboard.press('n');
    await isAt(2, 'Then refund it, please', 'Step 6 result refund_order');
    await page.keyboard.press('n');
    await isAt(3, 'And draw a tent', 'Step 1 call draw');
    await page.keyboard.press('p');
    await isAt(2, 'Then refund it, please', 'Step 6 result refund_order');
    await rail.getByRole('button', { name: /Where is it/ }).click();
    await page.getByText('As recorded in 2 of 2 runs').waitFor();
    await page.goBack();
    await isAt(2, 'Then refund it, please', 'Step 6 result refund_order');
    await page.reload();
    await isAt(2, 'Then refund it, please', 'Step 6 result refund_order');
  });

  test('the lanes show a line for each step, changed values in it, what is the same folded; a behaviour is chosen above them', async () => {
    await using opened = await open(await onDisk(FORKED));
    const { page } = opened;
    const lanes = lanesOf(page);
    await lanes.getByRole('button', { name: 'steps 1 to 4 are the same' }).waitFor();
    const row = lanes.getByRole('row', { name: /5 call refund_order/ });
    await expect.poll(() => row.locator('del').allInnerTexts()).toEqual(['118.4']);
    await expect.poll(() => row.locator('ins').allInnerTexts()).toEqual(['59.2']);
    await lanes.getByRole('button', { name: 'steps 1 to 4 are the same' }).click();
    await lanes.getByRole('row', { name: /1 call get_order/ }).waitFor();
    await lanes.getByRole('button', { name: /^C send_mail: no call/ }).click();
    await lanes
      .getByRole('row', { name: /7 call send_mail/ })
      .getByText('not replayed')
      .waitFor();
    await lanes.getByRole('button', { name: /^B .*2 of 5 runs, differs from step 5 on/ }).waitFor();
    expect(opened.errors).toEqual([]);
  });

  test('the address of a session opens it, and what kept it from being judged', async () => {
    await using opened = await open(`${await onDisk(REPORTS.mixed)}#session=id-tent-warranty`);
    await opened.page.getByRole('heading', { level: 1, name: /tent-warranty/ }).waitFor();
    await opened.page.locator('.problem code', { hasText: 'TRACE_MISSING' }).waitFor();
  });

  test('a thousand sessions are listed in groups, Tab stops once, and searching acts at once', async () => {
    await using opened = await open(`${await onDisk(MANY)}#session=id-session-0000`);
    const { page } = opened;
    const list = page.getByRole('navigation', { name: 'Sessions' });
    await list.getByText('1000 sessions').waitFor();
    await list.getByRole('heading', { name: 'Varies · 100' }).waitFor();
    expect(await list.locator('.long-list [tabindex="0"]').count()).toBe(1);
    await page.keyboard.press('/');
    await page.keyboard.type('varies session-09');
    await list.getByText('10 of 1000 sessions').waitFor();
    await expect.poll(() => list.getByRole('link', { name: /as recorded/ }).count()).toBe(0);
  });

  test('with the keyboard alone one gets to any session', async () => {
    await using opened = await open(`${await onDisk(MANY)}#session=id-session-0000`);
    const { page } = opened;
    await page.keyboard.press('/');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('label')?.textContent))
      .toBe('Search sessions');
    await page
      .getByRole('link', { name: /session-/ })
      .first()
      .focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('session-0999');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /session-0999/ }).click();
    await page.keyboard.press('k');
    await page.getByRole('heading', { level: 1, name: /session-0998/ }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('next difference').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('the difference is side by side at once with its real ids, and n and p go on and back', async () => {
    await using opened = await open(await onDisk(FORKED));
    const { page } = opened;
    await detailOf(page).getByRole('heading', { name: 'Step 5 call refund_order' }).waitFor();
    await expect.poll(() => left(page).allInnerTexts()).toEqual(['118.4']);
    await expect.poll(() => right(page).allInnerTexts()).toEqual(['59.2']);
    await page.keyboard.press('n');
    await detailOf(page).getByRole('heading', { name: 'Step 6 result refund_order' }).waitFor();
    // The chosen row keeps its colour and its bar under the pointer.
    const number = page.locator('.line-row[aria-current] button');
    await number.hover();
    expect(await number.evaluate((each) => getComputedStyle(each).backgroundColor)).toBe('rgba(0, 0, 0, 0)');
    const shown = await detailOf(page).locator('.both').innerText();
    expect(shown).toContain(ID);
    expect(shown).not.toContain('.hex#1>');
    await expect
      .poll(() => detailOf(page).locator('.id').first().getAttribute('title'))
      .toContain('the id of refund_order');
    await page.keyboard.press('p');
    await detailOf(page).getByRole('heading', { name: 'Step 5 call refund_order' }).waitFor();
  });

  test('on a phone a session is one column without its list, and the way back leads to the start', async () => {
    await using opened = await open(await onDisk(report([session('one', FORKED_TURNS), STEADY]), [STEADY]), {
      viewport: { width: 390, height: 844 },
    });
    const { page } = opened;
    await page.getByRole('link', { name: /^one/ }).click();
    await page.getByRole('region', { name: 'What', exact: true }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Sessions' }).isVisible()).toBe(false);
    await lanesOf(page)
      .getByRole('row', { name: /6 result/ })
      .click();
    await detailOf(page)
      .getByRole('heading', { name: /Step 6/ })
      .waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await page.getByRole('link', { name: '← All sessions' }).click();
    await page.getByRole('heading', { level: 1 }).getByText('sessions').waitFor();
  });

  test('printed, the start and every session that is not as recorded are there whole, or the chosen one', async () => {
    const written = report([session('one', FORKED_TURNS), TALK, STEADY]);
    await using opened = await open(await onDisk(written, [TALK]));
    const { page } = opened;
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => page.getByRole('article').count()).toBe(2);
    await expect.poll(() => page.getByRole('button', { name: /^Copy/ }).filter({ visible: true }).count()).toBe(0);
    const paper = page.locator('main');
    expect(await paper.getByRole('article').locator('.badge').allInnerTexts()).toEqual(['✘ changed', '✘ varies']);
    await paper.getByText('Then refund it, please').first().waitFor();
    await paper.getByText('And draw a tent').first().waitFor();
    await paper.getByRole('heading', { name: 'Step 5 call refund_order' }).first().waitFor();
    for (const part of ['.middle', '.lanes', '.both']) {
      for (const box of await page.locator(part).all()) {
        expect([
          part,
          await box.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight <= 1),
        ]).toEqual([part, true]);
      }
    }
    await page.emulateMedia({ media: null });
    const pages = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type \/Page\b/g);
    expect(pages?.length).toBeGreaterThanOrEqual(3);
    await page.getByRole('link', { name: /^one/ }).first().click();
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => page.getByRole('article').count()).toBe(1);
  });

  test('a divergence at step 5401 of 10001 is on the page, and what is folded around it opens a part at a time', async () => {
    await using opened = await open(await onDisk(LONG));
    const lanes = lanesOf(opened.page);
    await lanes.getByRole('row', { name: /5401 call get_order/ }).waitFor();
    await lanes.getByRole('button', { name: 'steps 1 to 5400 are the same' }).click();
    await lanes.getByRole('row', { name: /^2 result/ }).waitFor();
    await lanes.getByRole('row', { name: /^5400 result/ }).waitFor();
    await lanes.getByRole('button', { name: 'steps 101 to 5300 are the same' }).waitFor();
    await expect.poll(() => lanes.getByRole('row').count()).toBeLessThan(220);
    await lanes.getByRole('button', { name: 'steps 5402 to 10001 are the same' }).waitFor();
  });

  test('an image is an image, nothing is loaded, and no base64 is read', async () => {
    await using opened = await open(await onDisk(PICTURES));
    const { page } = opened;
    await lanesOf(page)
      .getByRole('button', { name: /result draw/ })
      .click();
    const panel = detailOf(page);
    const image = panel.getByRole('img', { name: /image\/png/ }).first();
    await image.waitFor();
    expect(await image.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBe(1);
    expect(await page.locator('body').innerText()).not.toContain('iVBORw0KGgo');
    expect(opened.errors).toEqual([]);
    expect(opened.requests.filter((url) => !url.startsWith('data:'))).toEqual([]);
  });

  test('every run can be looked into: its observations as a tree, their times, tokens and cost, and what went in and out', async () => {
    await using opened = await open(`${await onDisk(report([STEADY]), [STEADY])}#session=id-steady&view=run`);
    const { page } = opened;
    const panel = detailOf(page);
    await panel.getByRole('button', { name: 'the recording' }).click();
    await panel
      .getByText(/^[\d.]+ s · 10 observations · 1,800 tokens in, 125 out · \$0\.0050 · gpt-4o-mini$/)
      .waitFor();
    await panel.getByRole('button', { name: 'runs 1-2' }).click();
    await panel.getByText('trace-2', { exact: true }).waitFor();
    await panel.getByRole('button', { name: /tool refund_order/ }).click();
    const observation = panel.getByRole('region', { name: 'Observation' });
    await expect
      .poll(() => observation.getByRole('heading', { level: 3 }).innerText())
      .toMatch(/refund_order tool · from .* · steps 5, 6/);
    await expect
      .poll(() => observation.locator('.value').first().innerText())
      .toMatch(/^\{\s+"id": "ORD-118",\s+"amount": 118\.4\s+\}$/);
    expect(await violations(page)).toEqual([]);
    expect(opened.errors).toEqual([]);
    expect(opened.requests).toEqual([]);
  });

  test('what a report cuts opens, and where the whole is not there it says so', async () => {
    const told = (end: string): Play => ({ acts: [], answer: `${'a long answer '.repeat(1_000)}${end}` });
    const long = session('long', { turns: [played([told('yes')], [told('no')])] });
    await using opened = await open(await onDisk(report([long]), [long]));
    await expect.poll(() => right(opened.page).allInnerTexts()).toEqual(['no']);
    await using alone = await open(await onDisk(report([long])));
    await alone.page
      .getByText('The left side is cut: 600 of 14003 characters are here. The whole is in the traces of the run.')
      .waitFor();
  });

  test('the raw trace of a run is copied whole; what is cut of it says so, and where it is when the report had no room', async () => {
    const listing = (end: string): Play => ({
      acts: [{ tool: 'list', args: {}, result: `${'one more line of it, '.repeat(2_500)}${end}` }],
      answer: 'Here.',
    });
    const long = session('long', { turns: [played([listing('yes')], [listing('no')])] });
    const permissions = ['clipboard-read', 'clipboard-write'];
    await using opened = await open(await onDisk(report([long]), [long]), { permissions });
    const { page } = opened;
    const panel = detailOf(page);
    await page.getByRole('tab', { name: 'Whole run' }).click();
    await panel.getByRole('button', { name: 'run 1' }).click();
    await panel.getByRole('button', { name: /tool list/ }).click();
    await panel.getByText('20,000 of 52,502 characters are here; the raw trace has them all.').waitFor();
    await panel.getByRole('button', { name: 'Copy raw trace' }).click();
    await panel.getByRole('button', { name: 'Copied' }).waitFor();
    const raw = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as {
      observations: { name: string; output: string }[];
    };
    expect(raw.observations.find(({ name }) => name === 'list')?.output).toMatch(/no$/);
    expect(raw.observations.find(({ name }) => name === 'list')?.output).toHaveLength(52_502);

    const traces = tracesOf('long', long.turns).map((trace) => {
      const observations = trace.recording.observations.map((each) =>
        each.name === 'list' ? { ...each, output: noise(12 * 1024 ** 2).toString('base64') } : each,
      );
      return { ...trace, recording: { ...trace.recording, observations } };
    });
    const at = path.join(folder, `${randomUUID()}.html`);
    await writeFile(at, await renderHtml(report([long]), async () => traces));
    await using tight = await open(pathToFileURL(at).href);
    await tight.page.getByRole('tab', { name: 'Whole run' }).click();
    await tight.page.getByText('Where it was kept, it is in the folder traces').waitFor();
    expect([...opened.errors, ...tight.errors]).toEqual([]);
  });

  test('where no replay came the report holds what was recorded: its steps open, and its trace', async () => {
    await using project = await projectWith({ sessions: { one: 'a' }, agent: { env: { FAILS: '500' } } });
    expect((await command(['run'], { cwd: project.path })).code).toBe(2);
    await rm(path.join(project.path, '.agent-replay/traces'), { recursive: true });
    await using opened = await open(pathToFileURL(path.join(project.path, '.agent-replay/report.html')).href);
    const { page } = opened;
    await page.getByRole('button', { name: /call lookup/ }).click();
    await detailOf(page).getByText('"text": "a"').first().waitFor();
    await page.getByRole('tab', { name: 'Whole run' }).click();
    await detailOf(page).getByRole('region', { name: 'Observations' }).getByText('lookup').waitFor();
    expect(opened.errors).toEqual([]);
  });

  test('a value is shown by what it holds: JSON by its entries, a text with its lines, Markdown as it reads; or raw', async () => {
    const found = (end: string): Play => ({
      acts: [
        {
          tool: 'find',
          args: { q: 'tent' },
          result: { note: `first\n${end}`, hits: Array.from({ length: 30 }, (_, at) => at) },
        },
      ],
      answer: `# Tents\n\n- it is **${end}**`,
    });
    const turns = [played([found('in stock')], [found('sold out')])];
    await using opened = await open(await onDisk(report([session('s', { turns })])), {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = opened;
    const panel = detailOf(page);
    await lanesOf(page)
      .getByRole('button', { name: /result find/ })
      .click();
    const lefts = panel.locator('.half[data-side=left]');
    await panel
      .getByRole('button', { name: /lines the same$/ })
      .first()
      .waitFor();
    const folded = await lefts.count();
    const onlyLeft = panel.locator('.half[data-side=left][data-same=false] del');
    await expect.poll(() => onlyLeft.allInnerTexts()).toEqual(['in stock']);
    await panel
      .getByRole('button', { name: /lines the same$/ })
      .first()
      .click();
    await expect.poll(() => lefts.count()).toBeGreaterThan(folded);
    await panel.getByRole('button', { name: 'Copy', exact: true }).first().click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('"note":"first\\nin stock"');
    await lanesOf(page)
      .getByRole('button', { name: /answer/ })
      .click();
    await panel
      .locator('[data-block=heading]', { hasText: /^Tents$/ })
      .first()
      .waitFor();
    await panel
      .locator('.half[data-side=left] b, .half[data-side=left] del', { hasText: 'in stock' })
      .first()
      .waitFor();
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

  test('two different tools at one place are not compared argument by argument', async () => {
    const call = (tool: string): Play => ({
      acts: [{ tool, args: { order: 'FO-1', amount: 5 }, result: 'ok' }],
      answer: 'Done.',
    });
    const turns = [played([call('refund_order')], [call('create_ticket')])];
    await using opened = await open(await onDisk(report([session('s', { turns })])));
    const { page } = opened;
    await page
      .getByRole('region', { name: 'What', exact: true })
      .getByText(/create_ticket instead of refund_order/i)
      .waitFor();
    await detailOf(page)
      .getByRole('heading', { name: /Step 1 call/ })
      .waitFor();
    const marked = detailOf(page).locator('.both :is(del, ins)');
    await expect.poll(() => marked.allInnerTexts()).toEqual(['refund_order', 'create_ticket']);
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
    await page.getByRole('link', { name: /tent-warranty/ }).click();
    await page.getByRole('heading', { level: 1, name: 'tent-warranty' }).waitFor();
    const problem = page.locator('.problem').first();
    expect(
      await problem.evaluate((each) =>
        [...each.children].map(({ tagName, className }) => `${tagName} ${className}`.trim()),
      ),
    ).toEqual(['P', 'PRE log', 'P hint']);
  });

  test('what a coding agent needs is copied: what differs, why, and where to look, and never that it may accept', async () => {
    await using opened = await open(await onDisk(EDITED), { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = opened;
    await page.getByRole('button', { name: 'Copy prompt for coding agent' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const prompt = await page.evaluate(() => navigator.clipboard.readText());
    expect(prompt).toContain('"cause":{"kind":"agent","line":{"of":"system prompt","number":2,');
    expect(prompt).toContain('"recorded":"Refund the full price.","replayed":"Refund half of it."');
    expect(prompt).toContain('npx agent-replay run replays/refund.session.json --runs 5');
    expect(prompt).toContain('"what":"step 5: refund_order.amount: 118.4 → 59.2"');
    expect(prompt).not.toContain('accept');
  });

  test('hostile texts are shown as the texts they are', async () => {
    const text = PAYLOADS.join(' ');
    await using opened = await open(await onDisk(hostileReport(text)));
    const { page } = opened;
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('j');
    await page.getByRole('article').waitFor();
    await page.evaluate(() => {
      for (const part of document.querySelectorAll('details')) part.open = true;
    });
    expect(opened.errors).toEqual([]);
    expect(opened.requests).toEqual([]);
    await expect
      .poll(() => page.locator('img, iframe, main a[href^=http], script:not(#data):not([type=module])').count())
      .toBe(0);
    const shown = await page.locator('body').innerText();
    expect(shown).toContain('<script>alert(1)</script>');
    expect(shown).toContain('\\u202egnp.exe');
    expect(shown).not.toMatch(/[\u202e\u200b\u0000]/);
  });
});
