import { hash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, expect, test, vi } from 'vitest';
import { readSavedTargets } from '../../src/config/index.ts';
import type { JsonObject } from '../../src/json/index.ts';
import { runNumbers } from '../../src/report/index.ts';
import { freePort } from '../agent/processes.ts';
import { describeInBrowser, SCALE, typography, violations } from '../browser/chromium.ts';
import { pinOf } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';
import { PAYLOADS } from '../report/fixtures/hostile.ts';
import { exchanges, KEYS, platform, serve } from '../tracing/platform-server.ts';
import { served, uiWith } from './project.ts';

const run = (page: Page) => page.getByRole('button', { name: /^Run( \d+×)?$/ });
const result = (page: Page) => page.getByRole('region', { name: 'Result', exact: true });
const start = (page: Page) => page.getByRole('main');
const outcomes = (page: Page) =>
  // They lie behind the figures of the turn that is shown.
  result(page).locator('.figures td[data-tone]').allTextContents();
const chosen = (page: Page) => page.getByRole('region', { name: 'What is chosen' });

/** What was run before, which stands behind a tab where there is a result. */
async function pastResults(page: Page) {
  await result(page).waitFor();
  await page.getByRole('tab', { name: 'Session' }).click();
  return page.getByRole('region', { name: 'Past results' }).getByRole('button');
}

/** The state of a session that has been opened, as the page says it. */
async function opened(page: Page): Promise<void> {
  await page.getByRole('form', { name: 'Replay' }).waitFor();
}

/** How it is run, which stands behind the button. */
async function settings(page: Page): Promise<void> {
  const menu = page.locator('.run-bar details');
  if (!(await menu.evaluate((each: HTMLDetailsElement) => each.open))) await page.getByLabel('How it is run').click();
}

async function runs(page: Page, count: number): Promise<void> {
  await settings(page);
  await page.getByLabel('N runs').fill(String(count));
  await run(page).click();
}

/** A bar of the waterfall is as long as its time is of the whole run, within a few pixels. */
async function expectTrueBars(page: Page): Promise<void> {
  const bars = await chosen(page)
    .locator('.span-row')
    .evaluateAll((rows) =>
      rows.map((row) => ({
        ms: Number.parseFloat(row.querySelector('.span-time')?.textContent ?? ''),
        width: row.querySelector('.bar')?.getBoundingClientRect().width ?? 0,
        of: row.querySelector('.bar-box')?.getBoundingClientRect().width ?? 0,
      })),
    );
  const whole = Math.max(...bars.map(({ ms }) => ms));
  expect(bars.length).toBeGreaterThan(1);
  // Times are told in whole milliseconds.
  for (const { ms, width, of } of bars) expect(width).toBeLessThanOrEqual(((ms + 1) / whole) * of + 4);
}

/** What a result tells of its runs, once it is there. */
async function came(page: Page, expected: readonly string[]): Promise<void> {
  await expect.poll(() => outcomes(page)).toEqual(expected);
}

