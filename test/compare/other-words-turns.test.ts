import { describe, expect, test } from 'vitest';
import { RecordedTurn, type TurnComparison } from '../../src/compare/index.ts';
import { MAX_TEXTS } from '../../src/compare/shapes/result.ts';
import { strictness as strictnessLevels } from '../../src/compare/shapes/rules.ts';
import { compareTexts } from '../../src/compare/text/other-words.ts';
import { Text } from '../../src/compare/text/text.ts';
import type { TurnRequest } from '../../src/contract/index.ts';
import type { Json, JsonObject } from '../../src/json/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';
import { outcomes } from '../outcomes.ts';
import { type Act, type Rendering, RUNS, record, rules } from './agents.ts';
import { compareTurn } from './compare-turn.ts';

const AS_SEEN: Rendering = { shape: 'chat', seed: 1, startMs: 0, tickMs: 1, shuffle: 0, spelling: 'plain' };

function said(answer: Json, acts: readonly Act[] = []): Recording {
  return record({ request: { input: 'Where is my order?' }, acts, answer }, AS_SEEN);
}

function called(tool: string, args: JsonObject): Recording {
  return said('Done for you, as you asked.', [{ thought: '', calls: [{ tool, args, result: 'ok' }] }]);
}

function compared(
  recordings: readonly Recording[] | Recording,
  replays: readonly Recording[],
  given: Parameters<typeof rules>[0] = {},
): TurnComparison {
  const numbered = replays.map((recording, index) => ({ run: index + 1, recording }));
  return compareTurn([recordings].flat(), numbered, rules(given));
}

const RECORDED = 'Your parcel with order AB-1042 has left our house this morning and will be with you on 2026-11-24.';
const REWORDED = [
  'Order AB-1042 has left our house this morning, so your parcel will be there on 2026-11-24, as planned.',
  'Good news: this morning your parcel has left our house, and order AB-1042 will be with you on 2026-11-24!',
];
const OTHER_DAY = 'Your parcel with order AB-1042 has left our house this morning and will be with you on 2026-11-25.';

test('other words with the same forms are as recorded, and said apart', () => {
  const { verdict, figures, note, clusters, divergence } = compared(
    said(RECORDED),
    [RECORDED, ...REWORDED].map((each) => said(each)),
  );
  expect({ verdict, note, divergence }).toEqual({
    verdict: outcomes.couldNotTell,
    note: '1 of 3 as recorded, 2 could not tell: worded differently',
    divergence: null,
  });
  expect(figures).toMatchObject({
    n: 3,
    asRecorded: 3,
    inOtherWords: 2,
    behaviours: 1,
    agreement: 1,
    passHatK: [1, 1, 1],
  });
  expect(clusters.map(({ runs, inOtherWords }) => ({ runs, inOtherWords }))).toEqual([
    { runs: [1, 2, 3], inOtherWords: [2, 3] },
  ]);
});

test('another form is a divergence, in however many runs', () => {
  const { verdict, figures, divergence } = compared(
    said(RECORDED),
    [RECORDED, REWORDED[0] as string, OTHER_DAY].map((each) => said(each)),
  );
  expect([verdict, figures.asRecorded, figures.inOtherWords]).toEqual([outcomes.varies, 2, 1]);
  expect(divergence).toMatchObject({
    kind: 'final-text',
    severity: 'behaviour',
    text: { because: 'form', recorded: ['2026-11-24'], replayed: ['2026-11-25'] },
  });
});

const LOOKED_UP: Act = {
  thought: '',
  calls: [
    {
      tool: 'get_order',
      args: { order: 'AB-1042' },
      result: {
        order: 'AB-1042',
        total: 412_154.9,
        card: 'card_7731',
        made: '2026-11-22',
        parts: 3,
        note: 'Box BX-77.',
      },
    },
  ],
};

/** With what stands beside the order, and what is said at the end. */
function adding(beside: string, end = ''): string {
  return `${RECORDED.replace('AB-1042', () => `AB-1042 ${beside}`)}${end}`;
}

