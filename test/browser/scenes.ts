import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import type { JsonObject } from '../../src/json/index.ts';
import type { Report, SessionOutcome } from '../../src/report/index.ts';
import { pinOf } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';
import { outcomes } from '../outcomes.ts';
import { hostileReport, PAYLOADS } from '../report/fixtures/hostile.ts';
import { drawn, type Play, played, tracesOf } from '../report/fixtures/played.ts';
import { AS_BEFORE, REPORTS, report, SESSIONS, session, turn } from '../report/fixtures/reports.ts';
import { renderHtml } from '../report/rendered.ts';
import { exchanges, KEYS, platform, serve } from '../tracing/platform-server.ts';
import { served, uiWith } from '../ui/project.ts';
import { COMMENTS } from './comments.ts';
import type { Scene, Take } from './scene.ts';

/** Every state that the page, the report and the comment can be in, made by the real product. */

const EXAMPLE = path.join(import.meta.dirname, '../../examples/support-agent');

/** A project's folder is named as a user would name it. */
const FOLDER = 'support-agent';

/** The example agent with these variables, its pins, and its page. */
async function shop(env: object, config: object = {}, pins = 'replays') {
  const folder = await folderWith({
    [`${FOLDER}/agent-replay.config.json`]: JSON.stringify({
      agent: {
        id: 'support',
        command: `"${process.execPath}" "${path.join(EXAMPLE, 'demo.ts')}"`,
        url: 'http://127.0.0.1:{port}/replay',
        env,
      },
      runs: 5,
      compare: {
        tools: {
          search_help_articles: { readOnly: true },
          refund_order: { mutating: true },
          create_ticket: { mutating: true },
        },
      },
      ...config,
    }),
  });
  const inside = path.join(folder.path, FOLDER);
  await cp(path.join(EXAMPLE, pins), path.join(inside, 'replays'), { recursive: true });
  await cp(path.join(EXAMPLE, 'prompts'), path.join(inside, 'prompts'), { recursive: true });
  return served({ path: inside, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() });
}

const EDITED = { SYSTEM_PROMPT_FILE: path.join(EXAMPLE, 'prompts/system-v2.md') };
const WARM = { TEMPERATURE: '1' };

async function run(page: Page, runs?: number): Promise<void> {
  await page.getByRole('form', { name: 'Replay' }).waitFor();
  if (runs !== undefined) {
    await page.getByLabel('How it is run').click();
    await page.getByLabel('N runs').fill(String(runs));
  }
  await page.getByRole('button', { name: /^Run \d+×$/ }).click();
}

async function ran(page: Page, runs?: number): Promise<void> {
  await run(page, runs);
  await page.locator('#result').waitFor();
  // The list shows it, too.
  await page.locator('.sessions [aria-current] .sign[data-tone]').waitFor({ state: 'attached' });
}

/** The result of one session, and its details. */
function resultOf(env: object, id: string, { runs = 5, config = {}, pins = 'replays' } = {}): Scene {
  return async (open, take) => {
    await using project = await shop(env, config, pins);
    await using tab = await open(project.at(id));
    await ran(tab.page, runs);
    await take(tab.page);
    await tab.page.getByRole('tab', { name: 'Whole run' }).first().click();
    await tab.page.getByRole('region', { name: 'Observations' }).first().waitFor();
    await take(tab.page, 'whole-run');
    const accept = tab.page.getByRole('button', { name: 'Accept' });
    if (!(await accept.isVisible()) || !(await accept.isEnabled())) return;
    await accept.click();
    await take(tab.page, 'accept');
  };
}

/** What so many calls cost. */
const usageOf = (calls: number) => ({ ...REPORTS.mixed.evidence.usage, calls, cost: calls * 0.0023 });

