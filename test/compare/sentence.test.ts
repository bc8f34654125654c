import { expect, test } from 'vitest';
import type { TurnComparison } from '../../src/compare/index.ts';
import { excerpts, quotes } from '../../src/compare/shapes/excerpt.ts';
import type { Json } from '../../src/json/index.ts';
import { divergenceWords } from '../../src/report/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';
import { type Act, type Call, type Rendering, RUNS, record, rules } from './agents.ts';
import { compareTurn } from './compare-turn.ts';

const RENDERING: Rendering = {
  shape: 'chat',
  seed: 1,
  startMs: Date.UTC(2026, 0, 5),
  tickMs: 1,
  shuffle: 0,
  spelling: 'plain',
};

function call(tool: string, args: Call['args'] = {}, result: Json = { ok: true }): Act {
  return { thought: '', calls: [{ tool, args, result }] };
}

/** A turn of calls one after the other, and its answer. */
function turn(acts: readonly Act[], answer: Json = 'Done.'): Recording {
  return record({ request: { messages: [{ role: 'user', content: 'Help.' }] }, acts, answer }, RENDERING);
}

function compared(recorded: Recording, replays: readonly Recording[], strictness?: 'exact'): TurnComparison {
  return compareTurn(
    [recorded],
    replays.map((recording, index) => ({ run: index + 1, recording })),
    rules(strictness === undefined ? {} : { strictness }),
  );
}

function sentence(...given: Parameters<typeof compared>): string {
  return divergenceWords(compared(...given));
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc
    .array(fc.constantFrom('the order ', '"', '\\', '\n', '😀', 'e\u0301', 'é', '\u200b', '…', '80', 'x'), {
      maxLength: 120,
    })
    .map((parts) => parts.join('')),
);
/** Two texts that share a beginning and an end, as an edited text does. */
const edited = fc
  .record({ before: anyText, a: anyText, b: anyText, after: anyText })
  .filter(({ a, b }) => a !== b)
  .map(({ before, a, b, after }): [string, string] => [`${before}${a}${after}`, `${before}${b}${after}`])
  .filter(([a, b]) => a !== b);
const room = fc.integer({ min: 26, max: 120 });

test('of any two different texts both quotes differ, each within its room, and each is a JSON text but for the cuts', () => {
  fc.assert(
    fc.property(edited, room, ([a, b], room) => {
      const [left, right] = quotes(a, b, room);
      expect(left).not.toBe(right);
      for (const quote of [left, right]) {
        expect(quote.length).toBeLessThanOrEqual(room);
        // Neither an escape nor a surrogate pair was cut: the text reads back, and holds no half of a pair of its own.
        expect(typeof JSON.parse(quote)).toBe('string');
        expect(quote.isWellFormed()).toBe(true);
      }
    }),
    { numRuns: RUNS },
  );
});

test('of any two different values that are no texts both quotes differ, each within its room', () => {
  fc.assert(
    fc.property(edited, room, fc.boolean(), ([a, b], room, isList) => {
      fc.pre(a.normalize('NFC') !== b.normalize('NFC') && a.replaceAll('\r', '') === a && b.replaceAll('\r', '') === b);
      const value = (text: string): Json => (isList ? [text, 1] : { id: 1, text, z: null });
      const [left, right] = quotes(value(a), value(b), room);
      expect(left).not.toBe(right);
      expect(Math.max(left.length, right.length)).toBeLessThanOrEqual(room);
      expect(left.isWellFormed() && right.isWellFormed()).toBe(true);
    }),
    { numRuns: RUNS },
  );
});

test('with a place of its own in each text both quotes still differ, within their room, and show that place', () => {
  const placed = edited.chain(([a, b]) =>
    fc.tuple(fc.constant([a, b] as const), fc.nat(Math.max(0, a.length - 1)), fc.nat(Math.max(0, b.length - 1))),
  );
  fc.assert(
    fc.property(placed, room, ([[a, b], placeA, placeB], room) => {
      const found = quotes(a, b, room, [placeA, placeB]);
      expect(found[0]).not.toBe(found[1]);
      for (const quote of found) {
        expect(quote.length).toBeLessThanOrEqual(room);
        expect(typeof JSON.parse(quote)).toBe('string');
        expect(quote.isWellFormed()).toBe(true);
      }
    }),
    { numRuns: RUNS },
  );
  const long = 'We have looked up your order in all of our books, and in those of the other shops, too. ';
  expect(quotes(`${long}It is 80.`, `Hello! ${long}It is 90.`, 60, [long.length + 6, long.length + 13])).toEqual([
    '"…and in those of the other shops, too. It is 80."',
    '"…and in those of the other shops, too. It is 90."',
  ]);
});

