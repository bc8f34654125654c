import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { sealAgainst } from '../../src/redaction/index.ts';
import type { CarriedReport, Report } from '../../src/report/index.ts';
import fc from '../fast-check.ts';
import { outcomes } from '../outcomes.ts';
import { hostileReport, hostileText } from './fixtures/hostile.ts';
import { REPORTS, report, session, sessionThat, turn } from './fixtures/reports.ts';
import { renderHtml } from './rendered.ts';

const DATA = /<script id="data" type="application\/json">(.*?)<\/script>/s;

test('an HTML report is one file under 300 KB that names nothing to load', async () => {
  const html = await renderHtml(REPORTS.mixed);
  const template = html.replace(DATA, '');
  expect(Buffer.byteLength(template)).toBeLessThan(300_000);
  expect(template).not.toMatch(/<(link|script|img|iframe)[^>]+(src|href)="(?!data:)/);
  expect(template).toContain("default-src 'none'");
});

test('packed, the page weighs less than 250 KB and the report less than 60 KB', async () => {
  const [{ page }, { page: report }] = await Promise.all([import('#pages/page'), import('#pages/report')]);
  expect(gzipSync(page).length).toBeLessThan(250_000);
  expect(gzipSync(report).length).toBeLessThan(60_000);
});

test('the same report gives the same bytes', async () => {
  expect(await renderHtml(REPORTS.mixed)).toBe(await renderHtml(structuredClone(REPORTS.mixed)));
});

test('whatever was recorded, the data of an HTML report ends where it ends and says what was said', async () => {
  const template = (await renderHtml(REPORTS.passed)).replace(DATA, '');
  await fc.assert(
    fc.asyncProperty(hostileText, async (text) => {
      const html = await renderHtml(report([sessionThat('asRecorded', 'x', {}, { title: text })]));
      // The page itself is never touched, and there is exactly one piece of data.
      expect(html.replace(DATA, '')).toBe(template);
      const [, data = ''] = DATA.exec(html) ?? [];
      expect(data).not.toMatch(/[<\u2028\u2029]/);
      const { report: carried } = JSON.parse(data) as { report: Report };
      expect(carried.results.sessions[0]?.title).toBe(
        text.toWellFormed() === text ? text : carried.results.sessions[0]?.title,
      );
    }),
    { numRuns: 50 },
  );
});

test('a text of a megabyte is cut in an HTML report', async () => {
  const big = 'x'.repeat(1024 ** 2);
  const html = await renderHtml(
    report([
      session('big', {
        title: big,
        turns: [turn({ verdict: outcomes.changed, clusters: [0, 5], divergence: { replayed: big } })],
      }),
    ]),
  );
  expect(html.length).toBeLessThan(300_000);
});

test('an HTML report of hostile texts can be made', async () => {
  expect(await renderHtml(hostileReport('</script><script>alert(1)</script>'))).not.toContain('alert(1)<');
});

test('a secret that came past all masks is masked in sessions that are packed, too', async () => {
  const secret = 'k4n4ry-7f3e91b2c8';
  sealAgainst([secret]);
  const many = Array.from({ length: 1_001 }, (_, index) =>
    sessionThat('asRecorded', `s${index}`, {}, { title: `${secret} ${index}` }),
  );
  const [, data = ''] = DATA.exec(await renderHtml(report(many))) ?? [];
  const { sessions = [] } = JSON.parse(data) as CarriedReport;
  const texts = sessions.map((part) => gunzipSync(Buffer.from(part, 'base64')).toString());
  expect(texts.join()).toContain(' 1000"');
  expect(texts.join()).not.toContain(secret);
});