/** A report as a file, opened from disk. */
function reportOf(
  written: Report,
  sessions: readonly SessionOutcome[] = [],
  look?: (page: Page, take: Take) => Promise<void>,
): Scene {
  return async (open, take) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'agent-replay-html-'));
    try {
      const file = path.join(folder, `${randomUUID()}.html`);
      const kept = sessions.flatMap(({ id, turns }) => tracesOf(id, turns));
      const read = async (id: string) => kept.filter(({ session }) => session === id);
      await writeFile(file, await renderHtml(written, read, () => ['prompts/support.md:2']));
      await using tab = await open(pathToFileURL(file).href);
      await take(tab.page);
      await look?.(tab.page, take);
    } finally {
      await rm(folder, { recursive: true });
    }
  };
}

const refunding = (amount: number, id: string, withMail = true): Play => ({
  acts: [
    {
      tool: 'get_order',
      args: { id: 'ORD-118' },
      result: { id: 'ORD-118', total: 118.4, items: ['kettle', 'filter'] },
    },
    { tool: 'search_policy', args: { query: 'refund broken kettle' }, result: 'Within 30 days of delivery, in full.' },
    { tool: 'refund_order', args: { id: 'ORD-118', amount }, result: { refund_id: id, amount } },
    ...(withMail ? [{ tool: 'send_mail', args: { refund: id, to: 'ada@example.org' }, result: 'sent' }] : []),
  ],
  answer: `I refunded ${amount} EUR for your kettle.`,
});
const ID = '9f86d081884c7d659a2feaa0c55ad015';
const other = (place: number) => ID.replaceAll('8', String(place));
const FORKED = session('refund', {
  title: 'Refund of a broken kettle',
  agentId: 'support',
  turns: [
    played(
      [{ ...refunding(118.4, ID), system: 'You help.\nRefund the full price.' }],
      [
        refunding(118.4, other(1)),
        refunding(118.4, other(2)),
        refunding(59.2, other(3)),
        refunding(59.2, other(4)),
        refunding(118.4, other(5), false),
      ].map((play) => ({ ...play, system: 'You help.\nRefund the full price.' })),
    ),
  ],
});
const CHANGED = session('kettle', {
  title: 'A kettle that broke after a week',
  agentId: 'support',
  turns: [
    played(
      [{ ...refunding(118.4, ID), system: 'You help.\nRefund the full price.' }],
      [1, 2, 3, 4, 5].map((place) => ({ ...refunding(59.2, other(place)), system: 'You help.\nRefund half of it.' })),
    ),
  ],
});

const LIVE_TURN = played(
  [refunding(118.4, ID), refunding(118.4, other(1)), refunding(118.4, other(2), false)],
  [3, 4, 5, 6, 7].map((place) => refunding(118.4, other(place), place < 6)),
  { shift: AS_BEFORE },
);
Object.assign(LIVE_TURN.comparison, { verdict: outcomes.asRecorded, divergence: null });
LIVE_TURN.comparison.figures.asRecorded = 5;
/** Its replays vary as its recordings do. */
const LIVE = session('live', { title: 'Refund of a broken kettle', gate: 'shift', turns: [LIVE_TURN] });

const PAGES = ['orders', 'invoices', 'shipments', 'returns'];
const walk = (at: readonly number[] = []): Play => ({
  acts: Array.from({ length: 100 }, (_, page) => ({
    tool: `list_${PAGES[page % PAGES.length]}`,
    args: { page: at.includes(page) ? page + 1 : page, size: 50 },
    result: { page, more: true },
  })),
  answer: 'That was all of it.',
});
const LONG = session('two-hundred-steps', {
  turns: [played([walk()], [walk(), walk([70]), walk([70, 90]), walk([12]), walk()])],
});