test.each([
  ['We refund 80 EUR to your card.', 'We refund 120.50 EUR to your card.', '80 EUR → 120.50 EUR'],
  ['The discount is 10 % on all tents.', 'The discount is 15 % on all tents.', '10 % → 15 %'],
  ['It comes on 3 March to your house.', 'It comes on 6 March to your house.', '3 March → 6 March'],
  ['You get it in 3 to 5 days from now.', 'You get it in 5 to 7 days from now.', '3 to 5 days → 5 to 7 days'],
  ['It leaves at 10:30 from the station.', 'It leaves at 11:30 from the station.', '10:30 → 11:30'],
  ['Your order FO-1011 is sent, and comes soon.', 'Your order FO-1012 is sent, and comes soon.', 'FO-1011 → FO-1012'],
  [
    'See https://a.example/x for more on what to do.',
    'See https://a.example/y for more on what to do.',
    'https://a.example/x → https://a.example/y',
  ],
  ['We ship it with Kettle on Monday.', 'We ship it with Stove on Monday.', 'Kettle → Stove'],
  ['These tents are not refundable at all.', 'These tents are refundable at all.', '"not refundable" → "refundable"'],
  ['You can return it within thirty days.', 'You can not return it within thirty days.', '"return" → "not return"'],
  ['There are 3 of them in the booking.', 'There are some of them in the booking.', '"3 of" → "some of"'],
])('what differs in an answer is shown with what it needs around it: %s, %s', (recorded, replayed, shown) => {
  expect(sentence(turn([], recorded), [turn([], replayed)])).toContain(`answer: ${shown} in 1 of 1 run.`);
});

test.each([
  [
    'The customer owes the shop money.',
    'The shop owes the customer money.',
    '"The customer owes the shop money." → "The shop owes the customer money." (two words have swapped places)',
  ],
])(
  'where no words can show what differs, both texts stand whole with the reason: %s, %s',
  (recorded, replayed, shown) => {
    expect(sentence(turn([], recorded), [turn([], replayed)])).toContain(`answer: ${shown} in 1 of 1 run.`);
  },
);

test('a form is quoted where it stands, also far behind other words that differ', () => {
  const books =
    'we have looked up the state of your order in the books of the shop and of the carrier for you. '.repeat(30);
  const said = sentence(turn([], `Thanks: ${books}You get 80 EUR back.`), [
    turn([], `Hello: ${books}You get 120 EUR back.`),
  ]);
  expect(said).toContain('answer: 80 EUR → 120 EUR in 1 of 1 run.');
});

test('an excerpt is a piece of its text, and both begin at the same place of what the texts share', () => {
  fc.assert(
    fc.property(edited, room, ([a, b], room) => {
      const found = excerpts(a, b, room);
      const inside = found.map((text, side) =>
        text === [a, b][side] ? text : text.replace(/^…/, '').replace(/…$/, ''),
      );
      const starts = [a.indexOf(inside[0] as string), b.indexOf(inside[1] as string)];
      expect(Math.min(...starts)).toBeGreaterThanOrEqual(0);
      const cut = found.map((text) => text.startsWith('…'));
      fc.pre(!a.startsWith('…') && !b.startsWith('…'));
      expect(cut[0]).toBe(cut[1]);
    }),
    { numRuns: RUNS },
  );
});

test('of two long texts the place that differs is shown, with what it needs around it', () => {
  const policy = 'You can return a tent within thirty days when it was not used. '.repeat(4);
  const said = sentence(turn([call('send', { text: `${policy}We refund 80 EUR. Best wishes, the shop.` })]), [
    turn([call('send', { text: `${policy}We refund 120.50 EUR. Best wishes, the shop.` })]),
  ]);
  expect(said).toContain('send.text: 80 EUR → 120.50 EUR in 1 of 1 run.');
});

test('what nobody sees is shown by its code', () => {
  expect(quotes('a\u00a0b', 'a b', 80)).toEqual(['"a\\u00a0b"', '"a b"']);
  expect(quotes('caf\u00e9', 'cafe\u0301', 80)).toEqual(['"caf\\u00e9"', '"cafe\\u0301"']);
  expect(quotes('Stra\u00dfe', 'Gasse', 80)).toEqual(['"Straße"', '"Gasse"']);
});

