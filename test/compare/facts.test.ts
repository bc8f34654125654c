import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as say from '../../examples/model-server/wording.ts';
import { trajectoryOf } from '../../src/compare/steps/trajectory.ts';
import { factsOf } from '../../src/compare/text/facts.ts';
import type { Observation, Recording } from '../../src/contract/index.ts';
import { outputOf } from '../tau/trajectory.ts';
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

/** Makes a text long enough for facts, and states none itself. */
const PADDING = 'please have a look at all of what we have put together for you here: ';
const facts = (text: string): unknown => factsOf(`${PADDING}${text}`);

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

test.each(OUTCOMES)('wordings of one answer have equal facts: %s', (_, wordings) => {
  const distinct = new Set(wordings.map((wording) => JSON.stringify(factsOf(wording))));
  expect([...distinct]).toHaveLength(1);
});

test('different answers have different facts', () => {
  const byFacts = Map.groupBy(OUTCOMES, ([, [wording]]) => JSON.stringify(factsOf(wording)));
  // That the help pages are silent and that a refund failed differ in nothing but the words around a `not`.
  expect([...byFacts.values()].map((same) => same.map(([name]) => name)).filter(({ length }) => length > 1)).toEqual([
    ['nothing found', 'failed'],
  ]);
});

test('recorded answers of a real agent: of 299 pairs that differ, 48 state the same', () => {
  const trials = readTrials();
  const pairs = trials.flatMap((a, index) =>
    trials.slice(index + 1).flatMap((b) => (a.task === b.task ? [[outputOf(a), outputOf(b)] as const] : [])),
  );
  const differing = pairs.filter(([a, b]) => a !== b);
  const same = differing.filter(([a, b]) => JSON.stringify(factsOf(a)) === JSON.stringify(factsOf(b)));
  expect([pairs.length, differing.length, same.length]).toEqual([300, 299, 48]);
});

test.each<[string, string[]]>([
  ['a number', ['it is 1,000 of them', 'it is 1000 of them', 'of them it is 1’000', 'so it is 1000.0 of them']],
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
  ['a name', ['booked for Mia Li', '**Mia Li** has been booked', 'this is Mia Li’s']],
  ['a refusal', ["I can't do that", 'I cannot do that', 'I am unable to do that', 'I won’t do that']],
  ['a denial', ['was denied', 'was refused', 'was rejected']],
  ['emphasis and lists', ['\n- **HAT136**', '\n1. HAT136', '\n* _HAT136_.', '\n2) HAT136!']],
  ['a list', ['take\n- Kettle\n- Stove', 'take\n1. Kettle\n2) Stove', 'take | Stove | Kettle']],
  ['courtesy', ['feel free to ask', "don't hesitate to ask", 'ask, no problem']],
  ['repetition', ['AB-1', 'AB-1, I mean AB-1', 'AB-1 and AB-1']],
])('spellings of %s are one fact', (_, texts) => {
  for (const text of texts) expect([text, facts(text)]).toEqual([text, facts(texts[0] as string)]);
});

