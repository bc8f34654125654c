import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { redactor } from '../../src/redaction/index.ts';

const redact = redactor({ personal: false });
/** Characters without meaning, the same each time. */
const R = (length: number, among = 'aZ3kQ9xB7mT2vL8pW4rN6cY5') =>
  Array.from({ length }, (_, at) => among[(at * 7 + length) % among.length]).join('');
const H = (length: number) => R(length, '0f1e2d3c4b5a69788796');
const UUID = `${H(8)}-${H(4)}-${H(4)}-${H(4)}-${H(12)}`;

/** Keys in the shapes that their vendors publish. */
const PUBLISHED: Readonly<Record<string, string>> = {
  OpenAI: `sk-proj-${R(48)}`,
  Anthropic: `sk-ant-api03-${R(90)}`,
  Groq: `gsk_${R(52)}`,
  xAI: `xai-${R(80)}`,
  Tavily: `tvly-dev-${R(32)}`,
  Pinecone: `pcsk_${R(6)}_${R(60)}`,
  Replicate: `r8_${R(37)}`,
  E2B: `e2b_${H(40)}`,
  ElevenLabs: `sk_${H(48)}`,
  LangSmith: `lsv2_pt_${H(32)}_${H(10)}`,
  Langfuse: `sk-lf-${UUID}`,
  Perplexity: `pplx-${R(48)}`,
  'Hugging Face': `hf_${R(34)}`,
  Fireworks: `fw_${R(24)}`,
  Nvidia: `nvapi-${R(64)}`,
  Cerebras: `csk-${R(48)}`,
  Databricks: `dapi${H(32)}`,
  Firecrawl: `fc-${H(32)}`,
  Logfire: `pylf_v1_eu_${R(43)}`,
  GitHub: `ghp_${R(36)}`,
  'GitHub, fine-grained': `github_pat_${R(22)}_${R(59)}`,
  GitLab: `glpat-${R(20)}`,
  'GitLab runner': `glrt-${R(20)}`,
  Bitbucket: `ATBB${R(32)}`,
  Atlassian: `ATATT3${R(180)}`,
  npm: `npm_${R(36)}`,
  PyPI: `pypi-AgEIcHlwaS5vcmc${R(60)}`,
  RubyGems: `rubygems_${H(48)}`,
  'Docker Hub': `dckr_pat_${R(27)}`,
  AWS: 'AKIAZ3K9QX7BT2VL8PW4',
  'Google Cloud': `AIza${R(35)}`,
  'Google OAuth': `GOCSPX-${R(28)}`,
  Azure: `aZ38Q~${R(34)}`,
  DigitalOcean: `dop_v1_${H(64)}`,
  Supabase: `sbp_${H(40)}`,
  PlanetScale: `pscale_tkn_${R(43)}`,
  Doppler: `dp.pt.${R(43)}`,
  Vault: `hvs.${R(90)}`,
  Terraform: `${R(14)}.atlasv1.${R(67)}`,
  Pulumi: `pul-${H(40)}`,
  age: `AGE-SECRET-KEY-1${R(58, 'QPZRY9X8GF2TVDW0S3JN')}`,
  Stripe: `sk_live_${R(24)}`,
  'Stripe webhook': `whsec_${R(32)}`,
  Square: `sq0atp-${R(22)}`,
  Shopify: `shpat_${H(32)}`,
  Plaid: `access-sandbox-${UUID}`,
  Slack: `xoxb-${R(11, '0123456789')}-${R(24)}`,
  'Slack webhook': `https://hooks.slack.com/services/T${R(8)}/B${R(8)}/${R(24)}`,
  Discord: `https://discord.com/api/webhooks/${R(18, '123456789')}/${R(68)}`,
  Telegram: `${R(9, '123456789')}:AA${R(33)}`,
  SendGrid: `SG.${R(22)}.${R(43)}`,
  Mailgun: `key-${H(32)}`,
  Mailchimp: `${H(32)}-us14`,
  Sentry: `sntrys_${R(80)}`,
  'New Relic': `NRAK-${R(27, 'QPZRY9X8GF2TVDW0S3JN')}`,
  Grafana: `glsa_${R(32)}_${H(8)}`,
  Notion: `ntn_${R(46)}`,
  Linear: `lin_api_${R(40)}`,
  Figma: `figd_${R(40)}`,
  Airtable: `pat${R(14)}.${H(64)}`,
  HubSpot: `pat-na1-${UUID}`,
  'Hugging Face, organisation': `api_org_${R(34, 'abcdefghkmnpqrst')}`,
  'Hugging Face, without a digit': `hf_${R(34, 'abcdefghKMNPQRST')}`,
  'Amazon Bedrock': `ABSK${R(120)}`,
  Sourcegraph: `sgp_${H(16)}_${H(40)}`,
  'AWS, another kind': 'ABIAZ3K7QX7BT2VL4PW4',
  Alibaba: `LTAI${R(20)}`,
  Adobe: `p8e-${H(32)}`,
  'Cloudflare origin': `v1.0-${H(24)}-${H(146)}`,
  'Fly.io': `fo1_${R(43)}`,
  OpenShift: `sha256~${R(43)}`,
  '1Password': `ops_eyJ${R(260)}`,
  Heroku: `HRKU-AA${R(58)}`,
  ClickHouse: `4b1d${R(38)}`,
  Artifactory: `AKCp${R(69)}`,
  Postman: `PMAK-${H(24)}-${H(34)}`,
  ReadMe: `rdme_${R(70)}`,
  Prefect: `pnu_${R(36)}`,
  'Octopus Deploy': `API-${R(26, 'QPZRY9X8GF2TVDW0S3JN')}`,
  Harness: `pat.${R(22)}.${R(24)}.${R(20)}`,
  'GitLab, a feed': `glft-${R(20)}`,
  Twilio: `SK${H(32)}`,
  Brevo: `xkeysib-${H(64)}-${R(16)}`,
  EasyPost: `EZAK${R(54)}`,
  Shippo: `shippo_live_${H(40)}`,
  Flutterwave: `FLWSECK_TEST-${H(32)}-X`,
  Duffel: `duffel_live_${R(43)}`,
  Dynatrace: `dt0c01.${R(24)}.${R(64)}`,
  Infracost: `ico-${R(32)}`,
  'Facebook page': `EAAC${R(110)}`,
  'Teams webhook': `https://a.webhook.office.com/webhookb2/${UUID}@${UUID}/IncomingWebhook/${H(32)}/${UUID}`,
  'JSON web token': `eyJ${R(30)}.eyJ${R(60)}.${R(43)}`,
  'a variable without a vendor': `ACME_INTERNAL_TOKEN=${R(24)}`,
  'a variable in quotes': `export DB_PASSWORD="${R(16)}"`,
};