/** An agent that runs elsewhere, and traces to nobody. */
async function answering(output: string) {
  const agent = { asked: 0 };
  const server = createServer((request, response) => {
    // Whether it is there is asked as well.
    if (request.method === 'POST') agent.asked++;
    request.resume().on('end', () => response.end(JSON.stringify({ output })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(agent, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  });
}

/** A session of the example agent, in a project of its own. */
async function exampleProject(pin: string, config: object) {
  const pins = new URL('../../examples/support-agent/replays/', import.meta.url);
  const folder = await folderWith({
    'agent-replay.config.json': JSON.stringify(config),
    [`replays/${pin}.session.json`]: await readFile(new URL(`${pin}.session.json`, pins), 'utf8'),
  });
  return served(folder);
}

const bodies = (file: string) => exchanges(file).map(({ response }) => response.body as JsonObject);
const STORED = { traces: [...bodies('v4-dual.trace-get-1'), ...bodies('v4-dual.trace-get-2')] };

function usePlatform({ url }: { url: string }): void {
  vi.stubEnv('TRACING_HOST', url);
  vi.stubEnv('TRACING_PUBLIC_KEY', KEYS.publicKey);
  vi.stubEnv('TRACING_SECRET_KEY', KEYS.secretKey);
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describeInBrowser('the Reproducibility page in a browser', (open) => {
  test('a replayable session with a target URL can be run, and shows its request and recorded steps', async () => {
    await using project = await uiWith({ sessions: { one: 'a question' } });
    await using tab = await open(project.at('one'));
    const { page } = tab;
    await opened(page);
    await settings(page);
    await expect
      .poll(() => page.getByLabel('Target URL (replay_url)').inputValue())
      .toBe(`http://127.0.0.1:${project.port}/replay`);
    await page.getByText('agent-replay starts the agent, and receives its traces itself.').first().waitFor();
    await expect
      .poll(() => page.getByRole('region', { name: 'Recorded' }).innerText())
      .toMatch(/user\s+a question[\s\S]*call\s+lookup[\s\S]*answer/);
    await expect.poll(() => run(page).isEnabled()).toBe(true);
    // The token is not left where somebody could read it.
    expect(page.url()).not.toContain(project.token);
    // As often as configured, 1 to 20 times.
    await expect.poll(() => page.getByLabel('N runs').inputValue()).toBe('2');
    for (const count of ['0', '21', '1.5', '']) {
      await page.getByLabel('N runs').fill(count);
      await expect.poll(() => run(page).isDisabled()).toBe(true);
    }
  });

  test('what was recorded can be looked into without a run, and on the platform where it came from there', async () => {
    await using server = await serve(platform('dual', STORED));
    usePlatform(server);
    await using project = await uiWith({ sessions: { one: 'a' } });
    const lookInto = async (page: Page) => {
      await opened(page);
      const recorded = page.getByRole('region', { name: 'Recorded' });
      await recorded.getByText('The recorded run as a trace').first().click();
      await recorded.getByRole('region', { name: 'Observations' }).getByRole('button').first().waitFor();
      return recorded.getByRole('link', { name: 'Open it on the platform' });
    };
    await using pinned = await open(project.at('one'));
    expect(await (await lookInto(pinned.page)).count()).toBe(0);
    await using synced = await open(project.at('sess-parallel-001'));
    const link = await lookInto(synced.page);
    await expect.poll(() => link.getAttribute('href')).toMatch(`${server.url}/trace/`);
    expect(await violations(synced.page)).toEqual([]);
  });

  test('a session that is not replayable says why, and cannot be run', async () => {
    const unasked = { version: 1, id: 'unasked', turns: [{ recorded: { output: 'hello', observations: [] } }] };
    await using project = await uiWith({ files: { 'replays/unasked.session.json': JSON.stringify(unasked) } });
    await using tab = await open(project.at('unasked'));
    await opened(tab.page);
    await tab.page.getByText('Not replayable: it holds no message of a user').waitFor();
    await expect.poll(() => run(tab.page).isDisabled()).toBe(true);
  });

  test('without a target URL the page warns; one that is saved is there again, for the command too', async () => {
    await using folder = await folderWith({ 'replays/one.session.json': JSON.stringify(pinOf('one', ['a'])) });
    await using agent = await answering('answer to a');
    await using project = await served(folder);
    await using tab = await open(project.at('one'), { viewport: { width: 390, height: 844 } });
    const { page } = tab;
    await opened(page);
    // On a phone both the warning and all fields are in sight.
    await page.getByText('No target URL.').click({ trial: true });
    const menu = await page.locator('.run-bar .menu > div').boundingBox();
    expect(menu?.x).toBeGreaterThanOrEqual(0);
    expect((menu?.x ?? 0) + (menu?.width ?? 0)).toBeLessThanOrEqual(390);
    await page.getByRole('alert').getByText('No target URL.').waitFor();
    await expect.poll(() => run(page).isDisabled()).toBe(true);
    const url = page.getByLabel('Target URL (replay_url)');
    for (const [wrong, why] of [
      ['ftp://example.com/replay', 'has the scheme ftp'],
      ['localhost:3000/replay', 'has the scheme localhost'],
      ['//nowhere', 'is not a URL'],
      ['http://user:pw@127.0.0.1:3000/replay', 'holds a user name or a password'],
    ] as const) {
      await url.fill(wrong);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText(why).waitFor();
      await expect.poll(() => run(page).isDisabled()).toBe(true);
    }
    for (const right of ['http://[::1]:3000', `${agent.url}/replay`]) {
      await url.fill(right);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      // Where it comes from is read anew: until then the menu moves, and a click can miss.
      await page.getByText('Saved for this agent.').waitFor();
    }
    await page.getByText('responses only are compared').first().waitFor();
    await page.reload();
    await opened(page);
    await settings(page);
    expect(await url.inputValue()).toBe(`${agent.url}/replay`);
    await expect.poll(() => run(page).isEnabled()).toBe(true);
    expect(await readSavedTargets(folder.path)).toEqual(new Map([['', `${agent.url}/replay`]]));
    await runs(page, 2);
    await came(page, ['✔ pass', '✔ pass']);
    expect(agent.asked).toBe(2);
  });

  test('a target URL that is not saved is that of one run: Run calls no other one', async () => {
    await using saved = await answering('answer to a');
    await using entered = await answering('answer to a');
    await using folder = await folderWith({ 'replays/one.session.json': JSON.stringify(pinOf('one', ['a'])) });
    await using project = await served(folder);
    await using tab = await open(project.at('one'));
    const { page } = tab;
    await opened(page);
    const url = page.getByLabel('Target URL (replay_url)');
    await url.fill(`${saved.url}/replay`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await url.fill(`${entered.url}/replay`);
    await runs(page, 2);
    await came(page, ['✔ pass', '✔ pass']);
    expect([saved.asked, entered.asked]).toEqual([0, 2]);
    expect(await readSavedTargets(folder.path)).toEqual(new Map([['', `${saved.url}/replay`]]));
  });

  test('the first visit lists the sessions with their last result; a result has an address', async () => {
    await using project = await uiWith({
      sessions: { one: 'a', two: 'varies' },
      config: { runs: 2, workers: 1 },
    });
    await using tab = await open(project.url);
    const { page } = tab;
    await start(page).getByText('2 sessions, none run on this page yet').waitFor();
    await start(page)
      .getByRole('link', { name: /two.*varies.*not run here/ })
      .click();
    await opened(page);
    const sessions = page.getByRole('navigation', { name: 'Sessions' });
    await page.getByRole('button', { name: 'Run 2×' }).click();
    await result(page).waitFor();
    // The reader is taken to it, and it is in sight.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('result');
    expect((await page.locator('#result').boundingBox())?.y).toBeLessThan(400);
    await sessions.getByRole('link', { name: /two.*0.*1.*varies/ }).waitFor();
    const shown = page.url();
    expect(new URL(shown).searchParams.get('result')).toMatch(/^\d{8}T/);
    const isShown = expect.arrayContaining(['✔ pass', '✘ fail']);
    await page.reload();
    await expect.poll(() => outcomes(page)).toEqual(isShown);
    await page.goBack();
    await expect.poll(() => result(page).count()).toBe(0);
    await page.goForward();
    await expect.poll(() => outcomes(page)).toEqual(isShown);
    await sessions.getByLabel('Session id').fill('no such words');
    await sessions.getByText('0 sessions', { exact: true }).waitFor();
  });

  test('what a search finds is run, one session after another, and each row tells how it fared', async () => {
    await using project = await uiWith({
      sessions: { one: 'a', two: 'varies', three: 'b' },
      config: { runs: 2, workers: 1 },
    });
    await using tab = await open(project.url);
    const { page } = tab;
    await page.getByLabel('Session id').fill('answer to');
    await start(page).getByText('2 sessions found').waitFor();
    await start(page).getByRole('button', { name: 'Run these 2' }).click();
    await start(page).getByText('2 sessions are as recorded').waitFor();
    await page.getByLabel('Session id').fill('');
    await start(page)
      .getByRole('link', { name: /two.*not run here/ })
      .waitFor();
    expect(project.leftovers()).toEqual([]);
  });

  test('from the first visit all sessions are run at once; it is told how far they are, and what differs by its cause', async () => {
    await using project = await uiWith({
      sessions: { one: 'a', two: 'varies' },
      config: { runs: 2, workers: 1 },
    });
    await using tab = await open(project.url);
    const { page } = tab;
    const main = start(page);
    await main.getByRole('button', { name: 'Run all 2' }).click();
    await main
      .getByRole('status')
      .filter({ hasText: /\d of 2|Starting|waits?/ })
      .first()
      .waitFor();
    await main.getByRole('heading', { level: 1, name: '1 of 2 sessions varies, 1 as recorded' }).waitFor();
    await main.getByText('1 session is as recorded').waitFor();
    await main.getByRole('link', { name: /two.*0.*1.*1 of 2/ }).click();
    await result(page).waitFor();
    expect(tab.errors).toEqual([]);
  });

  test('words and the session are in the address: reload, back and a shared link show the same', async () => {
    await using project = await uiWith({
      sessions: { one: 'a broken kettle', two: 'a tent', three: 'a kettle' },
    });
    await using tab = await open(project.url);
    const { page } = tab;
    await page.getByLabel('Session id').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('kettle');
    await start(page).getByText('2 sessions found').waitFor();
    await page.getByRole('button', { name: 'Open' }).focus();
    await page.keyboard.press('j');
    await opened(page);
    await page.keyboard.press('j');
    const shown = new URL(page.url()).searchParams;
    expect([shown.get('search'), shown.get('sessionId')]).toEqual(['kettle', expect.stringMatching(/one|three/)]);
    await page.goBack();
    await page.reload();
    const sessions = page.getByRole('navigation', { name: 'Sessions' });
    await expect.poll(() => sessions.getByRole('link').count()).toBe(2);
    expect(new URL(page.url()).searchParams.get('sessionId')).not.toBe(shown.get('sessionId'));
    await using shared = await open(`${project.origin}/search?search=tent#token=${project.token}`);
    await shared.page.getByText('1 session', { exact: true }).waitFor();
    await shared.page.getByRole('link', { name: /two/ }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('next session').waitFor();
  });

  test('an agent id that contradicts the session is told, and the session wins', async () => {
    const pin = { ...pinOf('one', ['a']), agentId: 'refunds' };
    await using project = await uiWith({ files: { 'replays/one.session.json': JSON.stringify(pin) } });
    await using tab = await open(project.at('one', 'parcels'));
    await tab.page.getByText('It is replayed against refunds').waitFor();
  });

  test('a steady agent: every run passes as it comes, and the result is kept', async () => {
    await using project = await uiWith({ sessions: { one: 'a' } });
    await using tab = await open(project.at('one'), { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = tab;
    await opened(page);
    await runs(page, 3);
    await result(page).waitFor();
    await expect.poll(() => outcomes(page)).toEqual(['✔ pass', '✔ pass', '✔ pass']);
    await result(page).getByText('As recorded in 3 of 3 runs').waitFor();
    await result(page).getByText('Figures and runs').click();
    await result(page).getByText('44 % to 100 %').waitFor();
    await result(page).getByText(/n = 3/).first().waitFor();
    // There is nothing to accept.
    expect(await page.getByRole('button', { name: 'Accept' }).count()).toBe(0);
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toContain('1 of 1 session as recorded');
    await runs(page, 1);
    await came(page, ['✔ pass']);
    // Both are kept, also for a page that is opened later.
    await page.reload();
    await (await pastResults(page)).nth(1).waitFor();
    await page.getByRole('button', { name: /3 of 3 as recorded/ }).click();
    await came(page, ['✔ pass', '✔ pass', '✔ pass']);
    expect(tab.errors).toEqual([]);
    expect(project.leftovers()).toEqual([]);
  });

  test('a wandering agent: which run failed, where they part, both sides; what does not agree is not accepted', async () => {
    await using project = await uiWith({ sessions: { one: 'varies' }, config: { workers: 1 } });
    await using tab = await open(project.at('one'));
    const { page } = tab;
    await opened(page);
    await runs(page, 4);
    await result(page).waitFor();
    await expect.poll(() => outcomes(page)).toEqual(expect.arrayContaining(['✔ pass', '✘ fail']));
    const told = await outcomes(page);
    await result(page)
      .getByRole('list', { name: 'Runs of turn 1' })
      .getByRole('button', { name: /fail, B/ })
      .first()
      .waitFor();
    const sides = chosen(page).locator('.both');
    await expect.poll(() => sides.locator('[data-side=left] del').allInnerTexts()).toEqual(['0']);
    await expect.poll(() => sides.locator('[data-side=right] ins').allInnerTexts()).toEqual(['1']);
    await result(page)
      .getByText(/^\d of 4 differ$/)
      .first()
      .waitFor();
    // Each behaviour, and the recording, can be looked into, also when the page comes back.
    await page.getByRole('tab', { name: 'Whole run' }).click();
    await chosen(page).getByRole('region', { name: 'Observations' }).getByRole('button').first().waitFor();
    await page.reload();
    await chosen(page).getByRole('region', { name: 'Observations' }).getByRole('button').first().waitFor();
    await expectTrueBars(page);
    await chosen(page).getByRole('button', { name: 'the recording' }).click();
    await chosen(page).getByRole('region', { name: 'Observations' }).getByRole('button').first().waitFor();
    await page.getByRole('button', { name: 'Accept' }).click();
    // What would be written is seen first, turn by turn.
    const dialog = page.getByRole('dialog', { name: 'Accept' });
    const failed = told.flatMap((word, index) => (word === '✘ fail' ? [index + 1] : []));
    const did = `what ${runNumbers(failed)} did`;
    await expect
      .poll(() => dialog.getByRole('combobox').locator('option').allTextContents())
      .toEqual([did, 'all of it, as further recordings']);
    await dialog.getByText('Turn 1: the replayed behaviour becomes the original.').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Write' }).click();
    await page.getByText('is now the original of replays/one.session.json').waitFor();
    expect(JSON.parse(await project.read('replays/one.session.json')).turns[0].recorded.output).toBe('answer 1');
    // As recordings the same replays are kept once.
    const api = async (path: string, init?: RequestInit) =>
      (
        await fetch(`${project.origin}${path}`, { ...init, headers: { authorization: `Bearer ${project.token}` } })
      ).json();
    const { past } = (await api('/api/session?id=one')) as { past: { id: string }[] };
    const body = JSON.stringify({ session: 'one', id: past[0]?.id, asRecordings: true });
    // A lock that is there is kept.
    await writeFile(path.join(project.path, 'pins.lock'), '');
    await api('/api/accept', { method: 'POST', body });
    const once = await project.read('replays/one.session.json');
    expect(await project.read('pins.lock')).toContain(hash('sha256', once));
    expect(JSON.parse(once).turns[0].baselines).toHaveLength(4);
    expect(await api('/api/accept', { method: 'POST', body })).toMatchObject({
      problem: { message: 'The pin already holds what was replayed.' },
    });
    expect(await project.read('replays/one.session.json')).toBe(once);
  });

  test('of several ways, that which is looked at is offered first for acceptance', async () => {
    // By turns the agent gives one of two answers, so that of three runs the second is alone.
    await using project = await uiWith({ sessions: { one: ['varies', 'varies', 'varies'] }, config: { workers: 1 } });
    await using tab = await open(project.at('one'));
    const { page } = tab;
    await opened(page);
    await runs(page, 3);
    await result(page).waitFor();
    const offered = async (turn: number) => {
      await page
        .getByRole('navigation', { name: 'Conversation' })
        .getByRole('button')
        .nth(turn - 1)
        .click();
      await page.getByRole('button', { name: 'Accept' }).click();
      const dialog = page.getByRole('dialog', { name: 'Accept' });
      const label = await dialog.getByRole('combobox').locator('option:checked').textContent();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      return label;
    };
    expect([await offered(1), await offered(2)]).toEqual(['what runs 1, 3 did', 'what run 2 did']);
  });

  test('the example agent with an edited prompt: what it does now can be accepted', async () => {
    const port = await freePort();
    const command = (variables: object) => ({
      agent: {
        id: 'support',
        command: `"${process.execPath}" "${path.resolve('examples/support-agent/demo.ts')}"`,
        url: `http://127.0.0.1:${port}/replay`,
        env: { PORT: String(port), ...variables },
      },
      compare: { tools: { refund_order: { mutating: true }, create_ticket: { mutating: true } } },
    });
    const SYSTEM_PROMPT_FILE = path.resolve('examples/support-agent/prompts/system-v2.md');
    await using project = await exampleProject('small-refund', command({ SYSTEM_PROMPT_FILE }));
    await using tab = await open(project.at('small-refund'));
    const { page } = tab;
    await opened(page);
    // Whose session it is was found out, and stands in the field and in the address.
    await expect.poll(() => new URL(page.url()).searchParams.get('agentId')).toBe('support');
    await expect.poll(() => page.getByLabel('Agent id').inputValue()).toBe('support');
    // Before anything is run it is said what a run does, and not where the recording answers.
    const acting = page.getByText('Each run can call refund_order for real.');
    await acting.waitFor();
    await settings(page);
    await page.getByLabel('Tools').selectOption('recorded');
    await acting.waitFor({ state: 'detached' });
    await page.getByLabel('Tools').selectOption('live');
    await acting.waitFor();
    await runs(page, 2);
    await result(page).waitFor();
    await expect.poll(() => outcomes(page)).toEqual(['✘ fail', '✘ fail']);
    await result(page).getByText('create_ticket instead of refund_order').first().waitFor();
    const cause = result(page).getByRole('region', { name: 'Why', exact: true });
    await cause.getByText('System prompt, line 5').waitFor();
    await expect.poll(() => cause.locator('del').innerText()).toContain('more than 200 EUR');
    await expect.poll(() => cause.locator('ins').innerText()).toContain('more than 20 EUR');
    await page.getByRole('button', { name: 'Accept' }).click();
    const dialog = page.getByRole('dialog', { name: 'Accept' });
    await dialog.getByText('Turn 1: the replayed behaviour becomes the original.').waitFor();
    await dialog.getByRole('button', { name: 'Write' }).click();
    await page.getByText('is now the original of replays/small-refund.session.json').waitFor();
    await runs(page, 1);
    await came(page, ['✔ pass']);
  });

  test('under the shift gate each way has a column: how many recordings went it, and how many replays', async () => {
    const port = await freePort();
    const pin = await readFile(
      new URL('../../examples/support-agent/live/tent-warranty.session.json', import.meta.url),
      'utf8',
    );
    const config = {
      agent: {
        id: 'support',
        command: `"${process.execPath}" "${path.resolve('examples/support-agent/demo.ts')}"`,
        url: `http://127.0.0.1:${port}/replay`,
        env: { PORT: String(port), TEMPERATURE: '1' },
      },
    };
    await using folder = await folderWith({
      'agent-replay.config.json': JSON.stringify(config),
      'replays/tent-warranty.session.json': pin,
    });
    await using project = await served(folder);
    await using tab = await open(project.at('tent-warranty'));
    const { page } = tab;
    await opened(page);
    await settings(page);
    await expect.poll(() => page.getByLabel('Gate').inputValue()).toBe('shift');
    await runs(page, 5);
    await result(page).waitFor();
    const ways = page.getByRole('group', { name: 'Behaviour on the right' });
    await ways.waitFor();
    const told = await ways.locator('small').allInnerTexts();
    const heads = told.flatMap((text) => text.split(', '));
    const sums = Map.groupBy(heads, (text) => text.replace(/^\d+ /, ''));
    // All of the recordings and all of the replays are in some column.
    for (const [of, texts] of sums) {
      const [, all = ''] = /^of (\d+) (?:recordings|runs)$/.exec(of) ?? [];
      expect(texts.reduce((sum, text) => sum + Number.parseInt(text, 10), 0)).toBe(Number(all));
    }
    const recordings = JSON.parse(pin).turns[0].baselines.length + 1;
    expect([...sums.keys()].sort()).toEqual([`of ${recordings} recordings`, expect.stringMatching(/^of \d+ runs$/)]);
    expect(await violations(page)).toEqual([]);
  });

  test('a run whose trace is on the platform leads there', async () => {
    await using server = await serve(platform('dual', STORED));
    usePlatform(server);
    await using project = await uiWith({
      sessions: { one: 'a' },
      config: { tracing: { source: 'embedded', forward: true } },
    });
    await using tab = await open(project.at('one'));
    const { page } = tab;
    await opened(page);
    await runs(page, 1);
    await result(page).waitFor();
    await page.getByRole('tab', { name: 'Whole run' }).click();
    await chosen(page).getByRole('button', { name: 'run 1' }).click();
    const link = chosen(page).getByRole('link', { name: 'Open it on the platform' });
    const [id] = await result(page).locator('td.trace').allTextContents();
    await expect.poll(() => link.getAttribute('href')).toBe(`${server.url}/trace/${id}`);
    await expect.poll(() => link.getAttribute('rel')).toContain('noopener');
  });

  test('a run tells how far it is; it is cancelled at any time, and what had come is kept', async () => {
    await using project = await uiWith({ sessions: { one: ['a', 'hang'] } });
    await using tab = await open(project.at('one'));
    const { page } = tab;
    await opened(page);
    await runs(page, 2);
    await page.getByText('2 of 4 replays finished').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Result: cancelled, 2 of 4 finished' }).waitFor();
    const rail = page.getByRole('navigation', { name: 'Conversation' });
    await rail.getByRole('button', { name: /^1/ }).click();
    await came(page, ['✔ pass', '✔ pass']);
    await rail.getByRole('button', { name: /^\?? ?2/ }).click();
    await came(page, Array(2).fill('? could not tell'));
    await expect.poll(() => run(page).isEnabled()).toBe(true);
    // It says nothing of the agent, wherever it is told.
    await page
      .getByRole('navigation', { name: 'Sessions' })
      .getByRole('link', { name: /one.*cancelled/ })
      .waitFor();
    await expect.poll(() => page.locator('main').innerText()).not.toMatch(/diverged|does not behave|✘/i);
    expect(project.leftovers()).toEqual([]);
  });

  test('a target that answers 500 says so while it is waited for, with a clock, and can be cancelled', async () => {
    await using folder = await folderWith({ 'replays/one.session.json': JSON.stringify(pinOf('one', ['a'])) });
    const server = createServer((_, response) => response.writeHead(500).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await using project = await served(folder);
    await using tab = await open(project.at('one'));
    const { page } = tab;
    await opened(page);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await page.getByLabel('Target URL (replay_url)').fill(url);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await run(page).click();
    await page.getByText(`The agent is not ready yet: GET ${url}/: status 500, asked again for up to `).waitFor();
    await page.getByText(/^\d+ s$/).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page
      .getByText(/cancelled, 0 of \d finished/)
      .first()
      .waitFor();
    server.closeAllConnections();
    server.close();
  });

  test('an agent that goes down in the middle is told as that, and never as a divergence', async () => {
    await using project = await uiWith({ sessions: { one: 'crash' } });
    await using tab = await open(project.at('one'));
    await opened(tab.page);
    await runs(tab.page, 2);
    await result(tab.page).waitFor();
    await expect
      .poll(() => outcomes(tab.page))
      .toEqual(['? could not tell: AGENT_CRASHED', '? could not tell: AGENT_CRASHED']);
    await expect.poll(() => result(tab.page).getByText('✘').count()).toBe(0);
  });

  test('an agent that fails every call: its status, answer and last lines, and nothing that could be accepted', async () => {
    const env = { FAILS: '500', CRASHES: '1' };
    await using project = await uiWith({ sessions: { one: 'a' }, agent: { env } });
    const before = await project.read('replays/one.session.json');
    await using tab = await open(project.at('one'));
    const { page } = tab;
    await opened(page);
    await runs(page, 2);
    await result(page).waitFor();
    await expect.poll(() => outcomes(page)).toEqual(Array(2).fill('? could not tell: RESPONSE_STATUS'));
    const problem = result(page).locator('.problem');
    await problem.getByText('The agent answered with status 500').waitFor();
    await expect.poll(() => problem.locator('pre').innerText()).toContain('body: {"error":"out of order"}');
    await expect.poll(() => problem.locator('pre').innerText()).toContain('agent: Error: the till is jammed');
    // No replay came: the recording can be looked into.
    await page.getByRole('tab', { name: 'Whole run' }).click();
    await chosen(page).getByRole('region', { name: 'Observations' }).getByText('lookup').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Accept' }).isDisabled()).toBe(true);
    // Nor by whoever asks without the page.
    const api = async (path: string, init?: RequestInit) =>
      (
        await fetch(`${project.origin}${path}`, { ...init, headers: { authorization: `Bearer ${project.token}` } })
      ).json();
    const { past } = (await api('/api/session?id=one')) as { past: { id: string }[] };
    const body = JSON.stringify({ session: 'one', id: past[0]?.id, asRecordings: true });
    const answer = await api('/api/accept', { method: 'POST', body });
    expect(answer).toMatchObject({ problem: { code: 'RUN_NOT_VERIFIED' } });
    // The file is named once, as in what stands beside the button that is off.
    const off = await page.getByText('It cannot be accepted:').textContent();
    for (const said of [JSON.stringify(answer), off]) expect(said?.split('replays/one.session.json')).toHaveLength(2);
    expect(await project.read('replays/one.session.json')).toBe(before);
  });

  test('two tabs that run at once wait for each other, and a tab that comes back follows what is under way', async () => {
    await using project = await uiWith({ sessions: { one: 'a', two: 'b' } });
    await using first = await open(project.at('one'));
    await using second = await open(project.at('two'));
    await Promise.all([opened(first.page), opened(second.page)]);
    await Promise.all([runs(first.page, 3), runs(second.page, 2)]);
    await first.page.reload();
    await Promise.all([result(first.page).waitFor(), result(second.page).waitFor()]);
    await expect.poll(() => outcomes(second.page)).toEqual(['✔ pass', '✔ pass']);
    await (await pastResults(first.page)).filter({ hasText: '3 of 3 as recorded' }).click();
    await came(first.page, ['✔ pass', '✔ pass', '✔ pass']);
  });

  test('sessions are imported from the platform with progress, and one of them is pinned', async () => {
    await using server = await serve(platform('dual', STORED));
    usePlatform(server);
    await using folder = await folderWith({});
    await using project = await served(folder);
    await using tab = await open(`${project.origin}/search#token=${project.token}`);
    const { page } = tab;
    await page.getByRole('combobox', { name: 'Sessions of' }).selectOption('the last year');
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText(/^(\d+) of \1 sessions synced$/).waitFor();
    await page.getByLabel('Session id').fill('sess-parallel-001');
    await page.getByRole('link', { name: /sess-parallel-001/ }).click();
    await opened(page);
    await page.getByText('synced, not pinned').waitFor();
    await using agent = await answering('something else');
    await settings(page);
    await page.getByLabel('Target URL (replay_url)').fill(agent.url);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`Traces are read from ${server.url}`).first().waitFor();
    await page.getByRole('button', { name: 'Pin this' }).click();
    await page.getByText('replays/sess-parallel-001.session.json').first().waitFor();
    expect(await readFile(path.join(folder.path, 'replays/sess-parallel-001.session.json'), 'utf8')).toContain(
      '"turns"',
    );
  });

  test('a session that nobody has pinned is not among those that are run at once, and is pinned before it is accepted', async () => {
    await using project = await uiWith({ sessions: { one: 'a' }, agent: { env: { PREFIX: 'new ' } } });
    const session = JSON.parse(await project.read('replays/one.session.json'));
    const folder = path.join(project.path, '.agent-replay/ui/sessions');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'two.session.json'), JSON.stringify({ ...session, id: 'two' }));
    await using tab = await open(project.url);
    const { page } = tab;
    await start(page).getByRole('button', { name: 'Run the 1 pinned' }).waitFor();
    await page.goto(project.at('two'));
    await opened(page);
    await runs(page, 1);
    await result(page).waitFor();
    await page.getByText('press Pin this, then Accept, and commit the recording').waitFor();
    await page.getByRole('button', { name: 'Pin this' }).waitFor();
  });

  test('what is searched for is synced alone, and opens with both filled; nothing is asked before', async () => {
    await using server = await serve(platform('dual', STORED));
    usePlatform(server);
    await using project = await uiWith({ sessions: { one: 'parallel' } });
    await using tab = await open(`${project.origin}/search#token=${project.token}`);
    const { page } = tab;
    await page.getByLabel('Session id').fill('sess-PARALLEL parallel');
    await page.getByText('0 sessions', { exact: true }).waitFor();
    expect(server.asked).toEqual([]);
    await page.getByRole('combobox', { name: 'Sessions of' }).selectOption('the last year');
    await page.getByRole('button', { name: 'Sync now' }).click();
    const hit = page.getByRole('link', { name: /sess-parallel-001/ });
    await hit.waitFor();
    expect(await violations(page)).toEqual([]);
    await hit.click();
    await opened(page);
    await page.getByText('synced, not pinned').waitFor();
    await expect.poll(() => page.getByLabel('Session id').inputValue()).toBe('sess-parallel-001');
    await expect.poll(() => page.getByLabel('Agent id').inputValue()).toBe('support-agent');
  });

  test('a platform that cannot be asked says why, in place: not configured, keys refused', async () => {
    await using project = await uiWith({ sessions: { one: 'a' } });
    await using tab = await open(`${project.origin}/search#token=${project.token}`);
    const { page } = tab;
    await page.getByText('Sync sessions from a tracing platform').waitFor();
    expect(await page.getByRole('button', { name: 'Sync now' }).count()).toBe(0);
    await using server = await serve(platform('dual', STORED));
    usePlatform(server);
    vi.stubEnv('TRACING_SECRET_KEY', 'sk-lf-of-another-project');
    await page.reload();
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText('PLATFORM_UNAUTHORIZED').waitFor();
    await expect.poll(() => page.locator('body').innerText()).not.toContain('sk-lf-of-another-project');
    await page.getByRole('link', { name: /one/ }).waitFor();
  });

  test('a platform that is gone is said as that, and what was imported stays', async () => {
    const server = await serve(platform('dual', STORED));
    usePlatform(server);
    await server[Symbol.asyncDispose]();
    await using project = await uiWith({ sessions: { one: 'a' } });
    await using tab = await open(`${project.origin}/search#token=${project.token}`);
    await tab.page.getByRole('button', { name: 'Sync now' }).click();
    await tab.page.getByText('PLATFORM_UNREACHABLE').waitFor();
    await tab.page.getByRole('link', { name: 'Reproducibility' }).click();
    await tab.page.getByLabel('Session id').fill('one');
    await tab.page.getByRole('button', { name: 'Open' }).click();
    await opened(tab.page);
  });

  test('an unknown session is said, with what to do', async () => {
    await using project = await uiWith({ sessions: { one: 'a' } });
    await using tab = await open(project.at('no-such-session'));
    await tab.page.getByText('There is no session "no-such-session" in this project.').waitFor();
    await tab.page.getByText('NO_SESSIONS').waitFor();
    expect(tab.errors).toEqual([]);
    await tab.page.getByLabel('Session id').fill('one');
    await tab.page.getByRole('button', { name: 'Open' }).click();
    await opened(tab.page);
  });

  test('Behavior Search finds sessions by text and agent, and opens one with both filled', async () => {
    const pins = ['refund the tent', 'track my parcel'].map((input, index) => {
      const pin = { ...pinOf(`session-${index}`, [input]), agentId: index === 0 ? 'refunds' : 'parcels' };
      return [`replays/${index}.session.json`, JSON.stringify(pin)];
    });
    await using project = await uiWith({ files: Object.fromEntries(pins) });
    await using tab = await open(project.url);
    const { page } = tab;
    await page.getByRole('link', { name: 'Behavior Search' }).click();
    await page.getByText('2 sessions, none run on this page yet').waitFor();
    await page.getByLabel('Session id').fill('zeppelin');
    await page.getByText('0 sessions', { exact: true }).waitFor();
    expect(await start(page).innerText()).not.toMatch(/Run them|Sync now/);
    await page.getByLabel('Session id').fill('');
    await page.getByText('2 sessions, none run on this page yet').waitFor();
    // Until the answer is there, what is shown is not called a match.
    const answer = Promise.withResolvers<void>();
    const asked = page.waitForRequest(/text=TENT/);
    await page.route(/text=TENT/, async (route) => {
      await answer.promise;
      await route.continue();
    });
    await page.getByLabel('Session id').fill('TENT lookup');
    await asked;
    await expect
      .poll(() => page.getByRole('heading', { level: 1 }).innerText())
      .toBe('2 sessions, none run on this page yet');
    answer.resolve();
    await page.getByText('1 session', { exact: true }).waitFor();
    await page.getByLabel('Session id').fill('');
    await page.getByLabel('Agent id').fill('parcels');
    await page.getByLabel('Agent id').blur();
    await page.getByText('1 session', { exact: true }).waitFor();
    await page.getByRole('link', { name: /session-1/ }).click();
    await opened(page);
    expect(new URL(page.url()).search).toBe('?sessionId=session-1&agentId=parcels');
    await expect.poll(() => page.getByLabel('Agent id').inputValue()).toBe('parcels');
  });

  test('hostile texts are shown as the texts they are, before and after a run', async () => {
    const text = PAYLOADS.join(' ');
    const pin = { ...pinOf('hostile', [text]), title: text };
    await using project = await uiWith({ files: { 'replays/h.session.json': JSON.stringify(pin) } });
    await using tab = await open(project.at('hostile'));
    const { page } = tab;
    await opened(page);
    await runs(page, 1);
    await result(page).waitFor();
    await expect.poll(() => page.locator('body').innerText()).toContain('<script>alert(1)</script>');
    expect(
      await page
        .locator('main script, main iframe, main img:not(.trend), main a:not([href^="/reproducibility"])')
        .count(),
    ).toBe(0);
    expect(tab.errors).toEqual([]);
    expect(tab.requests.filter((asked) => !asked.startsWith(project.origin))).toEqual([]);
  });

  test('joiners inside of words and emoji are shown, bidi controls are written out; another session begins at its top', async () => {
    const asked = 'می\u200cخواهم क्\u200dष 👩\u200d👩\u200d👧 \u202egnp';
    await using project = await uiWith({ sessions: { one: [asked, ...Array(40).fill('a')], two: 'b' } });
    await using tab = await open(project.at('one'), { viewport: { width: 1280, height: 500 } });
    const { page } = tab;
    await opened(page);
    const recorded = page.getByRole('region', { name: 'Recorded' });
    await expect.poll(() => recorded.innerText()).toContain('می\u200cخواهم क्\u200dष 👩\u200d👩\u200d👧 \\u202egnp');
    const pane = page.locator('.middle');
    await pane.evaluate((box) => {
      box.scrollTop = box.scrollHeight;
    });
    expect(await pane.evaluate((box) => box.scrollTop)).toBeGreaterThan(100);
    await page.getByRole('navigation', { name: 'Sessions' }).getByRole('link', { name: /two/ }).click();
    await page.getByRole('heading', { name: 'two' }).waitFor();
    expect(await pane.evaluate((box) => box.scrollTop)).toBe(0);
  });

  test.for(['light', 'dark'] as const)(
    'axe finds nothing in any state, and nothing scrolls sideways: %s',
    async (colorScheme) => {
      const unasked = { version: 1, id: 'unasked', turns: [{ recorded: { output: 'hello', observations: [] } }] };
      await using project = await uiWith({
        sessions: { steady: 'a', down: 'crash', slow: ['a', 'hang'] },
        files: { 'replays/unasked.session.json': JSON.stringify(unasked), 'replays/broken.session.json': '{' },
        config: { runs: 1 },
      });
      await using tab = await open(project.url, { colorScheme, viewport: { width: 390, height: 844 } });
      const { page } = tab;
      const isFine = async (state: string) => {
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        const { sizes, faces } = await typography(page);
        // Letters are of one scale and two typefaces.
        const odd = [...sizes.filter((size) => !SCALE.includes(size)), ...faces.slice(2)];
        const found = { state, over, odd, violations: await violations(page) };
        expect(found).toEqual({ state, over: 0, odd: [], violations: [] });
      };
      const at = async (path: string) => {
        await page.goto(`${project.origin}${path}`);
        await page.reload();
      };
      await page.getByText('1 pinned file could not be read').waitFor();
      await isFine('first visit');
      await page.keyboard.press('?');
      await isFine('the list of keys');
      await at('/reproducibility?sessionId=unasked');
      await page.getByText('Not replayable:').waitFor();
      await isFine('not replayable');
      await at('/reproducibility?sessionId=nobody');
      await page.getByText('NO_SESSIONS').waitFor();
      await isFine('unknown');
      await at('/reproducibility?sessionId=down');
      await opened(page);
      await settings(page);
      await isFine('how it is run');
      await run(page).click();
      await result(page).waitFor();
      await isFine('an error');
      await at('/reproducibility?sessionId=slow');
      await opened(page);
      await run(page).click();
      await page.getByText('1 of 2 replays finished').waitFor();
      await isFine('running');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await result(page).waitFor();
      await isFine('cancelled');
      await at('/search?search=steady');
      await page.getByText('1 session', { exact: true }).waitFor();
      await page.getByText('Sync sessions from a tracing platform').click();
      await isFine('search');
      await at('/search?search=zeppelin');
      await page.getByText('0 sessions', { exact: true }).waitFor();
      await isFine('nothing found');
    },
  );

  test('with the keyboard alone it takes at most eight stops from the first visit to the reason', async () => {
    await using project = await uiWith({ sessions: { one: 'varies' }, config: { runs: 2, workers: 1 } });
    await using tab = await open(project.url);
    const { page } = tab;
    await page.getByRole('link', { name: /one.*not run here/ }).waitFor();
    let stops = 0;
    const press = async (key: string) => {
      stops++;
      await page.keyboard.press(key);
    };
    await press('j');
    await opened(page);
    while (!(await run(page).evaluate((button) => button === document.activeElement)) && stops < 8) await press('Tab');
    await press('Enter');
    await result(page).waitFor();
    // The first difference is there with the result.
    await page.getByRole('region', { name: 'What', exact: true }).locator('ins').waitFor();
    await chosen(page).locator('ins').first().waitFor();
    expect(stops).toBeLessThanOrEqual(8);
    await page.getByRole('tab', { name: 'Whole run' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('view')).toBe('run');
    // What is looked at has an address, too.
    const shown = page.url();
    await using shared = await open(`${shown}#token=${project.token}`);
    await result(shared.page).waitFor();
    expect(shared.page.url()).toBe(shown);
    await page.goBack();
    await expect.poll(() => new URL(page.url()).searchParams.get('view')).toBeNull();
  });

  test('a slash at the end of an address changes nothing', async () => {
    await using project = await uiWith({ sessions: { one: 'a' } });
    await using tab = await open(`${project.origin}/reproducibility/?sessionId=one#token=${project.token}`);
    await opened(tab.page);
    expect(tab.errors).toEqual([]);
  });

  test.for([
    ['light', 1280],
    ['dark', 320],
  ] as const)('axe finds nothing in it: %s, %i wide', async ([colorScheme, width]) => {
    await using project = await uiWith({ sessions: { one: 'varies' }, config: { workers: 1 } });
    await using tab = await open(project.at('one'), { colorScheme, viewport: { width, height: 800 } });
    const { page } = tab;
    await opened(page);
    expect(await violations(page)).toEqual([]);
    await runs(page, 2);
    await result(page).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await page.getByRole('link', { name: 'Behavior Search' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
