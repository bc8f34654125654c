import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { gatePolicy } from '../../src/report/index.ts';
import { outcomes } from '../outcomes.ts';
import { REPORTS, report, SESSIONS, session, turn, UNREADABLE_PIN } from './fixtures/reports.ts';
import { renderJunit } from './rendered.ts';

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
    'change-payment': [{ name: 'turn 1', failure: { type: outcomes.changed } }],
    'two-parcels': [{ name: 'turn 1' }, { name: 'turn 2', failure: { type: outcomes.varies } }],
    'small-refund': [{ failure: { type: outcomes.varies } }],
    'tent-warranty': [{ error: { type: outcomes.couldNotTell } }],
    'old-chat': [{ name: 'session', error: { type: 'PIN_NOT_REPLAYABLE' } }],
    'agent-replay': [{ error: { type: 'PIN_INVALID' } }],
  });
  expect(cases['two-parcels']![0]).not.toHaveProperty('failure');
  expect(cases['change-payment']![0]).not.toHaveProperty('error');
  expect(cases['change-payment']![0]!.failure!['#text']).toContain(
    'rerun: npx agent-replay run replays/change-payment',
  );
});

test('other words are an error and no failure, with every text in the output of the case', () => {
  const xml = renderJunit(report([SESSIONS.inOtherWords]));
  const only = casesOf(xml)['parcel-on-its-way']?.[0];
  expect(only).not.toHaveProperty('failure');
  expect(JSON.stringify(only?.error)).toContain('The parcel has been sent to you');
  expect(JSON.stringify(only?.error)).toContain('3 could not tell: worded differently');
});

test('an edit is quoted in the first case that it failed, and named by its place in the others', () => {
  const line = { of: 'system prompt', number: 5, recorded: 'Up to 200 EUR.', replayed: 'Up to 20 EUR.' };
  const detail = 'its system prompt differs at line 5: recorded "Up to 200 EUR.", replayed "Up to 20 EUR."';
  const divergence = { cause: { kind: 'agent' as const, changed: ['system prompt'], detail, line } };
  const turns = [1, 2].map((at) => turn({ verdict: outcomes.changed, clusters: [0, 5], divergence }, { turn: at }));
  const xml = renderJunit(report(['a', 'b', 'c'].map((name) => session(name, { turns }))));
  expect(xml.match(/Up to 20 EUR/g)).toHaveLength(1);
  expect(xml.match(/Cause: agent \(its system prompt differs at line 5\)/g)).toHaveLength(5);
});

test('the totals are those of the cases', () => {
  const { testsuites } = parser.parse(renderJunit(REPORTS.mixed));
  expect(testsuites).toMatchObject({ tests: '8', failures: '3', errors: '3', skipped: '0', time: '12.345' });
});

test('what the policy lets pass fails nothing, and a forgiven doubt is skipped', () => {
  const policy = gatePolicy.parse({ failOn: { did: ['changed'], couldNotTell: 'warn' } });
  const cases = casesOf(renderJunit(report([SESSIONS.varies, SESSIONS.couldNotTell, SESSIONS.asRecorded], {}, policy)));
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
