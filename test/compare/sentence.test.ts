import fc from 'fast-check';
import { expect, test } from 'vitest';
import { excerpts, quotes } from '../../src/compare/excerpt.ts';
import type { TurnComparison } from '../../src/compare/index.ts';
import { compareTurn } from '../../src/compare/turn.ts';
import type { Json } from '../../src/json/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import { type Act, type Call, type Rendering, RUNS, record, rules } from './agents.ts';

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
  return compared(...given).divergence?.sentence ?? '';
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
  ['We refund 80 EUR to your card.', 'We refund 120.50 EUR to your card.', 'the amount: 120.50 EUR, was 80 EUR'],
  [
    'The discount is 10 % on all of our tents.',
    'The discount is 15 % on all of our tents.',
    'the percentage: 15 %, was 10 %',
  ],
  [
    'It comes on 2026-03-04 to your house, as you asked us.',
    'It comes on 2026-03-05 to your house, as you asked us.',
    'the date: 2026-03-05, was 2026-03-04',
  ],
  [
    'It leaves at 10:30 from the station in town.',
    'It leaves at 11:30 from the station in town.',
    'the time: 11:30, was 10:30',
  ],
  [
    'Your order FO-1011 is sent, and comes soon.',
    'Your order FO-1012 is sent, and comes soon.',
    'the id: FO-1012, was FO-1011',
  ],
  [
    'See https://a.example/x for more on what to do.',
    'See https://a.example/y for more on what to do.',
    'the address: https://a.example/y, was https://a.example/x',
  ],
  [
    'There are 3 children in the booking that we made.',
    'There are 4 children in the booking that we made.',
    'the number: 4, was 3',
  ],
  ['We ship it with Kettle on Monday.', 'We ship it with Stove on Monday.', 'the name: Stove, was Kettle'],
  ['You can return it within thirty days.', 'You can not return it within thirty days.', 'one more "not"'],
  [
    'The customer owes the shop money.',
    'The shop owes the customer money.',
    '"customer" and "shop" have swapped places',
  ],
  [
    'There are 3 of them in the booking that we made.',
    'There are some of them in the booking that we made.',
    'the number 3 is gone',
  ],
])('what differs in an answer is named: %s, %s', (recorded, replayed, named) => {
  expect(sentence(turn([], recorded), [turn([], replayed)])).toContain(
    `answer: ${named} (recorded "${recorded}", replayed "${replayed}") in 1 of 1 run.`,
  );
});

test('a form is quoted where it stands, also far behind other words that differ', () => {
  const books =
    'we have looked up the state of your order in the books of the shop and of the carrier for you. '.repeat(30);
  const said = sentence(turn([], `Thanks: ${books}You get 80 EUR back.`), [
    turn([], `Hello: ${books}You get 120 EUR back.`),
  ]);
  expect(said).toContain('the amount: 120 EUR, was 80 EUR');
  expect(said).toMatch(/recorded "….*You get 80 EUR back\.", replayed "….*You get 120 EUR back\."/);
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

test('both quotes show the place that differs, with what stands around it, whatever the length', () => {
  const policy = 'You can return a tent within thirty days when it was not used. '.repeat(4);
  const said = sentence(turn([call('send', { text: `${policy}We refund 80 EUR. Best wishes, the shop.` })]), [
    turn([call('send', { text: `${policy}We refund 120.50 EUR. Best wishes, the shop.` })]),
  ]);
  expect(said).toContain(
    'argument /text of send: recorded "…days when it was not used. We refund 80 EUR. Best wishes, the shop.", ' +
      'replayed "…days when it was not used. We refund 120.50 EUR. Best wishes, the shop." in 1 of 1 run.',
  );
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
  expect(divergence?.sentence).toContain('another tool: recorded refund, replayed escalate in 5 of 5 runs.');
});

test('a call that was not recorded is counted with its own kind in place of another call, and its arguments are said only if all give them', () => {
  const recorded = turn([call('get_order', { id: 7 })]);
  const more = (...reasons: string[]) =>
    reasons.map((reason) => turn([call('get_order', { id: 7 }), call('escalate', { reason })]));
  expect(sentence(recorded, more('late', 'late'))).toContain(
    'extra call of escalate with {"reason":"late"} in 2 of 2 runs.',
  );
  expect(sentence(recorded, more('late', 'lost', 'lost'))).toContain('extra call of escalate in 3 of 3 runs.');
});

test('runs that do something else at the same place are counted, and said to', () => {
  const refund = (amount: number) => turn([call('refund', { amount })]);
  const { divergence } = compared(refund(80), [
    refund(80),
    refund(120),
    refund(120),
    refund(99),
    turn([call('escalate')]),
  ]);
  expect(divergence).toMatchObject({ kind: 'argument', replayed: 120, runs: 4, of: 5 });
  expect(divergence?.sentence).toContain(
    'argument /amount of refund: recorded 80, replayed 120 in 4 of 5 runs, 2 of them otherwise (1 of 5 as recorded).',
  );
});

test('branches of a fork that begin alike are told apart by the place that differs', () => {
  const long = 'You can return a tent within thirty days when it was not used. '.repeat(4);
  const sending = (amount: number) => turn([call('send', { text: `${long}We refund ${amount} EUR.` })]);
  const [fork] = compared(sending(80), [sending(80), sending(120), sending(120)]).forks;
  const labels = fork?.branches.map(({ label }) => label);
  expect(labels).toEqual([expect.stringContaining('refund 120 EUR'), expect.stringContaining('refund 80 EUR')]);
});

test('runs that leave elsewhere are not counted', () => {
  const run = (a: number, b: number) => turn([call('refund', { a }), call('send', { b })]);
  const { clusters } = compared(run(1, 1), [run(2, 1), run(2, 1), run(1, 2)]);
  expect(clusters.map(({ divergence }) => divergence?.runs)).toEqual([undefined, 2, 1]);
});

test('in the counts of all clusters no run is missing and none is counted twice at one place', () => {
  const step = fc.record({ tool: fc.constantFrom('refund', 'send', 'book'), n: fc.integer({ min: 0, max: 1 }) });
  const run = fc.array(step, { maxLength: 3 }).map((steps) => turn(steps.map(({ tool, n }) => call(tool, { n }))));
  fc.assert(
    fc.property(run, fc.array(run, { minLength: 1, maxLength: 6 }), (recorded, replays) => {
      const { clusters, figures } = compared(recorded, replays);
      for (const { divergence, runs } of clusters) {
        if (divergence === null) continue;
        expect(divergence.runs).toBeGreaterThanOrEqual(runs.length);
        expect(divergence.runs).toBeLessThanOrEqual(figures.n - figures.asRecorded);
        const otherwise = Number(/, (\d+) of them otherwise/.exec(divergence.sentence)?.[1] ?? 0);
        expect(otherwise).toBeLessThanOrEqual(divergence.runs - runs.length);
      }
    }),
    { numRuns: Math.min(RUNS, 200) },
  );
});
