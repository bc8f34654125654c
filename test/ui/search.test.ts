import { expect, test } from 'vitest';
import type { SessionHead } from '../../src/ui/index.ts';
import { folderWith } from '../config/folder.ts';
import { served } from './project.ts';

/** A session of one turn, in which one tool is called. */
function pin(id: string, { asked, tool, args, found, answer }: Readonly<Record<string, unknown>>): [string, string] {
  const time = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  const call = { type: 'tool', name: tool, input: args, output: found, startTime: time(1), endTime: time(2) };
  const messages = [
    { role: 'system', content: 'You sell tents and may refund them.' },
    { role: 'user', content: asked },
  ];
  const turn = {
    request: { messages },
    recorded: {
      output: answer,
      observations: [
        { id: 'r', parentId: null, type: 'agent', name: 'turn', startTime: time(0), endTime: time(3) },
        { id: 't', parentId: 'r', ...call },
      ],
    },
  };
  return [
    `replays/${id}.session.json`,
    JSON.stringify({ version: 1, id, turns: [turn] }).replace('"BIG"', '12345678901234567890.5'),
  ];
}

const PINS = [
  pin('kettle', {
    ...{ asked: 'My kettle is broken, what about its content?', tool: 'lookupOrder', args: { order_id: 'FO-1007' } },
    ...{ found: { status: 'delivered', items: ['camping kettle'] }, answer: 'It was delivered on Monday.' },
  }),
  pin('tent', {
    ...{ asked: 'Is there a warranty on the tent?', tool: 'search_help', args: { query: 'warranty' } },
    ...{ found: { articles: ['Two years on every tent'] }, answer: 'Two years.' },
  }),
  pin('abroad', {
    ...{ asked: '返品したいです。Müller ordered it', tool: 'refund_order', args: { reason: 'too small' } },
    ...{ found: { refund: 'rf_1', big: 'BIG' }, answer: 'Refunded: the tent is <b>gone</b>.' },
  }),
];

async function searching(texts: readonly string[]): Promise<SessionHead[][]> {
  await using folder = await folderWith(Object.fromEntries(PINS));
  await using project = await served(folder);
  const headers = { authorization: `Bearer ${project.token}` };
  const ask = async (text: string): Promise<SessionHead[]> =>
    (await (
      await fetch(`${project.origin}/api/sessions?${new URLSearchParams({ text })}`, { headers })
    ).json()) as SessionHead[];
  const found: SessionHead[][] = [];
  for (const text of texts) found.push(await ask(text));
  return found;
}

const idsOf = (found: readonly SessionHead[]) => found.map(({ id }) => id);

test('sessions are found by words, or their beginnings, and neither inside of words nor by the format of their files', async () => {
  const texts = ['tent', 'warr', 'observations', 'recorded', 'you sell', 'FO-1007', 'tent warranty', 'kettle tent'];
  expect((await searching(texts)).map(idsOf)).toEqual([
    ['tent', 'abroad'],
    ['tent'],
    ...[[], [], []],
    ['kettle'],
    ['tent'],
    [],
  ]);
});

test('a name is found by its words in any style, a word without its accents, a word of a script without spaces, and a number of any length', async () => {
  const texts = ['lookup_order', 'order lookup', 'refundOrder', 'muller', 'MÜLLER', '返品', '12345678901234567890'];
  expect((await searching(texts)).map(idsOf)).toEqual([
    ...[['kettle'], ['kettle'], ['abroad'], ['abroad'], ['abroad'], ['abroad'], ['abroad']],
  ]);
});

test('what says it in a request or a tool comes before what says it in a result; each shows where it is said', async () => {
  const [tents = [], delivered = []] = await searching(['tent', 'delivered']);
  expect(tents[0]?.match?.snippets[0]).toEqual({
    ...{ place: 'request', turn: 1, step: 0, name: '' },
    text: [
      { text: 'Is there a warranty on the ', isMarked: false },
      { text: 'tent', isMarked: true },
      { text: '?', isMarked: false },
    ],
  });
  expect(tents[1]?.match?.snippets.map(({ place, step }) => [place, step])).toEqual([['answer', 3]]);
  expect(delivered[0]?.match?.snippets.map(({ place }) => place)).toEqual(['answer']);
});

test('a word that no session has finds those with a word very like it, and says that it is not the same', async () => {
  const [near = [], none = [], exact = []] = await searching(['warrantty', 'zeppelin', 'warranty']);
  expect(near.map(({ id, match }) => [id, match?.isNear])).toEqual([['tent', true]]);
  expect(none).toEqual([]);
  expect(exact.map(({ match }) => match?.isNear)).toEqual([false]);
});