test.each<[string, string, string]>([
  ['number', 'you have 5 of them', 'you have 6 of them'],
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
  ['name', 'booked for Mia Li', 'booked for Mia Lee'],
  ['name in the first place that stands elsewhere too', 'so Mia it is. Mia pays', 'so Noa it is. Noa pays'],
  ['item of a list', 'take\n- Kettle\n- Stove', 'take\n- Kettle\n- Tent'],
  ['item of a numbered list', 'take\n1. Kettle\n2. Stove', 'take\n1. Kettle\n2. Tent'],
  ['cell of a table', 'take\n| Kettle | Stove |', 'take\n| Pan | Stove |'],
  ['yes and no', 'yes, that is so', 'no, that is so'],
  ['negation', 'it is eligible', "it isn't eligible"],
  ['decision', 'it was approved', 'it was denied'],
  ['failure', 'that was done', 'that failed'],
  ['refusal and answer', 'I cannot do that', 'that cannot be'],
  ['quote', 'see "Care of tents"', 'see "Care of boots"'],
  ['code', 'run `npm test`', 'run `npm start`'],
  ['fenced code', '\n```js\nf(1)\n```', '\n```js\nf(2)\n```'],
  ['URL', 'see https://a.example/x', 'see https://a.example/y'],
  ['address', 'of mia@a.example', 'of noa@a.example'],
  ['Hebrew decision', 'הבקשה אושרה', 'הבקשה נדחתה'],
  ['Chinese negation', '您可以取消订单', '您不可以取消订单'],
  ['Chinese decision', '退款已批准', '退款已拒绝'],
  ['number between Chinese words', '订单A1042将于24日送达', '订单A1042将于25日送达'],
])('another %s is another fact', (_, a, b) => {
  expect(facts(a)).not.toEqual(facts(b));
});

test('a short text is its words, case-folded and in order', () => {
  expect(factsOf('Yes, **1,000** of them!')).toEqual({ words: ['yes', '1000', 'of', 'them'] });
  expect(factsOf('Mia pays Noa')).not.toEqual(factsOf('Noa pays Mia'));
  expect(factsOf('已批准')).not.toEqual(factsOf('已寄出'));
});

test('empty and not empty differ, also when it is only signs', () => {
  expect(factsOf('')).toEqual(factsOf(' \n'));
  expect(factsOf('')).not.toEqual(factsOf('👍'));
  expect(factsOf('👎')).not.toEqual(factsOf('👍'));
});

test('a structured output is its own facts', () => {
  for (const value of [null, true, 5, [], { words: ['A', 'b'] }, ['x'.repeat(100)]]) expect(factsOf(value)).toBe(value);
});

test('kinds are named and sorted, those that do not occur are left out', () => {
  const text = `Your Kettle (AB-9, AB-10) was not sent to Mia Li on May 2, 2026 at 9 am: "out of stock", $5 and \`E1\`.
    See https://shop.example/help.`;
  const found = factsOf(text) as Record<string, unknown>;
  expect(Object.keys(found)).toEqual([
    'code',
    'dates',
    'ids',
    'names',
    'numbers',
    'polarity',
    'quotes',
    'times',
    'urls',
  ]);
  expect(found).toEqual({
    code: ['E1'],
    dates: ['2026-05-02'],
    ids: ['AB-10', 'AB-9'],
    names: ['kettle', 'li', 'mia'],
    numbers: ['5 USD'],
    polarity: ['not'],
    quotes: ['out of stock'],
    times: ['09:00'],
    urls: ['https://shop.example/help'],
  });
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

test('facts do not depend on the order of what states them, or on the words between', () => {
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
      expect(facts(render(b, fillers))).toEqual(facts(render(a, fillers.toReversed())));
    }),
    { numRuns: 1_000 },
  );
});

test('a text that states one fact more, less or another has other facts', () => {
  const render = (list: readonly string[]): string => list.map((each) => `and also ${each} ;`).join(' ');
  fc.assert(
    fc.property(fc.uniqueArray(fact, { minLength: 2, maxLength: 8 }), fact, (list, other) => {
      fc.pre(!list.includes(other));
      expect(facts(render(list.slice(1)))).not.toEqual(facts(render(list)));
      expect(facts(render([other, ...list.slice(1)]))).not.toEqual(facts(render(list)));
    }),
    { numRuns: 1_000 },
  );
});

test('any text has facts, the same each time, in any normal form and with any line ends', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      const found = factsOf(text);
      expect(factsOf(text.normalize('NFD'))).toEqual(found);
      expect(factsOf(`  ${text}\r\n`)).toEqual(found);
    }),
    { numRuns: 2_000 },
  );
});