test.each([
  ['an id that a tool gave', adding('(card_7731)'), true],
  ['a price that a tool gave', adding('of $412,154.90'), true],
  ['an id in a text that a tool gave', adding('(BX-77)'), true],
  ['an id that no tool gave', adding('(card_7732)'), false],
  ['a price that no tool gave', adding('of $412,154.95'), false],
  ['one of two that no tool gave', adding('of $412,154.90 (card_7732)'), false],
  ['a part of an id', adding('(7731)'), false],
  ['code without a word', adding('` `'), true],
  ['a count of one digit', adding('of 3'), false],
  ['a day', adding('of 2026-11-22'), false],
  ['a price of something else', adding('', ' A fee of $412,154.90 applies to each visit.'), false],
  ['a price, and a denial', adding('of $412,154.90').replace('has left', 'has not left'), false],
  ['a price in the place of what was recorded', adding('of $412,154.90').replace(' on 2026-11-24', ''), false],
])('an answer that adds %s is red, or could not be told if it was given', (_, answer, isGiven) => {
  const [recorded, replayed] = [RECORDED, answer].map((each) => said(each, [LOOKED_UP])) as [Recording, Recording];
  expect(compared(recorded, [replayed]).verdict).toBe(isGiven ? outcomes.couldNotTell : outcomes.changed);
});

test.each<[string, string, TurnRequest, boolean, string?]>([
  ['an id that was looked up', adding('(card_7731)'), {}, true],
  ['a price that was looked up', adding('of $412,154.90'), {}, true],
  ['an id that the user wrote', adding('(card_7732)'), { input: 'The card is card_7732.' }, true],
  [
    'an id that an assistant wrote',
    adding('(card_7732)'),
    { messages: [{ role: 'assistant', content: 'card_7732' }] },
    false,
  ],
  ['an id that the request asks for', adding('', ' The card is card_7731.'), { input: 'Which card is it?' }, false],
  ['a price in whose place another stands', adding('of $412,154.90'), {}, false, adding('of $412,154.95')],
  ['an id that no tool gave', adding('(card_7732)'), {}, false],
  ['a day', adding('of 2026-11-22'), {}, false],
  ['a day that the user wrote', adding('of 2026-11-22'), { input: 'Mine is that of 2026-11-22.' }, true],
])('an answer that leaves out %s is red, or could not be told if nobody asked for it', (...given) => {
  const [, answer, request, isUnasked, other = RECORDED] = given;
  const [recorded, replayed] = [answer, other].map((each) => said(each, [LOOKED_UP])) as [Recording, Recording];
  const { verdict } = compareTurn([recorded], [{ run: 1, recording: replayed }], rules(), { request });
  expect(verdict).toBe(isUnasked ? outcomes.couldNotTell : outcomes.changed);
});

test('an id that a writing tool gave may not be left out', () => {
  const booked = { ...LOOKED_UP, calls: LOOKED_UP.calls?.map((call) => ({ ...call, tool: 'book_order' })) } as Act;
  const [recorded, replayed] = [adding('(card_7731)'), RECORDED].map((each) => said(each, [booked])) as [
    Recording,
    Recording,
  ];
  expect(compared(recorded, [replayed]).verdict).toBe(outcomes.changed);
});

test('a short answer that adds what was given is red', () => {
  const [recorded, replayed] = ['It is on its way.', 'Order AB-1042 is on its way.'].map((each) =>
    said(each, [LOOKED_UP]),
  ) as [Recording, Recording];
  expect(compared(recorded, [replayed]).verdict).toBe(outcomes.changed);
});

test('what no tool was asked for was not given', () => {
  expect(compared(said(RECORDED), [said(adding('(card_7731)'))]).verdict).toBe(outcomes.changed);
});

test.each(['exact', 'wording'] as const)('strictness %s knows no other words', (strictness) => {
  const { verdict, figures } = compared(said(RECORDED), [said(REWORDED[0] as string)], { strictness });
  expect([verdict, figures.inOtherWords]).toEqual([outcomes.changed, 0]);
});

test.each(['steps', 'behaviour', 'outcome'] as const)(
  'strictness %s takes other words for as recorded',
  (strictness) => {
    expect(compared(said(RECORDED), [said(REWORDED[0] as string)], { strictness }).verdict).toBe(outcomes.couldNotTell);
  },
);

test('a run that says what any recording says is not in other words', () => {
  const recordings = [RECORDED, REWORDED[0] as string].map((each) => said(each));
  const { verdict, figures } = compared(recordings, [said(REWORDED[0] as string), said(RECORDED)]);
  expect([verdict, figures.inOtherWords]).toEqual([outcomes.asRecorded, 0]);
  expect(compared(recordings, [said(REWORDED[1] as string)]).figures.inOtherWords).toBe(1);
});

