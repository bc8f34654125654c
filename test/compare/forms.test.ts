import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import * as say from '../../examples/model-server/wording.ts';
import { trajectoryOf } from '../../src/compare/steps/recorded-steps.ts';
import { compareTexts } from '../../src/compare/text/other-words.ts';
import { Text } from '../../src/compare/text/text.ts';
import type { Observation, Recording } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';
import { outcomes } from '../outcomes.ts';
import { outputOf } from '../tau/conversation.ts';
import { readTrials } from '../tau/trials.ts';
import { compare } from './agents.ts';

const GENERATION: Observation = {
  id: 'g',
  parentId: null,
  type: 'generation',
  name: 'model',
  startTime: '2026-01-05T10:00:00.000Z',
  endTime: '2026-01-05T10:00:01.000Z',
};

/** Makes a text long enough not to be held to each word, and states nothing itself. */
const PADDING = 'please have a look at all of what we have put together for you here: ';

/** All that a text states. */
function statedBy(text: string): string[] {
  const { stated, polarity, isRefusal } = new Text(text).forms;
  return [
    ...stated.keys(),
    ...[...polarity].map(([kind, count]) => `${kind} ${count}`),
    ...(isRefusal ? ['refusal'] : []),
  ].sort();
}
const forms = (text: string): string[] => statedBy(`${PADDING}${text}`);
const compared = (a: string, b: string) => compareTexts(new Text(a), new Text(b));
const isApart = (a: string, b: string): boolean => typeof compared(a, b) === 'object';

const ORDER = {
  id: 'AB-1042',
  customer_id: 'c_7',
  item: 'Trail Kettle',
  total: 49.5,
  currency: 'EUR',
  status: 'delivered',
  delivery: '2026-11-24',
} satisfies say.Order;
const REFUND = { refund_id: 'rf_81', amount: 49.5, currency: 'EUR' };
const ARTICLE = {
  title: 'Care of tents',
  text: 'Let the tent dry for 24 hours before you put it away, or it will not last.',
};

const OUTCOMES: [string, say.Wordings][] = [
  ['delivered', say.orderStatus(ORDER)],
  ['delivered on another day', say.orderStatus({ ...ORDER, delivery: '2026-11-25' })],
  ['another item delivered', say.orderStatus({ ...ORDER, item: 'Trail Stove' })],
  ['on its way', say.orderStatus({ ...ORDER, id: 'AB-1043', status: 'in transit' })],
  ['processing', say.orderStatus({ ...ORDER, id: 'AB-1044', status: 'processing' })],
  ['two orders', say.comparison([ORDER, { ...ORDER, id: 'AB-7', delivery: '2026-11-20' }])],
  ['unknown order', say.unknownOrder('AB-1042')],
  ['found orders', say.foundOrders([ORDER])],
  ['no orders', say.noOrders('mia@example.com')],
  ['refunded', say.refunded(ORDER, REFUND)],
  ['refunded less', say.refunded(ORDER, { ...REFUND, amount: 4.95 })],
  ['refund escalated', say.refundEscalated(ORDER, { ticket_id: 'T-5' })],
  ['no refund', say.noRefund(ORDER, { eligible: false, reason: 'it was bought in a final sale' })],
  ['complaint', say.complaintTaken({ ticket_id: 'T-5' })],
  ['article', say.fromArticle(ARTICLE)],
  ['nothing found', say.nothingFound()],
  ['failed', say.failed('the refund')],
  ['goodbye', say.goodbye()],
];

test.each(OUTCOMES)('wordings of one answer say the same, as far as can be told: %s', (_, wordings) => {
  for (const a of wordings) for (const b of wordings) expect([a, b, isApart(a, b)]).toEqual([a, b, false]);
});

test('different answers are told apart', () => {
  const pairs = OUTCOMES.flatMap(([name, one], index) =>
    OUTCOMES.slice(index + 1).map(([other, texts]) => ({ names: `${name} and ${other}`, one, texts })),
  );
  const alike = pairs.filter(({ one, texts }) => one.some((a) => texts.some((b) => !isApart(a, b))));
  // Names of a longer answer count only where little else differs.
  expect(alike.map(({ names }) => names)).toEqual(['delivered and another item delivered']);
  const inTheSameWords = alike.filter(({ one, texts }) => one.some((a, index) => !isApart(a, texts[index] ?? '')));
  expect(inTheSameWords).toEqual([]);
});