const catalogue = (price: number, note: string): Play => ({
  acts: [
    {
      tool: 'search_catalogue',
      args: {
        query: 'tent',
        filters: { people: 2, season: ['spring', 'summer'], price: { max: price } },
        sort: 'rating',
      },
      result: Array.from({ length: 40 }, (_, index) => ({
        sku: `TENT-${index}`,
        name: `Tent for ${(index % 4) + 1} people`,
        price: index === 23 ? price : 99 + index,
        attributes: {
          weight_grams: 1_800 + index * 10,
          seasons: 3,
          note: index === 23 ? note : 'Freestanding, two doors, poles of aluminium.',
        },
      })),
    },
  ],
  answer: `The best tent below ${price} EUR is TENT-23. ${'It is light and dry, and stands in any wind. '.repeat(20)}${note}`,
});
const JSONS = session('long-json', {
  turns: [
    played(
      [catalogue(180, 'Sold out.')],
      [1, 2, 3].map(() => catalogue(200, 'In stock, ships today.')),
    ),
  ],
});

const IMAGES = session('pictures', {
  turns: [played([drawn('a blue tent')], [drawn('a red tent'), drawn('a red tent')])],
});

const TURNS = session('several-turns', {
  title: 'A conversation of four turns',
  turns: [
    played(
      [refunding(118.4, ID)],
      [refunding(118.4, other(1)), refunding(118.4, other(2)), refunding(118.4, other(3))],
    ),
    played([drawn('a blue tent')], [drawn('a blue tent'), drawn('a blue tent'), drawn('a red tent')], { turn: 2 }),
    played(
      [catalogue(180, 'Sold out.')],
      [1, 2, 3].map(() => catalogue(180, 'Sold out.')),
      { turn: 3 },
    ),
    played([refunding(118.4, ID)], [refunding(59.2, other(1)), refunding(59.2, other(2)), refunding(59.2, other(3))], {
      turn: 4,
    }),
  ],
});

/** Sixty sessions of ten runs, each with what its runs did. */
const SIXTY = Array.from({ length: 60 }, (_, index) =>
  session(`session-${String(index).padStart(2, '0')}`, {
    title: ['Refund of a kettle', 'Where is my parcel', 'A tent that leaks', 'Two orders in one'][index % 4] as string,
    agentId: ['support', 'refunds'][index % 2] as string,
    turns: [
      played(
        [refunding(118.4, ID)],
        Array.from({ length: 10 }, (_, run) =>
          refunding(index % 7 === 0 && run % 3 === 0 ? 59.2 : 118.4, other(run % 8), !(index % 5 === 0 && run > 6)),
        ),
      ),
    ],
  }),
);

const bodies = (file: string) => exchanges(file).map(({ response }) => response.body as JsonObject);
const STORED = { traces: [...bodies('v4-dual.trace-get-1'), ...bodies('v4-dual.trace-get-2')] };