const ARRIVALS = ['14:32', '14:40'].map((time) =>
  said(`Fahrt 7: Ankunft um ${time}, Preis 5 EUR, Gleis 3. Gute Reise!`),
);

test.each([
  ['a time, which varies among the recordings', 'Fahrt 7: Ankunft um 14:51, Preis 5 EUR, Gleis 3. Gute Reise!', true],
  ['a price, which they share', 'Fahrt 7: Ankunft um 14:40, Preis 9 EUR, Gleis 3. Gute Reise!', false],
  ['both', 'Fahrt 7: Ankunft um 14:51, Preis 9 EUR, Gleis 3. Gute Reise!', false],
  ['a price more', 'Fahrt 7: Ankunft um 14:40, Preis 5 EUR, Platz 2 EUR, Gleis 3. Gute Reise!', false],
  ['what two labels say', 'Fahrt 3: Ankunft um 14:40, Preis 5 EUR, Gleis 7. Gute Reise!', false],
  ['nothing said', '', false],
])('with two recordings a run that differs in %s', (_, answer, isFree) => {
  const { verdict } = compared(ARRIVALS, [said(answer)]);
  expect(verdict).toBe(isFree ? outcomes.asRecorded : outcomes.changed);
});

test('a run near to another recording is as recorded, one that is near to none is not', () => {
  const other = 'I have found no such order. Please tell me its number again, or the address that it was made with.';
  const recordings = [said(RECORDED), said(other)];
  const near = said(
    'There is no such order that I have found. Please tell me the address that it was made with, or again its number.',
  );
  const far = said('The weather will be fine all week, so that you should think of going out to see some friends.');
  const { clusters, figures } = compared(recordings, [near, far]);
  expect([figures.asRecorded, figures.inOtherWords]).toEqual([1, 1]);
  expect(clusters.filter(({ runs }) => runs.length > 0).map(({ runs, recorded }) => [runs, recorded])).toEqual(
    expect.arrayContaining([
      [[1], true],
      [[2], false],
    ]),
  );
});

test('every text that is not the recorded one is in the report, whichever behaviour stands for the others', () => {
  for (const order of [REWORDED, [...REWORDED].reverse()]) {
    for (const replays of [[RECORDED, ...order], [...order, RECORDED], order, [order[0] as string]]) {
      const { clusters } = compared(
        said(RECORDED),
        replays.map((each) => said(each)),
      );
      const texts = clusters[0]?.texts.map(({ replayed, recorded, kind }) => ({ replayed, recorded, kind })) ?? [];
      const expected = new Set(replays.filter((each) => each !== RECORDED));
      expect(new Set(texts.map(({ replayed }) => replayed))).toEqual(expected);
      for (const { kind, recorded } of texts) expect([kind, recorded]).toEqual(['final-text', RECORDED]);
    }
  }
});

test('texts on the way are in the report as well', () => {
  const thinking = (thought: string) =>
    said(RECORDED, [{ thought, calls: [{ tool: 'search', args: { q: 'x' }, result: 'y' }] }]);
  const { verdict, clusters } = compared(thinking('Let me look.'), [
    thinking('I look.'),
    thinking('Let me look.'),
    thinking('I look.'),
  ]);
  expect(verdict).toBe(outcomes.asRecorded);
  expect(clusters[0]?.texts).toMatchObject([
    { kind: 'text', recorded: 'Let me look.', replayed: 'I look.', runs: [1, 3] },
  ]);
});

test('so many texts are listed, those that most runs say first, and the others are counted', () => {
  const wordings = Array.from({ length: MAX_TEXTS + 7 }, (_, index) => `${RECORDED} ${'So it is. '.repeat(index + 1)}`);
  const { clusters, figures } = compared(
    said(RECORDED),
    [...wordings, wordings.at(-1) as string].map((each) => said(each)),
  );
  expect([figures.inOtherWords, clusters[0]?.texts.length, clusters[0]?.moreTexts]).toEqual([
    MAX_TEXTS + 8,
    MAX_TEXTS,
    7,
  ]);
  expect(clusters[0]?.texts[0]?.runs).toEqual([MAX_TEXTS + 7, MAX_TEXTS + 8]);
});

const PROSE = 'The customer asks when the parcel with the blue tent will be there.';
const PROSE_REWORDED = 'When will the parcel with the blue tent be there, the customer asks.';