test('recorded answers of a real agent: of 299 pairs that differ, 60 are in other words', () => {
  const trials = readTrials();
  const pairs = trials.flatMap((a, index) =>
    trials.slice(index + 1).flatMap((b) => (a.task === b.task ? [[outputOf(a), outputOf(b)] as const] : [])),
  );
  const differing = pairs.filter(([a, b]) => a !== b);
  const reworded = differing.filter(([a, b]) => compared(a, b) === 'reworded');
  expect([pairs.length, differing.length, reworded.length]).toEqual([300, 299, 60]);
});

test.each<[string, string[]]>([
  ['a number', ['it is 1,000 of them', 'it is 1000 of them', 'of them it is 1’000', 'so it is 1000.0 of them']],
  [
    'a large number',
    ['it is 1,200.50 EUR', 'it is EUR 1200.5', 'it is 1.200,50 €', 'it is 1 200,50 EUR', 'it is €1’200.50'],
  ],
  ['a million', ['it is 1,000,000', 'it is 1.000.000', 'it is 1000000']],
  ['a decimal', ['takes 12,5 kg', 'takes 12.5 kg', 'takes 12.50kg']],
  [
    'a quotation',
    [
      'see "Care of tents"',
      'see „Care of tents“',
      'see «Care of tents»',
      'see ‘Care of tents.’',
      "see 'Care of tents'",
    ],
  ],
  ['an amount of money', ['costs $305', 'costs 305 USD', 'costs USD 305', 'costs 305 dollars', 'costs $305.00']],
  ['a share', ['up by 10%', 'up by 10 percent', 'by 10 % up']],
  [
    'a day',
    ['on 2024-05-20', 'on May 20, 2024', 'on May 20th, 2024', 'on 20 May 2024', 'on 20.05.2024', 'on 5/20/2024'],
  ],
  ['a day without its year', ['on May 20', 'on the 20th of May', 'on 20 May']],
  ['a time', ['at 19:00', 'at 7 PM', 'at 7pm', 'at 07:00 PM']],
  ['a span of time', ['in 24 hours', 'a 24-hour wait', 'in 24h']],
  ['a range', ['in 5-7 days', 'in 5 to 7 days']],
  ['a small number', ['has two bags', 'has 2 bags', 'there are 2 of them']],
  ['a refusal', ["I can't do that", 'I cannot do that', 'I am unable to do that', 'I won’t do that']],
  ['a denial', ['was denied', 'was refused', 'was rejected']],
  ['what costs nothing', ['it is free of charge', 'it is free', 'it is at no cost', 'it is without any charge']],
  ['a large number in words', ['it is 2 million', 'it is 2,000,000', 'it is 2000 thousand']],
  ['an amount in words', ['costs $2.5 million', 'costs 2,500,000 USD']],
  ['a telephone number', ['call +43 1 234 5678', 'call +43 1 2345678', 'call +43 (1) 234-5678']],
  ['a yes', ['yes, that is so', 'that is so']],
  ['emphasis', ['\n- **HAT136**', 'HAT136', '\n* _HAT136_.', 'HAT136!']],
  ['a list', ['take\n- A-1\n- A-2', 'take\n1. A-1\n2) A-2', 'take 1. A-1 2. A-2', 'take | A-2 | A-1']],
  ['courtesy', ['feel free to ask', "don't hesitate to ask", 'ask, no problem']],
  ['repetition', ['AB-1', 'AB-1, I mean AB-1', 'AB-1 and AB-1']],
])('spellings of %s are one form', (_, texts) => {
  for (const text of texts) expect([text, forms(text)]).toEqual([text, forms(texts[0] as string)]);
});