export const SCENES = {
  'page-first-visit': async (open, take) => {
    await using project = await shop(EDITED);
    await using tab = await open(project.url);
    await tab.page
      .getByRole('link', { name: /not run here/ })
      .first()
      .waitFor();
    await take(tab.page);
    await tab.page.getByRole('button', { name: 'Keys' }).click();
    await take(tab.page, 'keys');
    await tab.page.keyboard.press('Escape');
    await tab.page.getByRole('button', { name: /^Run all \d$/ }).click();
    await tab.page.getByRole('button', { name: 'Cancel' }).waitFor();
    await take(tab.page, 'running');
    await tab.page.getByRole('button', { name: /^Run all \d$/ }).waitFor();
    await tab.page.getByText('not run here').waitFor({ state: 'detached' });
    await take(tab.page, 'ran');
    await tab.page.getByLabel('Session id').fill('kettle');
    await tab.page.getByRole('heading', { name: /found$/ }).waitFor();
    await take(tab.page, 'searched');
  },
  'page-chosen': async (open, take) => {
    await using project = await shop({});
    await using tab = await open(project.at('small-refund'));
    await tab.page.getByRole('form', { name: 'Replay' }).waitFor();
    await tab.page.locator('.sessions [aria-current]').waitFor();
    await take(tab.page);
    await tab.page.getByLabel('How it is run').click();
    await tab.page.getByLabel('Target URL (replay_url)').fill('https://staging.example.org/agents/support');
    await take(tab.page, 'how');
    await tab.page.getByRole('button', { name: /^Run \d+×$/ }).click();
    await take(tab.page, 'edited-url');
  },
  'page-running': async (open, take) => {
    await using project = await uiWith({ sessions: { slow: ['a', 'hang'] }, config: { runs: 3, workers: 1 } });
    await using tab = await open(project.at('slow'));
    await run(tab.page);
    await tab.page.getByText('3 of 6 replays finished').or(tab.page.getByText('1 of 6 replays finished')).waitFor();
    await take(tab.page);
    await tab.page.getByRole('button', { name: 'Cancel' }).click();
    await tab.page.locator('#result').waitFor();
    await take(tab.page, 'cancelled');
  },
  'page-reproduced': resultOf({}, 'small-refund'),
  'page-changed': resultOf(EDITED, 'small-refund'),
  'page-flaky': resultOf(WARM, 'broken-kettle', { runs: 10 }),
  'page-varies': resultOf(WARM, 'tent-warranty', { runs: 10, pins: 'live' }),
  'page-shift': resultOf({ ...WARM, ...EDITED }, 'small-refund', { runs: 10, pins: 'live' }),
  'page-error': async (open, take) => {
    await using project = await uiWith({
      sessions: { one: 'a' },
      agent: { env: { FAILS: '500', CRASHES: '1' } },
      config: { workers: 1 },
    });
    await using tab = await open(project.at('one'));
    await ran(tab.page, 3);
    await take(tab.page);
  },
  'page-unreachable': async (open, take) => {
    await using folder = await folderWith({ 'replays/one.session.json': JSON.stringify(pinOf('one', ['a'])) });
    const server = createServer((_, response) => response.writeHead(500).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await using project = await served(folder);
    await using tab = await open(project.at('one'));
    const { page } = tab;
    await page.getByRole('form', { name: 'Replay' }).waitFor();
    await take(page, 'no-target');
    await page.getByLabel('Target URL (replay_url)').fill(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Run \d+×$/ }).click();
    await page.getByText('The agent is not ready yet').waitFor();
    await take(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('finished').first().waitFor();
    server.closeAllConnections();
    server.close();
    await take(page, 'cancelled');
  },
  'page-nothing-synced': async (open, take) => {
    await using folder = await folderWith({});
    await using project = await served(folder);
    await using tab = await open(project.url);
    await tab.page.getByRole('heading', { name: 'No session is here yet' }).waitFor();
    await take(tab.page);
  },
  'page-synced': async (open, take) => {
    await using server = await serve(platform('dual', STORED));
    Object.assign(process.env, {
      TRACING_HOST: server.url,
      TRACING_PUBLIC_KEY: KEYS.publicKey,
      TRACING_SECRET_KEY: KEYS.secretKey,
    });
    await using folder = await folderWith({});
    await using project = await served(folder);
    await using tab = await open(project.url);
    const { page } = tab;
    await page.getByRole('combobox', { name: 'Sessions of' }).selectOption('the last year');
    await take(page, 'before');
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText(/^(\d+) of \1 sessions synced$/).waitFor();
    await page.getByRole('link', { name: /sess-parallel-001/ }).waitFor();
    await take(page);
    await page.getByRole('link', { name: /sess-parallel-001/ }).click();
    await page.getByText('synced, not pinned').waitFor();
    await take(page, 'chosen');
    for (const name of ['TRACING_HOST', 'TRACING_PUBLIC_KEY', 'TRACING_SECRET_KEY']) delete process.env[name];
  },
  'page-not-replayable': async (open, take) => {
    const unasked = { version: 1, id: 'unasked', turns: [{ recorded: { output: 'hello', observations: [] } }] };
    await using project = await uiWith({
      sessions: { steady: 'a' },
      files: { 'replays/unasked.session.json': JSON.stringify(unasked), 'replays/broken.session.json': '{' },
    });
    await using tab = await open(project.at('unasked'));
    await tab.page.getByText('Not replayable:').waitFor();
    await take(tab.page);
    await tab.page.goto(project.at('nobody'));
    await tab.page.getByText('NO_SESSIONS').waitFor();
    await take(tab.page, 'unknown');
  },
  'page-search': async (open, take) => {
    await using project = await shop({});
    await using tab = await open(`${project.origin}/search?search=kettle#token=${project.token}`);
    await tab.page.getByText(/^\d sessions?$/).waitFor();
    await take(tab.page);
    await tab.page.getByRole('searchbox').fill('zeppelin');
    await tab.page.getByText('0 sessions', { exact: true }).waitFor();
    await take(tab.page, 'nothing');
  },
  'page-turns': async (open, take) => {
    await using project = await shop(WARM);
    const pin = JSON.parse(await readFile(path.join(EXAMPLE, 'replays/two-parcels.session.json'), 'utf8')) as {
      id: string;
    };
    await using tab = await open(project.at(pin.id));
    await tab.page.getByRole('form', { name: 'Replay' }).waitFor();
    await take(tab.page, 'chosen');
    await ran(tab.page, 5);
    await take(tab.page);
  },
  'report-mixed': reportOf(REPORTS.mixed, Object.values(SESSIONS)),
  'report-passed': reportOf(REPORTS.passed),
  'report-error': reportOf(REPORTS.error),
  'report-nothing': reportOf(REPORTS.nothing),
  'report-interrupted': reportOf(REPORTS.interrupted),
  'report-flaky': reportOf(report([FORKED, CHANGED, SESSIONS.asRecorded]), [FORKED, CHANGED], async (page, take) => {
    await page.getByRole('link', { name: /kettle that broke/ }).click();
    await page.getByRole('region', { name: 'What', exact: true }).waitFor();
    await take(page, 'session');
    await page.getByRole('tab', { name: 'Whole run' }).click();
    await page.getByRole('region', { name: 'Observations' }).waitFor();
    await take(page, 'whole-run');
    await page.getByText('Figures and runs').click();
    await take(page, 'figures');
  }),
  'report-changed': reportOf(report([CHANGED]), [CHANGED], async (page, take) => {
    await page.emulateMedia({ media: 'print' });
    await take(page, 'print');
    await page.emulateMedia({ media: null });
  }),
  'report-varies': reportOf(report([LIVE]), [LIVE]),
  'report-200-steps': reportOf(report([LONG]), [LONG]),
  'report-long-json': reportOf(report([JSONS]), [JSONS]),
  'report-images': reportOf(report([IMAGES]), [IMAGES], async (page, take) => {
    await page.getByRole('button', { name: /result draw/ }).click();
    await page
      .getByRole('img', { name: /image\/png/ })
      .first()
      .waitFor();
    await take(page, 'step');
  }),
  'report-turns': reportOf(report([TURNS]), [TURNS]),
  'report-60x10': reportOf(report(SIXTY, { runs: 10, evidence: { usage: usageOf(600) } }), SIXTY),
  'report-hostile': reportOf(hostileReport(PAYLOADS.join(' '))),
  'report-many': reportOf(
    report(
      Array.from({ length: 500 }, (_, index) =>
        session(`session-${String(index).padStart(3, '0')}`, {
          turns: [
            index % 10 === 0
              ? turn({ verdict: outcomes.varies, clusters: [15, 5], requested: 20 })
              : turn({ verdict: outcomes.asRecorded, clusters: [20], requested: 20 }),
          ],
        }),
      ),
      { runs: 20, evidence: { usage: usageOf(10_000) } },
    ),
  ),
  ...COMMENTS,
} satisfies Record<string, Scene>;
