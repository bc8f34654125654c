import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/json/index.ts';
import { folded, unfolded } from '../../src/session/fold.ts';
import { loadPins, parsePin, pinText, type Session, savePin } from '../../src/session/index.ts';
import type { Observation } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';

const FILLING = 'x'.repeat(300_000);

type Prompt = (turn: number) => string;

const REPLY = 'The parcel left the warehouse on Monday and is with the carrier now. '.repeat(4);

/** A session in which every turn holds the turns before it: as request, as what the model and the agent were given. */
function conversation(turns: number, prompt: Prompt = () => 'Be kind.'): Session {
  const history: JsonObject[] = [];
  return {
    version: 1,
    stepsVersion: 1,
    id: 'long',
    turns: Array.from({ length: turns }, (_, turn) => {
      history.push({ role: 'user', content: `Question ${turn}: where is order ${turn}?` });
      const messages = structuredClone(history);
      const input = { messages: [{ role: 'system', content: prompt(turn) }, ...structuredClone(history)] };
      const answer = { role: 'assistant', content: `Answer ${turn}: ${REPLY}` };
      history.push(answer);
      const at = new Date(Date.UTC(2026, 0, 1) + turn * 1_000).toISOString();
      const times = { startTime: at, endTime: at, parentId: null };
      const model: Observation = { ...times, id: `g${turn}`, type: 'generation', name: 'chat', input, output: answer };
      const root: Observation = { ...times, id: `r${turn}`, type: 'agent', name: 'turn', input: { messages } };
      return {
        request: { messages, shape: 'chat' as const },
        recorded: { traceId: `t${turn}`, output: answer.content, observations: [root, model] },
      };
    }),
  };
}

const plainSize = (session: Session) => JSON.stringify(session).length;

test('a pin grows with its turns, and not with their square', () => {
  const [short, long] = [pinText(conversation(50)).length, pinText(conversation(100)).length];
  expect(long / short).toBeLessThan(2.2);
  expect(plainSize(conversation(100)) / long).toBeGreaterThan(15);
});

test('so it does with a prompt that is another one in each turn', () => {
  const dated: Prompt = (turn) => `Be kind. It is ${new Date(turn * 1e9).toISOString()}.`;
  expect(plainSize(conversation(60, dated)) / pinText(conversation(60, dated)).length).toBeGreaterThan(8);
});

test('what is written is read as the session that it was, and written again as the same text', () => {
  const session = conversation(50);
  const text = pinText(session);
  const read = parsePin(text, 'long.session.json');
  expect(read).toMatchObject({ session });
  const again = 'session' in read ? pinText(read.session) : '';
  expect(parsePin(again, 'long.session.json')).toMatchObject({ session });
  expect(again).toHaveLength(text.length);
});

test('each turn of the file holds its own messages, and says where the earlier ones stand', () => {
  const turn = (JSON.parse(pinText(conversation(60))) as Session).turns[59];
  expect(turn?.request?.messages).toEqual([
    { $items: [0, 117], of: '/turns/58/request/messages' },
    { role: 'assistant', content: `Answer 58: ${REPLY}` },
    { role: 'user', content: 'Question 59: where is order 59?' },
  ]);
});

test('a small pin stays as it was: version 1, every message where it belongs', () => {
  const text = pinText(conversation(5));
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(conversation(5))));
});

test('a large pin of before is read as it was, and a saved one by every reader of pins', async () => {
  const session = conversation(50);
  expect(parsePin(JSON.stringify(session), 'old.session.json')).toMatchObject({ session });
  const root = await mkdtemp(path.join(tmpdir(), 'agent-replay-fold-'));
  try {
    const file = await savePin(session, { dir: 'replays', root, overwrite: false });
    expect(JSON.parse(await readFile(path.join(root, file), 'utf8'))).toMatchObject({ version: 2 });
    const { pins, problems } = await loadPins('replays/*.session.json', { root });
    expect(problems).toEqual([]);
    expect(pins[0]?.session.turns).toEqual(session.turns);
  } finally {
    await rm(root, { recursive: true });
  }
});

test('what looks like a reference in recorded data stays what it is', () => {
  const session = conversation(30);
  const told = { $items: [0, 2], of: '/turns/0/request/messages' };
  const [first] = session.turns;
  const odd = { ...session, turns: [{ ...first, recorded: { ...first?.recorded, output: told } }, ...session.turns] };
  const text = pinText(odd as unknown as Session);
  expect(JSON.parse(text)).toMatchObject({ version: 1 });
  expect(parsePin(text, 'odd.session.json')).toMatchObject({ session: { turns: odd.turns } });
});

test.each([
  ['leads nowhere', { $items: [0, 2], of: '/turns/7/request/messages' }],
  ['leads to itself', { $items: [0, 1], of: '/turns/0/request/messages' }],
  ['leads to a prototype', { $items: [0, 0], of: '/constructor' }],
])('a reference that %s is a mistake with its place', (_, reference) => {
  const pin = { version: 2, id: 's', turns: [{ request: { messages: [reference] }, recorded: { observations: [] } }] };
  expect(parsePin(JSON.stringify(pin), 's.session.json')).toMatchObject({
    problems: [{ code: 'PIN_INVALID', location: { pointer: '/turns/0/request/messages/0', line: 1 } }],
  });
});

test('a few lines that unfold to more than a memory holds are refused', () => {
  const lists: JsonObject = { l0: ['x', 'x'] };
  for (let n = 1; n < 60; n++) {
    const again = [{ $items: [0, 2], of: `/l${n - 1}` }];
    lists[`l${n}`] = [again, again] as Json;
  }
  expect(() => unfolded(lists)).toThrow('unfolds to more than');
});

test('whatever is folded unfolds to what it was', () => {
  const text = fc.constantFrom('a'.repeat(300), 'b'.repeat(300), 'c');
  const list = fc.array(fc.oneof(text, fc.record({ role: text, parts: fc.array(text) })), { maxLength: 6 });
  const key = fc.constantFrom('a/b', 'c~d', '__proto__', 'e');
  fc.assert(
    fc.property(fc.array(fc.tuple(key, list), { minLength: 1, maxLength: 20 }), (lists) => {
      const large = {
        filling: FILLING,
        lists: lists.map(([name, items]) => Object.fromEntries([[name, items]])),
      };
      const short = folded(large as unknown as JsonObject);
      expect(short && unfolded(JSON.parse(JSON.stringify(short)) as JsonObject)).toEqual(large);
    }),
  );
});