test.each<[string, string, string]>([
  ['number', 'you have 5 of them', 'you have 6 of them'],
  ['bound', 'you have ≥ 5 of them', 'you have ≤ 5 of them'],
  ['fraction', 'takes ½ of it', 'takes ¼ of it'],
  ['sign', 'it is at -5 now', 'it is at 5 now'],
  ['currency', 'it costs $5', 'it costs €5'],
  ['unit', 'in 5 days', 'in 5 weeks'],
  ['decimals', 'it costs 1.50', 'it costs 1.5001'],
  ['leading zeros', 'the code 007', 'the code 7'],
  ['decimals that may be thousands', 'it costs 1.500', 'it costs 1.5'],
  ['digits beyond a double', 'it is 90071992547409931', 'it is 90071992547409932'],
  ['day', 'on May 20', 'on May 21'],
  ['day that is not said', 'on 5/6/2024', 'on 6/5/2024'],
  ['time', 'at 7:00 am', 'at 7:00 pm'],
  ['id', 'it is gift_card_1', 'it is gift_card_2'],
  ['id in another case', 'it is aB3x9', 'it is Ab3x9'],
  ['id that begins with digits', 'it is 123abc', 'it is 123abd'],
  ['renamed id', 'it is <uuid#1>, of 1 and 2', 'it is <uuid#2>, of 1 and 2'],
  ['kind of renamed id', 'it is <uuid#1>', 'it is <call#1>'],
  ['code of letters', 'from JFK', 'from SEA'],
  ['yes and no', 'yes, that is so', 'no, that is so'],
  ['free', 'it is free of charge', 'it is paid by you'],
  ['negation', 'it is eligible', "it isn't eligible"],
  ['decision', 'it was approved', 'it was denied'],
  ['failure', 'that was done', 'that failed'],
  ['number of negations', 'it is not here, and it is there', 'it is not here, and it is not there'],
  ['quote', 'see "Care of tents"', 'see "Care of boots"'],
  ['code', 'run `npm test`', 'run `npm start`'],
  ['fenced code', '\n```js\nf(1)\n```', '\n```js\nf(2)\n```'],
  ['URL', 'see https://a.example/x', 'see https://a.example/y'],
  ['address', 'of mia@a.example', 'of noa@a.example'],
  ['number between Chinese words', '订单A1042将于24日送达', '订单A1042将于25日送达'],
])('another %s is another form', (_, a, b) => {
  expect(forms(a)).not.toEqual(forms(b));
  expect(isApart(`${PADDING}${a}`, `${PADDING}${b}`)).toBe(true);
});

test('the forms of a text, each with its kind', () => {
  const text = `Your Kettle (AB-9, AB-10) was not sent to Mia Li on May 2, 2026 at 9 am: "out of stock", $5 and \`E1\`.
    See https://shop.example/help.`;
  expect(statedBy(text)).toEqual([
    'code E1',
    'date 2026-05-02',
    'id AB-10',
    'id AB-9',
    'not 1',
    'number 5 USD',
    'quote out of stock',
    'time 09:00',
    'url https://shop.example/help',
  ]);
});

const fact = fc.oneof(
  fc.integer({ min: 2, max: 10 ** 9 }).map(String),
  fc.stringMatching(/^[A-Z]{2}-\d{4}$/),
  fc.stringMatching(/^[a-z]{2}_\d{2}$/),
  fc
    .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  fc.stringMatching(/^"[a-z]{3,9}"$/),
  fc.stringMatching(/^https:\/\/a\.example\/[a-z]{3,9}$/),
);
const filler = fc.constantFrom('with', 'for you', 'about', 'as you asked,', 'together\nwith', 'and then');

test('forms do not depend on the order of what states them, or on the words between', () => {
  const texts = fc.uniqueArray(fact, { minLength: 1, maxLength: 8 }).chain((list) =>
    fc.record({
      a: fc.constant(list),
      b: fc.shuffledSubarray(list, { minLength: list.length }),
      fillers: fc.array(filler, { minLength: 9, maxLength: 9 }),
    }),
  );
  const render = (list: readonly string[], words: readonly string[]): string =>
    list.map((each, index) => `${words[index]} ${each} ;`).join(' ');
  fc.assert(
    fc.property(texts, ({ a, b, fillers }) => {
      expect(forms(render(b, fillers))).toEqual(forms(render(a, fillers.toReversed())));
    }),
    { numRuns: 1_000 },
  );
});

test('a text that states one form more, less or another has other forms', () => {
  const render = (list: readonly string[]): string => list.map((each) => `and also ${each} ;`).join(' ');
  fc.assert(
    fc.property(fc.uniqueArray(fact, { minLength: 2, maxLength: 8 }), fact, (list, other) => {
      fc.pre(!list.includes(other));
      expect(forms(render(list.slice(1)))).not.toEqual(forms(render(list)));
      expect(forms(render([other, ...list.slice(1)]))).not.toEqual(forms(render(list)));
    }),
    { numRuns: 1_000 },
  );
});