test('every run that leaves the recording at a place is counted there, however it goes on', () => {
  const recorded = turn([call('get_order', { id: 7 }), call('refund', { amount: 80 })]);
  const escalating = ['angry', 'late', 'broken', 'lost', 'new'].map((reason, index) =>
    turn([
      call('get_order', { id: 7 }),
      call('escalate', { reason }),
      ...(index % 2 === 0 ? [] : [call('close', { index })]),
    ]),
  );
  const { divergence, clusters } = compared(recorded, escalating);
  expect(clusters.filter(({ runs }) => runs.length > 0)).toHaveLength(5);
  expect(divergence).toMatchObject({ kind: 'call-name', runs: 5, of: 5 });
  expect(divergence?.ways).toEqual([{ replayed: 'escalate', runs: 5 }]);
  expect(sentence(recorded, escalating)).toContain('escalate instead of refund in 5 of 5 runs.');
});

test('a call that was not recorded is counted with its own kind in place of another call, and its arguments are said only if all give them', () => {
  const recorded = turn([call('get_order', { id: 7 })]);
  const more = (...reasons: string[]) =>
    reasons.map((reason) => turn([call('get_order', { id: 7 }), call('escalate', { reason })]));
  expect(sentence(recorded, more('late', 'late'))).toContain(
    'one more call: escalate with {"reason":"late"} in 2 of 2 runs.',
  );
  expect(sentence(recorded, more('late', 'lost', 'lost'))).toContain(
    'one more call: escalate in 3 of 3 runs, in 2 different ways.',
  );
});

test('runs that do something else at the same place are counted, and said to', () => {
  const refund = (amount: number) => turn([call('refund', { amount })]);
  const replays = [refund(80), refund(120), refund(120), refund(99), turn([call('escalate')])];
  const { divergence } = compared(refund(80), replays);
  expect(divergence).toMatchObject({
    kind: 'argument',
    replayed: 120,
    runs: 3,
    of: 5,
    ways: [
      { replayed: 120, runs: 2 },
      { replayed: 99, runs: 1 },
    ],
  });
  expect(sentence(refund(80), replays)).toContain(
    'refund.amount: 80 → 120, 99 in 3 of 5 runs, in 2 different ways (1 as recorded, 1 differs elsewhere).',
  );
});

test('branches of a fork that begin alike are told apart by the place that differs', () => {
  const long = 'You can return a tent within thirty days when it was not used. '.repeat(4);
  const sending = (amount: number) => turn([call('send', { text: `${long}We refund ${amount} EUR.` })]);
  const [fork] = compared(sending(80), [sending(80), sending(120), sending(120)]).forks;
  const labels = fork?.branches.map(({ label }) => label);
  expect(labels).toEqual([expect.stringContaining('refund 120 EUR'), expect.stringContaining('refund 80 EUR')]);
  const [answers] = compared(turn([], `${long}80 EUR.`), [
    turn([], `${long}80 EUR.`),
    turn([], `${long}120 EUR.`),
  ]).forks;
  for (const { label } of answers?.branches ?? []) expect(label).toMatch(/^answers "…[^"]*EUR\."$/);
  expect(answers?.branches).toHaveLength(2);
});

test('what is true of some runs is counted for these runs, and the others are told apart', () => {
  const recorded = turn([call('get_order', { id: 7 }), call('refund', { amount: 80 })]);
  const lost = turn([call('get_order', { id: 7 })]);
  const other = turn([call('get_order', { id: 8 }), call('refund', { amount: 80 })]);
  const replays = [...Array<Recording>(6).fill(recorded), lost, lost, lost, other];
  const { divergence, clusters } = compared(recorded, replays);
  expect(clusters.map(({ divergence }) => [divergence?.kind, divergence?.runs])).toEqual([
    [undefined, undefined],
    ['call-missing', 3],
    ['argument', 1],
  ]);
  expect(divergence).toMatchObject({ kind: 'argument', runs: 1, of: 10 });
  expect(sentence(recorded, [recorded, lost, lost, lost])).toContain(
    'refund is not called in 3 of 4 runs (1 as recorded).',
  );
});