test('facts are the same in every locale and time zone', () => {
  const text = `${PADDING}INFO for İpek Iz: 1.000,50 EUR on 24.11.2026 at 11:30 pm, 2026-11-24T23:30:00Z, IIII I_1`;
  const program = `import { factsOf } from ${JSON.stringify(new URL('../../src/compare/text/facts.ts', import.meta.url).href)};
    console.log(JSON.stringify(factsOf(${JSON.stringify(text)})));`;
  for (const env of [
    { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati' },
    { LC_ALL: 'ar_EG.UTF-8', LANG: 'ar_EG.UTF-8', TZ: 'America/Los_Angeles' },
  ]) {
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], { env, encoding: 'utf8' });
    expect(JSON.parse(printed)).toEqual(factsOf(text));
  }
});

test.each([
  ['سيصل طلبك خلال # أيام من تاريخ اليوم إلى عنوانك المسجل لدينا شكرا لك على صبرك', '٣', '٥'],
  ['आपका ऑर्डर # दिनों में आपके पते पर पहुँच जाएगा कृपया प्रतीक्षा करें धन्यवाद हम आपकी सेवा में हैं', '३', '५'],
  ['ご注文の合計は#円です。すぐに発送いたしますので、少々お待ちください。', '１２３００', '１２４００'],
  ['Take # cup of sugar and stir it into the milk until it is warm and all grains are gone.', '½', '¼'],
  ['Su pedido llegará en # días a la dirección que tenemos registrada, gracias por su paciencia.', 'tres', 'cinco'],
  ['Ваш заказ # отменить сегодня по нашим правилам, мы с удовольствием займёмся этим для вас.', 'можно', 'нельзя'],
])('facts are read in the digits and number words of other languages: %s', (text, one, other) => {
  expect(factsOf(text.replace('#', one))).not.toEqual(factsOf(text.replace('#', other)));
});

test.each([
  [
    'ru',
    '',
    'не',
    '# можем отменить ваш заказ сегодня, и деньги будут возвращены вам полностью в течение одной недели.',
  ],
  ['ru', 'Да', 'Нет', '#, ваш заказ отменён сегодня, и деньги будут возвращены вам полностью в течение одной недели.'],
  [
    'ru',
    'с',
    'без',
    'Мы отправим заказ # подтверждения, и деньги будут возвращены вам полностью в течение одной недели.',
  ],
  [
    'ru',
    'одобрен',
    'отклонён',
    'Ваш запрос сегодня #, и письмо будет отправлено вам на вашу почту в течение одной недели.',
  ],
  ['uk', 'Так', 'Ні', '#, ваше замовлення скасовано сьогодні, і гроші будуть повернуті вам повністю протягом тижня.'],
  [
    'de',
    'mit',
    'ohne',
    'Wir werden das heute # weitere kosten stornieren, und es wird binnen einer woche alles erstattet.',
  ],
  [
    'fr',
    'est',
    "n'est plus",
    'Votre commande # annulable, et votre argent vous sera rendu dans la semaine qui vient, bien sûr.',
  ],
  ['es', '', 'no', 'Hoy # podemos cancelar su pedido, y el dinero será devuelto a usted en el plazo de una semana.'],
  ['nl', '', 'niet', 'Wij kunnen dit vandaag # annuleren, en het geld wordt binnen een week aan u teruggestort.'],
  ['sv', '', 'inte', 'Vi kan # avbryta detta idag enligt reglerna, och allt betalas tillbaka inom en vecka till dig.'],
  [
    'pl',
    '',
    'nie',
    'Dzisiaj # możemy tego anulować zgodnie z zasadami, a wszystko zostanie zwrócone w ciągu tygodnia.',
  ],
  ['el', '', 'δεν', 'Σήμερα # μπορούμε να το ακυρώσουμε και τα χρήματα θα επιστραφούν σε εσάς μέσα σε μία εβδομάδα.'],
  ['ar', '', 'غير', 'الطلب # متاح للإلغاء اليوم وفق القواعد وسيعاد المال إليك كاملا خلال أسبوع إن شاء الله تعالى'],
  ['hi', '', 'नहीं', 'हम आज आपका ऑर्डर रद्द # कर सकते हैं और पैसा एक सप्ताह में आपको वापस कर दिया जाएगा'],
  [
    'ko',
    '있습니다',
    '없습니다',
    '오늘 주문을 취소할 수 # 그리고 돈은 규정에 따라 일주일 안에 고객님의 계좌로 돌려 드립니다',
  ],
  ['th', '', 'ไม่', 'คุณ#สามารถยกเลิกคำสั่งซื้อได้วันนี้ตามกฎและเงินจะถูกคืนให้คุณภายในหนึ่งสัปดาห์'],
  [
    'id',
    '',
    'tidak',
    'Kami # dapat membatalkan ini hari ini sesuai aturan dan uang akan dikembalikan dalam satu minggu.',
  ],
  [
    'vi',
    '',
    'không',
    'Chúng tôi # thể hủy đơn hàng này hôm nay theo quy định và tiền sẽ được hoàn lại trong một tuần.',
  ],
])('a negation is a fact in %s: "%s" and "%s"', (_, one, other, text) => {
  const stated = [one, other].map((word) => factsOf(text.replace('#', word)));
  expect(stated[0]).not.toEqual(stated[1]);
  // Of a longer text the words are not kept: it is the negation itself that was read.
  expect(stated[1]).toMatchObject({ polarity: expect.anything() });
});

