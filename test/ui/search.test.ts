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
  return [`replays/${id}.session.json`, JSON.stringify({ version: 1, id, turns: [turn] })];
}

const PINS = [
  pin('kettle', {
    asked: 'My kettle is broken, what about its content?',
    tool: 'lookupOrder',
    args: { order_id: 'FO-1007' },
    found: { status: 'delivered', items: ['camping kettle'] },
    answer: 'It was delivered on Monday.',
  }),
  pin('tent', {
    asked: 'Is there a warranty on the tent?',
    tool: 'search_help',
    args: { query: 'warranty' },
    found: { articles: ['Two years on every tent'] },
    answer: 'Two years.',
  }),
  pin('abroad', {
    asked: '返品したいです。Müller ordered it',
    tool: 'refund_order',
    args: { reason: 'too small' },
    found: { refund: 'rf_1' },
    answer: 'Refunded: the tent is <b>gone</b>.',
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

test('a session is found by words of what was asked, called, returned and answered, in any case and without accents, and not by the format of its file', async () => {
  const texts = ['tent', 'warr', 'observations', 'you sell', 'FO-1007', 'tent WARRANTY', 'kettle tent', 'zeppelin'];
  const found = (await searching(texts)).map((each) => idsOf(each).sort());
  expect(found).toEqual([['abroad', 'kettle', 'tent'], ['tent'], [], [], ['kettle'], ['tent'], ['kettle'], []]);
  const others = ['refund order', 'refund_order', 'muller', 'MÜLLER', '返品'];
  expect((await searching(others)).map(idsOf)).toEqual(others.map(() => ['abroad']));
});

test('a session in the list tells what the user asked', async () => {
  const [[tent]] = (await searching(['warranty'])) as [[SessionHead]];
  expect(tent.asked).toBe('Is there a warranty on the tent?');
});
