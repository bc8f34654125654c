import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { gatePolicy } from '../../src/report/index.ts';
import { renderJunit } from '../../src/report/outputs/junit.ts';
import { REPORTS, report, SESSIONS, UNREADABLE_PIN } from './fixtures/reports.ts';

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  isArray: (name) => /^test(suite|case)$/.test(name),
});

interface ParsedCase {
  readonly name: string;
  readonly failure?: { readonly type: string; readonly '#text': string };
  readonly error?: { readonly type: string };
  readonly skipped?: unknown;
  readonly 'system-out'?: string;
}

function casesOf(xml: string): Record<string, ParsedCase[]> {
  expect(XMLValidator.validate(xml)).toBe(true);
  const suites: { name: string; testcase: ParsedCase[] }[] = parser.parse(xml).testsuites.testsuite;
  return Object.fromEntries(
    suites.map(({ name, testcase }) => [name.replace(/^replays\/|\.session\.json$/g, ''), testcase]),
  );
}

test('a divergence is a failure, what was not verified an error, and every turn a case', () => {
  const cases = casesOf(renderJunit(report(Object.values(SESSIONS), { problems: [UNREADABLE_PIN] })));
  expect(cases).toMatchObject({
    'change-payment': [{ name: 'turn 1', failure: { type: 'changed' } }],
    'two-parcels': [{ name: 'turn 1' }, { name: 'turn 2', failure: { type: 'flaky' } }],
    'small-refund': [{ failure: { type: 'unsettled' } }],
    'tent-warranty': [{ error: { type: 'inconclusive' } }],
    'old-chat': [{ name: 'session', error: { type: 'PIN_NOT_REPLAYABLE' } }],
    'agent-replay': [{ error: { type: 'PIN_INVALID' } }],
  });
  expect(cases['two-parcels']![0]).not.toHaveProperty('failure');
  expect(cases['change-payment']![0]).not.toHaveProperty('error');
  expect(cases['change-payment']![0]!.failure!['#text']).toContain(
    'rerun: npx agent-replay run replays/change-payment',
  );
});

test('other words pass, with every text in the output of the case', () => {
  const xml = renderJunit(report([SESSIONS.reworded]));
  const only = casesOf(xml)['parcel-on-its-way']?.[0];
  expect(only).not.toHaveProperty('failure');
  expect(only?.['system-out']).toContain('The parcel has been sent to you');
  expect(only?.['system-out']).toContain('3 in other words (not judged)');
  const failing = renderJunit(report([SESSIONS.reworded], {}, gatePolicy.parse({ failOn: { reworded: 'error' } })));
  expect(casesOf(failing)['parcel-on-its-way']?.[0]).toHaveProperty('failure');
});

test('the totals are those of the cases', () => {
  const { testsuites } = parser.parse(renderJunit(REPORTS.mixed));
  expect(testsuites).toMatchObject({ tests: '8', failures: '3', errors: '2', skipped: '0', time: '12.345' });
});

test('what the policy lets pass fails nothing, and a forgiven doubt is skipped', () => {
  const policy = gatePolicy.parse({ failOn: { flaky: 'warn', inconclusive: 'warn' } });
  const cases = casesOf(renderJunit(report([SESSIONS.flaky, SESSIONS.inconclusive, SESSIONS.reproduced], {}, policy)));
  expect(
    Object.values(cases)
      .flat()
      .filter((each) => each.failure ?? each.error),
  ).toEqual([]);
  expect(cases['tent-warranty']![0]).toHaveProperty('skipped');
});

test('a run without sessions is valid, with its problems', () => {
  expect(casesOf(renderJunit(REPORTS.nothing))).toMatchObject({
    'agent-replay': [{ error: { type: 'AGENT_EXITED' } }],
  });
});