test.each([
  ['ru', 'не стесняйтесь, пишите нам'],
  ['fr', 'n’hésitez pas, écrivez-nous'],
  ['de', 'kein problem, schreiben sie uns'],
  ['es', 'no dude en escribirnos'],
])('courtesy denies nothing in %s: %s', (_, courtesy) => {
  expect(facts(courtesy)).toEqual(facts(''));
});

test('codes in capitals are no words of other languages, and shouting is no code', () => {
  expect(facts('it goes to Omaha, NE')).toMatchObject({ ids: ['NE'] });
  expect(facts('it goes to Omaha, NE')).not.toHaveProperty('polarity');
  expect(facts('that is NOT so')).toMatchObject({ polarity: ['not'] });
  expect(facts('это НЕ так')).toMatchObject({ polarity: ['not'] });
});

test('JSON in a fence inside of a text is the value that it spells', () => {
  const answer = (json: string) => facts(`\n\`\`\`json\n${json}\n\`\`\`\nthat is all.`);
  expect(answer('{"b": 1.0, "a": [2]}')).toEqual(answer('{\n  "a": [\n    2\n  ],\n  "b": 1\n}'));
  expect(answer('{"b": 1, "a": [2]}')).not.toEqual(answer('{"b": 1, "a": [3]}'));
});

test('digits of another script are the number that they write', () => {
  const text = 'سيصل طلبك خلال # أيام من تاريخ اليوم إلى عنوانك المسجل لدينا شكرا لك على صبرك';
  expect(factsOf(text.replace('#', '٣'))).toEqual(factsOf(text.replace('#', '3')));
});

test.each([
  'Your cat cannot pay 5,000.50 before May 20, 2024 to HAT136. ',
  '不可以取消订单',
  '"a ',
  '«a',
  '`a\n',
  '```',
  '1,',
  '1-a:',
  'a.',
  'a@',
  '5 of ',
  '$',
  '-',
  ' ',
  'https://',
  'É',
])('no megabyte takes long: %j again and again', (piece) => {
  const text = piece.repeat(Math.ceil(2 ** 20 / Buffer.byteLength(piece)));
  const start = performance.now();
  factsOf(text);
  // About 0.1 s on a quiet machine. Backtracking would take minutes.
  expect(performance.now() - start).toBeLessThan(2_000);
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
    expect(compare(recorded[index] as Recording, other).verdict).toBe('reproduced');
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