test.each<[string, Parameters<typeof rules>[0], string, string]>([
  ['a tool that nobody declared', {}, 'find_article', outcomes.couldNotTell],
  [
    'a tool declared to be read-only',
    { tools: { find_article: { readOnly: true } } },
    'find_article',
    outcomes.couldNotTell,
  ],
  [
    'a tool declared to change something',
    { tools: { find_article: { mutating: true } } },
    'find_article',
    outcomes.couldNotTell,
  ],
  ['a tool declared critical', { tools: { find_article: { critical: true } } }, 'find_article', outcomes.changed],
  [
    'a tool declared not to be read-only',
    { tools: { find_article: { readOnly: false } } },
    'find_article',
    outcomes.couldNotTell,
  ],
  ['a tool named as writing', {}, 'send_mail', outcomes.couldNotTell],
  [
    'a tool whose texts are declared its effect',
    { tools: { send_mail: { prose: 'did' } } },
    'send_mail',
    outcomes.changed,
  ],
  [
    'a tool named as writing that is declared read-only',
    { tools: { send_mail: { readOnly: true } } },
    'send_mail',
    outcomes.couldNotTell,
  ],
  ['a tool for machines', {}, 'bash', outcomes.changed],
])('prose in arguments of %s', (_, given, tool, verdict) => {
  const [recorded, replayed] = [called(tool, { about: PROSE, no: 1 }), called(tool, { about: PROSE_REWORDED, no: 1 })];
  expect(compared(recorded, [replayed], given).verdict).toBe(verdict);
  if (verdict === outcomes.couldNotTell) {
    expect(compared(recorded, [replayed], given).clusters[0]?.texts).toMatchObject([
      { kind: 'argument', pointer: '/about', recorded: PROSE, replayed: PROSE_REWORDED, runs: [1] },
    ]);
  }
});

test('an argument beside prose, and a form in it, count as ever', () => {
  const recorded = called('file_article', { about: `${PROSE} It is order 7.`, no: 1 });
  const other = called('file_article', { about: `${PROSE_REWORDED} It is order 7.`, no: 2 });
  expect(compared(recorded, [other]).divergence).toMatchObject({ kind: 'argument', pointer: '/no' });
  const form = called('file_article', { about: `${PROSE_REWORDED} It is order 8.`, no: 1 });
  expect(compared(recorded, [form]).divergence).toMatchObject({
    kind: 'argument',
    pointer: '/about',
    text: { because: 'form', recorded: ['7'], replayed: ['8'] },
  });
});

test('what has less than five words on a side is compared to the letter', () => {
  const [recorded, replayed] = [
    called('file_article', { about: 'blue tent for two' }),
    called('file_article', { about: 'tent for two people' }),
  ];
  expect(compared(recorded, [replayed]).verdict).toBe(outcomes.changed);
});

describe('a look that is asked for otherwise and finds the same cannot be told', () => {
  const verdictOf = (was: JsonObject, is: JsonObject) =>
    compared(called('find_article', was), [called('find_article', is)]).verdict;

  test.each([
    ['other words', { about: 'blue tent for two' }, { about: 'tent for two people' }],
    ['another figure in words', { about: 'tents below 50 euros' }, { about: 'tents below 80 euros' }],
    ['another size of the list', { about: 'tents' }, { about: 'tents', limit: 5 }],
    [
      'the same columns in another order',
      { about: 'select name, city from people' },
      { about: 'select city, name from people' },
    ],
  ])('%s', (_, was, is) => expect(verdictOf(was, is)).toBe(outcomes.couldNotTell));

  test.each([
    ['an argument more', { about: 'tents' }, { about: 'tents', colour: 'blue' }],
    ['an argument less', { about: 'tents', order_id: 'A-1' }, { about: 'tents' }],
    ['another word', { about: 'tents' }, { about: 'stoves' }],
  ])('but %s is another look', (_, was, is) => expect(verdictOf(was, is)).toBe(outcomes.changed));
});

test('a heading in other words over a text in other words that states the same cannot be told', () => {
  const mail = (subject: string, body: string) => called('send_mail', { subject, body });
  const recorded = mail('Your order 7', PROSE);
  expect(compared(recorded, [mail('Order 7 is coming', PROSE_REWORDED)]).verdict).toBe(outcomes.couldNotTell);
  expect(compared(recorded, [mail('Order 7 is coming', PROSE)]).verdict).toBe(outcomes.changed);
  expect(compared(recorded, [mail('Your order 8', PROSE_REWORDED)]).verdict).toBe(outcomes.changed);
});