test('every count is the number of runs in which it is true, by the differences of all clusters', () => {
  const step = fc.record({ tool: fc.constantFrom('refund', 'send', 'book'), n: fc.integer({ min: 0, max: 2 }) });
  const run = fc.array(step, { maxLength: 3 }).map((steps) => turn(steps.map(({ tool, n }) => call(tool, { n }))));
  fc.assert(
    fc.property(run, fc.array(run, { minLength: 1, maxLength: 8 }), (recorded, replays) => {
      const comparison = compared(recorded, replays);
      const { divergence: headline, clusters, figures } = comparison;
      const apart = clusters.filter(({ recorded, runs }) => !recorded && runs.length > 0);
      expect(headline === null).toBe(apart.length === 0);
      for (const divergence of [headline, ...apart.map((cluster) => cluster.divergence)]) {
        if (divergence === null) continue;
        const { runs, of, ways, moreWays, kind, tool, pointer, recordedStep } = divergence;
        expect(of).toBe(figures.n);
        expect(runs).toBeLessThanOrEqual(figures.n - figures.asRecorded);
        const sum = ways.reduce((total, way) => total + way.runs, 0);
        expect(moreWays === 0 ? sum : runs).toBe(runs);
        if (kind !== 'argument') continue;
        const having = apart.filter(({ differences }) =>
          differences.some(
            (each) =>
              each.kind === kind &&
              each.tool === tool &&
              each.pointer === pointer &&
              each.recordedStep === recordedStep,
          ),
        );
        expect(runs).toBe(having.reduce((total, cluster) => total + cluster.runs.length, 0));
      }
      const otherwise = Number(/(\d+) differs? elsewhere/.exec(divergenceWords(comparison))?.[1] ?? 0);
      expect((headline?.runs ?? 0) + otherwise + figures.asRecorded).toBe(figures.n);
    }),
    { numRuns: Math.min(RUNS, 300) },
  );
});

test('a fact of all replays comes before the earliest one of some, and a write before a read', () => {
  const recorded = turn([call('search', { q: 'a' }), call('book', { train: 'R605' })]);
  const other = (q: string, train: string) => turn([call('search', { q }), call('book', { train })]);
  const { divergence } = compared(recorded, [other('b', 'R601'), other('b', 'R609'), other('b', 'R611')]);
  expect(divergence).toMatchObject({ tool: 'book', pointer: '/train', recorded: 'R605', runs: 3, of: 3 });
  expect(divergence?.ways.map(({ replayed }) => replayed).sort()).toEqual(['R601', 'R609', 'R611']);
  const apart = compared(recorded, [recorded, other('b', 'R605'), other('a', 'R601'), other('a', 'R601')]).divergence;
  expect(apart).toMatchObject({ tool: 'search', runs: 1, of: 4 });
});

test('what another recording does as well is never what sets the replays apart', () => {
  const one = turn([call('get_order', { id: 7 }), call('refund', { amount: 80 })]);
  const two = turn([call('get_order', { id: 7 }), call('escalate', {}), call('refund', { amount: 80 })]);
  const replay = turn([call('get_order', { id: 7 }), call('escalate', {}), call('refund', { amount: 99 })]);
  const { divergence } = compareTurn(
    [one, two],
    [1, 2, 3].map((run) => ({ run, recording: replay })),
    rules(),
  );
  expect(divergence).toMatchObject({ kind: 'argument', tool: 'refund', replayed: 99, runs: 3, of: 3 });
});

test('a figure that no replay has is told, although each answers otherwise', () => {
  const answers = ['912.10', '1,039.34', '880', '1,193.34', '1,093.35'].map((sum) =>
    turn([], `You get ${sum} dollars back for order 7.`),
  );
  const said = sentence(turn([], 'You get 1,093.34 dollars back for order 7.'), answers);
  expect(said).toContain('In none of 5 replays: 1,093.34 dollars.');
  const seen = [...answers.slice(1), turn([], 'For order 7 it is 1,093.34 dollars, or 5 more.')];
  expect(sentence(turn([], 'You get 1,093.34 dollars back for order 7.'), seen)).not.toContain('In none');
});

test.each([
  [
    'a label',
    'Tax: 812.40. Insurance: 240.10. Pension: 160.00.',
    '240.10',
    '250.10',
    'answer (Insurance): 240.10 → 250.10',
  ],
  ['a row', '| item | price |\n|---|---|\n| lamp | 5 EUR |', '5 EUR', '9 EUR', 'answer (lamp): 5 EUR → 9 EUR'],
  ['none', 'You get 20 EUR back.', '20', '30', 'answer: 20 EUR → 30 EUR'],
])('a figure of an answer is told with what it belongs to: %s', (_, answer, was, now, told) => {
  expect(sentence(turn([], answer), [turn([], answer.replace(was, now))])).toContain(told);
});