test.each(Object.entries(PUBLISHED))('the key of %s is masked in prose', (_, key) => {
  const masked = String(redact(`I called it with ${key} and it worked.`));
  const random = key.split(/[/=."]/).at(key.endsWith('"') ? -2 : -1) ?? '';
  expect(masked).toContain('<secret>');
  expect(masked).not.toContain(random);
  expect(masked).toMatch(/^I called it with .*and it worked\.$/);
});

const INNOCENT = [
  'commit 9fce5fff1bf04c06ef7e81c5301fc526d9e50926 fixed it',
  `sha256 4b1d${H(60)} and md5 ${H(32)} and API-REFERENCE and SK-1234 and A3-PAPER-SIZE`,
  'task-management-software-suite and sk-learn-something-very-long',
  'KEY=production TOKEN=required MAX_TOKEN=128000',
  'the trace 123e4567-e89b-12d3-a456-426614174000 of run gh_2024',
  'toolu_01A09q90qw90lq917835lq9 and call_abc123DEF456ghi789JKL012 and chatcmpl-9xYzAbCdEfGhIjKlMnOpQrStUvWx',
  'fw_a_long_name_of_something_else and as-2024-a-branch-of-somebody and api-123e4567-e89b-12d3-a456-426614174000',
  'API_KEY=$OPENAI_API_KEY CACHE_KEY=/var/cache/build-20261123 PRIMARY_KEY=customer-orders',
  'linear: fix the login of customers (ENG-1234), see the twitter thread 20 of 2024',
  'intercom_conversation_id: 215472093847562, discord channel: 577023629803042716',
  'the jira issue, PROJECT-12345-is-a-long-name-2024',
  'curl -u $USER:$PASSWORD h; ls -u a:bcd; docker run -u 1000:1000 image',
  'kind: Deployment\n  image: registry1Abcdefgh23\n',
  'git log in sourcegraph/cody 9fce5fff1bf04c06ef7e81c5301fc526d9e50926',
  'secret: v2/observations and token=required-by-2024',
];

test.each(INNOCENT)('what correlates or names stays: %s', (text) => {
  expect(redact(text)).toBe(text);
});

test.each([
  ['datadog_api_key: 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567', 'datadog_api_key: <secret>'],
  [
    '{"args":"{\\"ALGOLIA_KEY\\":\\"0a1b2c3d4e5f60718293a4b5c6d7e8f9\\"}"}',
    '{"args":"{\\"ALGOLIA_KEY\\":\\"<secret>\\"}"}',
  ],
  ['curl -s -u admin:s3cr3t-of-mine https://h/', 'curl -s -u admin:<secret> https://h/'],
  ["curl -H 'Authorization: Basic YWRtaW46aHVudGVyMg==' h", "curl -H 'Authorization: Basic <secret>' h"],
  ['curl -H "X-Api-Key: 9f8e7d6c5b4a" h', 'curl -H "X-Api-Key: <secret>" h'],
  ['GET /v1/mail?api_key=k3yOf24CharactersOrMore1&limit=1', 'GET /v1/mail?api_key=<secret>&limit=1'],
  [
    'kind: Secret\nmetadata:\n  name: db\n  namespace: production-eu-1\ndata:\n  password: aHVudGVyMmh1bnRlcjI=\n',
    'kind: Secret\nmetadata:\n  name: db\n  namespace: production-eu-1\ndata:\n  password: <secret>\n',
  ],
])('what a name gives away is masked, and its surroundings stay: %s', (text, masked) => {
  expect(redact(text)).toBe(masked);
});

test('the recorded sets of these tests hold no key but those that they plant', () => {
  const root = path.join(import.meta.dirname, '../..');
  const files = globSync(['test/**/*.{json,jsonl,ndjson}', 'examples/**/*.session.json'], {
    cwd: root,
    exclude: ['**/node_modules/**', 'test/redaction/**'],
  });
  const alarms = files.sort().flatMap((file) => {
    // Captures of requests hold their headers.
    const text = readFileSync(path.join(root, file), 'utf8').replace(/("authorization": *")[^"]*/gi, '$1');
    const found: string[] = [];
    redactor({ personal: false }, ({ kind }) => found.push(kind))(text);
    return found.length === 0 ? [] : [[file, found.length]];
  });
  expect(files.length).toBeGreaterThan(80);
  expect(alarms).toEqual([]);
});