test('a judge is asked about a heading, too, and what it says of the two is what was said', () => {
  const [recorded, replayed] = [
    called('send_mail', { subject: 'Your order 7', body: PROSE }),
    called('send_mail', { subject: 'Order 7 is coming', body: PROSE_REWORDED }),
  ];
  const judgedBy = (judged: (recorded: string) => 'same' | 'different' | undefined) => {
    const comparison = new RecordedTurn({ recorded }, rules({})).start(1, { judged });
    comparison.add(1, replayed);
    const { did, said } = comparison.result().aspects;
    return { did: did.outcome, said: said.outcome, places: comparison.openTexts().map(({ place }) => place) };
  };
  const did = outcomes.asRecorded;
  const places = ['tool:send_mail/args/body', 'tool:send_mail/args/subject'];
  expect(judgedBy(() => undefined)).toEqual({ did, said: outcomes.couldNotTell, places });
  expect(judgedBy(() => 'same')).toEqual({ did, said: outcomes.asRecorded, places: [] });
  for (const text of ['Your order 7', PROSE]) {
    const judged = judgedBy((each) => (each === text ? 'different' : 'same'));
    expect(judged).toEqual({ did, said: outcomes.changed, places: [] });
  }
});

test('what a tool writes for a program to read is compared to the letter', () => {
  const [recorded, replayed] = [PROSE, PROSE_REWORDED].map((text) => called('write_file', { content: text }));
  expect(compared(recorded as never, [replayed as never]).verdict).toBe(outcomes.changed);
});

test('code and queries of databases are compared to the letter', () => {
  for (const [a, b] of [
    [
      'select name, city from people where age > 30 order by name',
      'select city, name from people where age > 30 order by name',
    ],
    ['const a = 1; call it with a and then leave', 'const b = 1; call it with b and then leave'],
  ] as const) {
    expect(compared(called('file_article', { about: a }), [called('file_article', { about: b })]).verdict).toBe(
      outcomes.changed,
    );
  }
});

test('prose in a field of a structured answer may be in other words, its other fields may not', () => {
  const recorded = said({ note: PROSE, days: 3 });
  expect(compared(recorded, [said({ note: PROSE_REWORDED, days: 3 })])).toMatchObject({
    verdict: outcomes.couldNotTell,
  });
  expect(compared(recorded, [said({ note: PROSE_REWORDED, days: 4 })]).divergence).toMatchObject({ pointer: '/days' });
  const elsewhere = said({ note: 'The weather will be fine all week, so go out and meet some friends.', days: 3 });
  expect(compared(recorded, [elsewhere]).divergence).toMatchObject({
    kind: 'final-structure',
    pointer: '/note',
    text: { because: 'topic' },
  });
});

test('replays that say another thing than was recorded are one behaviour however they word it, and two where their forms differ', () => {
  const others = [OTHER_DAY, (REWORDED[0] as string).replace('-24', '-25'), OTHER_DAY.replace('-25', '-26')];
  const { clusters } = compared(
    said(RECORDED),
    others.map((each) => said(each)),
  );
  expect(clusters.map(({ runs }) => runs)).toEqual([[], [1, 2], [3]]);
});

test('short answers that say another thing are each a behaviour of its own', () => {
  const { clusters } = compared(
    said('Your trip goes to Paris.'),
    ['London', 'Rome', 'London'].map((city) => said(`Your trip goes to ${city}.`)),
  );
  expect(clusters.map(({ runs }) => runs)).toEqual([[], [1, 3], [2]]);
});

const opening = fc.constantFrom('', 'Hello! ', 'Guten Tag! ', 'Good news: ', 'Sure. ', 'こんにちは。');
const closing = fc.constantFrom(
  '',
  ' Thank you!',
  ' Vielen Dank und bis bald!',
  ' Anything else?',
  ' ありがとうございます。',
);
const statement = fc.constantFrom(
  'Your parcel is on its way and will be with you soon.',
  'The parcel is on its way to you and will be there soon.',
  'Ihr Paket ist unterwegs und wird bald bei Ihnen sein.',
  'Your trip goes to Paris with us on the early train.',
  'Your trip goes to Rome with us on the early train.',
  'Your order 7 is not here, so we will send it again to you.',
  'Your order 8 is not here, so we will send it again to you.',
  'ご注文の商品は本日発送いたしました。',
  '',
);
const answer = fc.tuple(opening, statement, closing).map((parts) => parts.join(''));