test('any text has forms, the same each time, in any normal form and with any line ends', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      const found = statedBy(text);
      expect(statedBy(text.normalize('NFD'))).toEqual(found);
      expect(statedBy(`  ${text}\r\n`)).toEqual(found);
      for (const other of [text.normalize('NFD'), `  ${text}\r\n`]) expect(compared(text, other)).toBe('same');
    }),
    { numRuns: 2_000 },
  );
});

test('forms are the same in every locale and time zone', () => {
  const text = `${PADDING}INFO for İpek Iz: 1.000,50 EUR on 24.11.2026 at 11:30 pm, 2026-11-24T23:30:00Z, IIII I_1`;
  const program = `import { Text } from ${JSON.stringify(new URL('../../src/compare/text/text.ts', import.meta.url).href)};
    const text = new Text(${JSON.stringify(text)});
    console.log(JSON.stringify([[...text.forms.stated.keys()], [...text.names], text.words.map((word) => word.text)]));`;
  const read = new Text(text);
  const here = [[...read.forms.stated.keys()], [...read.names], read.words.map((word) => word.text)];
  for (const env of [
    { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati' },
    { LC_ALL: 'ar_EG.UTF-8', LANG: 'ar_EG.UTF-8', TZ: 'America/Los_Angeles' },
  ]) {
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], { env, encoding: 'utf8' });
    expect(JSON.parse(printed)).toEqual(here);
  }
});

test.each([
  ['سيصل طلبك خلال # أيام من تاريخ اليوم إلى عنوانك المسجل لدينا شكرا لك على صبرك', '٣', '٥'],
  ['आपका ऑर्डर # दिनों में आपके पते पर पहुँच जाएगा कृपया प्रतीक्षा करें धन्यवाद हम आपकी सेवा में हैं', '३', '५'],
  ['ご注文の合計は#円です。すぐに発送いたしますので、少々お待ちください。', '１２３００', '１２４００'],
  ['Take # cup of sugar and stir it into the milk until it is warm and all grains are gone.', '½', '¼'],
])('numbers are read in the digits of other scripts: %s', (text, one, other) => {
  expect(statedBy(text.replace('#', one))).not.toEqual(statedBy(text.replace('#', other)));
});

test('shouting is no code', () => {
  expect(forms('it goes to Omaha, NE')).toEqual(['id NE']);
  expect(forms('that is NOT so')).toEqual(['not 1']);
});

test('JSON in a fence inside of a text is the value that it spells', () => {
  const answer = (json: string) => forms(`\n\`\`\`json\n${json}\n\`\`\`\nthat is all.`);
  expect(answer('{"b": 1.0, "a": [2]}')).toEqual(answer('{\n  "a": [\n    2\n  ],\n  "b": 1\n}'));
  expect(answer('{"b": 1, "a": [2]}')).not.toEqual(answer('{"b": 1, "a": [3]}'));
});

test('digits of another script are the number that they write', () => {
  const text = 'سيصل طلبك خلال # أيام من تاريخ اليوم إلى عنوانك المسجل لدينا شكرا لك على صبرك';
  expect(statedBy(text.replace('#', '٣'))).toEqual(statedBy(text.replace('#', '3')));
});

test('an answer that is JSON in a Markdown fence is compared as JSON, wherever the trace has it', () => {
  const fence = (json: string) => `\`\`\`json\n${json}\n\`\`\`\n`;
  const said = (text: string): Recording[] => [
    { output: text, observations: [] },
    { output: { role: 'assistant', content: text }, observations: [] },
    { observations: [{ ...GENERATION, output: { role: 'assistant', content: text } }] },
  ];
  const recorded = said(fence('{"total": 5, "note": "run `npm test`", "name": "Mia"}'));
  for (const [index, other] of said(fence('{"name":"Mia","note":"run `npm test`","total":5.0}')).entries()) {
    expect(compare(recorded[index] as Recording, other).verdict).toBe(outcomes.asRecorded);
  }
  for (const [index, other] of said(fence('{"total": 7, "note": "run `npm test`", "name": "Mia"}')).entries()) {
    expect(compare(recorded[index] as Recording, other).divergence).toMatchObject({
      kind: 'final-structure',
      pointer: '/total',
    });
  }
  const prose = said(`Here it is:\n${fence('{"total": 5}')}Anything else?`);
  for (const each of prose) expect(compare(each, each).clusters[0]?.runs).toEqual([1]);
  expect(trajectoryOf(prose[0] as Recording).steps.at(-1)?.value).toBe(prose[0]?.output);
});
