import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { linearPattern } from '../../src/pattern.ts';
import { redactor } from '../../src/redaction/index.ts';
import fc from '../fast-check.ts';

const { version, rules } = JSON.parse(readFileSync(new URL('gitleaks.json', import.meta.url), 'utf8'));
const redact = redactor({ personal: false });

/** What gitleaks finds and we do not, each with the reason. */
const LEFT: Readonly<Record<string, string>> = {
  'asana-client-id': 'not secret: digits of an id, which correlate',
  'discord-client-id': 'not secret: digits of an id, which correlate',
  'generic-api-key': 'any `key`, `auth`, `access` with a value: ids of calls, too. Names that say more are known',
  'sourcegraph-access-token': 'one of its three forms is that of a commit',
  'hashicorp-tf-password': 'for *.tf only; a text has no file name',
  'nuget-config-password': 'for nuget.config only',
  'freemius-secret-key': 'for *.php only, with any 29 characters; an ordinary one is found',
  'kubernetes-secret-yaml': 'for *.yaml only, with empty values, too; an ordinary one is found',
  'curl-auth-user': 'any -u of any word; an ordinary one is found',
  jwt: 'begins with any `ey`; ours with `eyJ`, as every JSON object does',
  'jwt-base64': 'with line breaks in it',
  'nytimes-access-token': 'a comma in one name is a slip',
  'sonar-api-token': 'with a value that begins with `=`',
};

/** The rule as a pattern that texts can be made from: no word boundaries, one case, dots of hosts meant as dots. */
function makable(rule: string): RegExp {
  const plain = rule
    .replaceAll('[\\w.-]{0,50}?', '')
    .replaceAll('[[:alnum:]]', '[A-Za-z0-9]')
    .replaceAll('(?s:.)', '[^]')
    .replaceAll('\\z', '$')
    .replaceAll('\\bcurl\\b', 'curl ')
    .replace(/\\[bB]|\(\?-?i\)/g, '')
    .replace(/\(\?-?i:/g, '(?:')
    .replaceAll('(?P<', '(?<')
    .replace(/(?<=hooks|slack|xoxe)\.(?=slack|com|xox)/g, '\\.');
  return new RegExp(`^(?:${plain})$`);
}

test(`what the ${Object.keys(rules).length} rules of gitleaks ${version} find is masked, but for the rules listed here`, () => {
  const left = Object.entries<string>(rules).filter(([, rule]) => {
    const texts = fc.sample(fc.stringMatching(makable(rule)), { numRuns: 5, seed: 5 });
    return texts.some((text) => !String(redact(`I called it with ${text} and it worked.`)).includes('<secret>'));
  });
  expect(left.map(([id]) => id).sort()).toEqual(Object.keys(LEFT).sort());
});

test('each of its rules compiles on the linear engine, for who wants one in `redact.patterns`', () => {
  const long = Object.values<string>(rules).filter((rule) => rule.length < 500);
  expect(long.length).toBeGreaterThan(215);
  for (const rule of long) expect(() => linearPattern(rule)).not.toThrow();
});