test('an added greeting or thanks is other words, in any language', () => {
  fc.assert(
    fc.property(
      opening,
      statement.filter((text) => text !== ''),
      closing,
      (before, text, after) => {
        expect(compareTexts(new Text(text), new Text(before + text + after))).toBe(
          before + after === '' ? 'same' : 'reworded',
        );
      },
    ),
  );
});

test('clusters of answers are a partition of the runs, whatever order they came in, to the byte', () => {
  fc.assert(
    fc.property(fc.array(answer, { minLength: 2, maxLength: 8 }), fc.nat(2), fc.nat(), (answers, more, seed) => {
      const recordings = answers.slice(0, 1 + Math.min(more, answers.length - 2)).map((each) => said(each));
      const replays = answers.slice(1).map((each, index) => ({ run: index + 1, recording: said(each) }));
      const shuffled = replays.toSorted(
        (a, b) => Math.imul(a.run + seed, 0x9e3779b1) - Math.imul(b.run + seed, 0x9e3779b1),
      );
      const [one, other] = [replays, shuffled].map((runs) => compareTurn(recordings, runs, rules()));
      expect(JSON.stringify(other)).toBe(JSON.stringify(one));
      const all = one?.clusters.flatMap(({ runs }) => runs) ?? [];
      expect(all.toSorted((a, b) => a - b)).toEqual(replays.map(({ run }) => run));
    }),
    { numRuns: RUNS / 5 },
  );
});

test('cluster 0 is every run that says what the original says, as far as can be told', () => {
  fc.assert(
    fc.property(fc.array(answer, { minLength: 2, maxLength: 8 }), ([original = '', ...answers]) => {
      const { clusters } = compared(
        said(original),
        answers.map((each) => said(each)),
      );
      const near = answers.flatMap((each, index) =>
        typeof compareTexts(new Text(original), new Text(each)) === 'string' ? [index + 1] : [],
      );
      expect(clusters[0]?.runs).toEqual(near);
    }),
    { numRuns: RUNS / 5 },
  );
});

test('a looser strictness adds no divergence of texts, and stricter ones refine its clusters', () => {
  fc.assert(
    fc.property(fc.array(answer, { minLength: 2, maxLength: 6 }), ([original = '', ...answers]) => {
      const levels = strictnessLevels.options.map((strictness) =>
        compared(
          said(original),
          answers.map((each) => said(each)),
          { strictness },
        ),
      );
      for (const [index, { clusters }] of levels.entries()) {
        const looser = levels[index + 1];
        if (looser === undefined) continue;
        for (const { runs } of clusters) {
          expect(looser.clusters.some((all) => runs.every((run) => all.runs.includes(run)))).toBe(true);
        }
        expect(looser.figures.asRecorded).toBeGreaterThanOrEqual(levels[index]?.figures.asRecorded ?? 0);
      }
    }),
    { numRuns: RUNS / 5 },
  );
});

test('every run that is as recorded and not to the letter has a text in the report', () => {
  fc.assert(
    fc.property(fc.array(answer, { minLength: 2, maxLength: 8 }), ([original = '', ...answers]) => {
      const { clusters } = compared(
        said(original),
        answers.map((each) => said(each)),
      );
      for (const { runs, texts } of clusters) {
        const told = new Set(texts.flatMap((text) => text.runs));
        for (const run of runs) {
          const isSame = new Text(answers[run - 1] ?? '').readable === new Text(original).readable;
          expect([run, told.has(run)]).toEqual([run, !isSame]);
        }
      }
    }),
    { numRuns: RUNS / 5 },
  );
});

test('a run that does and says what one recording did and said is as recorded, whatever the original said', () => {
  const done = fc.record({ result: fc.constantFrom('in', 'out'), answer });
  const runs = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(done, { minLength: 1, maxLength: 4 }), runs, (plays, picks) => {
      const recordings = plays.map(({ result, answer: words }) =>
        said(words, [{ thought: '', calls: [{ tool: 'search', args: { title: 'Dune' }, result }] }]),
      );
      const { verdict } = compared(
        recordings,
        picks.map((pick) => recordings[pick % recordings.length] as Recording),
      );
      expect(verdict).toBe(outcomes.asRecorded);
    }),
    { numRuns: RUNS / 5 },
  );
});
