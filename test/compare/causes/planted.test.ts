import { describe, expect, test } from 'vitest';
import type { Cause, Divergence } from '../../../src/compare/shapes/result.ts';
import type { Json, JsonObject } from '../../../src/json/index.ts';
import { divergenceWords } from '../../../src/report/index.ts';
import { compare } from '../agents.ts';
import { type Act, type Call, REQUEST, type Run, recordingOf } from './run.ts';

const LATER = '2026-02-10T15:30:00.000Z';
const PROMPT = 'You work for the office.\nBe kind.\nNever promise a date.';

const call = (tool: string, args: JsonObject, result: Json = 'ok', more: Partial<Call> = {}): Call => ({
  tool,
  args,
  result,
  ...more,
});
const act = (...calls: Call[]): Act => ({ calls });
const define = (name: string, description: string): JsonObject => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties: {} } },
});

/** What an agent reads, what it does about that, and what it would do else. */
interface Work {
  readonly read: Call;
  readonly otherData: Json;
  readonly write: Call;
  readonly otherWrite: Call;
  /** Takes a value of what was read. */
  readonly follows: Call;
  readonly othersFollow: Call;
  readonly answer: string;
}

const WORKS: Readonly<Record<string, Work>> = {
  shop: {
    read: call('get_order', { id: 7 }, { status: 'sent', total: 80 }),
    otherData: { status: 'sent', total: 95 },
    write: call('refund', { id: 7, amount: 80 }),
    otherWrite: call('escalate', { id: 7 }),
    follows: call('refund', { id: 7, amount: 80 }),
    othersFollow: call('refund', { id: 7, amount: 95 }),
    answer: 'Your order has come back to us, and we have seen to your money.',
  },
  travel: {
    read: call('search_trains', { to: 'Porto' }, { trains: [{ no: 'R605', price: 22 }] }),
    otherData: { trains: [{ no: 'R611', price: 31 }] },
    write: call('book_seat', { train: 'R605', seats: 2 }),
    otherWrite: call('hold_seat', { train: 'R605', seats: 2 }),
    follows: call('book_seat', { train: 'R605', seats: 2 }),
    othersFollow: call('book_seat', { train: 'R611', seats: 2 }),
    answer: 'You have two seats on the train in the morning, side by side.',
  },
  workshop: {
    read: call('lies_auftrag', { nr: 'A-4410' }, { teil: 'Bremsen', preis: 240 }),
    otherData: { teil: 'Kupplung', preis: 610 },
    write: call('bestelle_teil', { nr: 'A-4410', menge: 2 }),
    otherWrite: call('storniere_auftrag', { nr: 'A-4410' }),
    follows: call('bestelle_teil', { teil: 'Bremsen', menge: 2 }),
    othersFollow: call('bestelle_teil', { teil: 'Kupplung', menge: 2 }),
    answer: 'Ihr Wagen wird morgen früh fertig, wir rufen Sie vorher noch einmal an.',
  },
  clinic: {
    read: call('find_slots', { doctor: 'Okafor' }, { slots: ['s-301', 's-317'] }),
    otherData: { slots: ['s-322', 's-340'] },
    write: call('book_slot', { slot: 's-301', patient: 'p-5520' }),
    otherWrite: call('send_mail', { to: 'p-5520', text: 'There is none.' }),
    follows: call('book_slot', { slot: 's-301', patient: 'p-5520' }),
    othersFollow: call('book_slot', { slot: 's-322', patient: 'p-5520' }),
    answer: 'The doctor expects you in the morning, please bring your card.',
  },
};

const TRACES = ['chat', 'blocks', 'text', 'news'] as const;

interface Planted {
  readonly recorded: Partial<Run>;
  readonly replayed: Partial<Run>;
  readonly rules?: Parameters<typeof compare>[2];
  /** Causes that are true. */
  readonly is: readonly Cause['kind'][];
  readonly changed?: string;
  readonly kind?: Divergence['kind'];
  readonly tool?: string;
  /** No other cause is told beside it. */
  readonly isAlone?: boolean;
}

/** Each cause, planted in the same work. @param trace as which the runs are traced */
const PLANTS: Readonly<Record<string, (work: Work, trace: (typeof TRACES)[number]) => Planted>> = {
  'an edited prompt': ({ read, write, otherWrite }, trace) => ({
    recorded: { acts: [act(read), act(write)] },
    replayed: { acts: [act(read), act(otherWrite)], system: PROMPT.replace('kind', 'quick') },
    is: ['agent'],
    ...(trace === 'text' ? {} : { changed: 'system prompt' }),
  }),
  'other examples': ({ read, write, otherWrite }, trace) => ({
    recorded: { acts: [act(read), act(write)], examples: examples('Thanks') },
    replayed: { acts: [act(read), act(otherWrite)], examples: examples('Escalate') },
    is: ['agent'],
    ...(trace === 'text' ? {} : { changed: 'messages' }),
  }),
  'another template': ({ read, write, otherWrite }, trace) => ({
    recorded: { acts: [act(read), act(write)], template: 'Question: {question}' },
    replayed: { acts: [act(read), act(otherWrite)], template: 'Answer briefly. Question: {question}' },
    is: ['agent'],
    ...(trace === 'text' ? {} : { changed: 'messages' }),
  }),
  'another tool definition': ({ read, write, otherWrite }, trace) => ({
    recorded: { acts: [act(read), act(write)], tools: [define(read.tool, 'Reads.'), define(write.tool, 'Acts.')] },
    replayed: {
      acts: [act(read), act(otherWrite)],
      tools: [define(read.tool, 'Reads.'), define(write.tool, 'Acts, but seldom.')],
    },
    is: trace === 'text' ? ['model'] : ['agent'],
    ...(trace === 'text' ? {} : { changed: 'tools' }),
  }),
  'another model': ({ read, write, otherWrite }) => ({
    recorded: { acts: [act(read), act(write)] },
    replayed: { acts: [act(read), act(otherWrite)], model: 'gpt-4o-mini' },
    is: ['agent'],
    changed: 'model',
  }),
  'another parameter': ({ read, write, otherWrite }) => ({
    recorded: { acts: [act(read), act(write)] },
    replayed: { acts: [act(read), act(otherWrite)], parameters: { temperature: 1 } },
    is: ['agent'],
    changed: 'parameters',
  }),
  'other data of a tool': ({ read, otherData, follows, othersFollow }) => ({
    recorded: { acts: [act(read), act(follows)] },
    replayed: { acts: [act({ ...read, result: otherData }), act(othersFollow)] },
    is: ['environment'],
    tool: 'read',
  }),
  'another day': ({ read, write, otherWrite }) => ({
    recorded: { acts: [act(read), act(write)], system: `${PROMPT}\nToday is 2026-01-05.` },
    replayed: { acts: [act(read), act(otherWrite)], at: LATER, system: `${PROMPT}\nToday is 2026-02-10.` },
    is: ['environment'],
  }),
  'a read that is tried again': ({ read, write, otherWrite }) => ({
    recorded: { acts: [act(read), act(write)] },
    replayed: { acts: [act(read), act(read), act(otherWrite)] },
    is: ['model'],
  }),
  'one more poll': ({ read, write }) => ({
    recorded: { acts: [act(read), poll('pending'), poll('done'), act(write)] },
    replayed: { acts: [act(read), poll('pending'), poll('pending'), poll('done'), act(write)] },
    rules: { strictness: 'steps' },
    is: ['environment'],
  }),
  'calls at once, in another order': ({ read, write, otherWrite }, trace) => ({
    recorded: { acts: [act(read), act(write, otherWrite)] },
    replayed: { acts: [act(read), act(otherWrite, write)] },
    rules: { tools: { [write.tool]: { orderMatters: true }, [otherWrite.tool]: { orderMatters: true } } },
    // A text asks for one after the other.
    is: [trace === 'text' ? 'model' : 'concurrency'],
    kind: 'call-order',
  }),
  'a stream in other pieces': ({ read, write, otherWrite }) => ({
    recorded: { acts: [{ says: 'Let me look at that.', calls: [read] }, act(write)] },
    replayed: { acts: [{ says: 'Let me look at that.', calls: [read] }, act(otherWrite)], pieces: 3 },
    is: ['model'],
  }),
  'a shorter history': ({ read, write, otherWrite }, trace) => ({
    recorded: { acts: [act(read), act(read), act(write)] },
    replayed: { acts: [act(read), act(read), act(otherWrite)], window: 2 },
    is: ['agent'],
    ...(trace === 'text' ? {} : { changed: 'messages' }),
  }),
  'what the agent itself wrote before': ({ read, follows, othersFollow, otherData, answer }) => ({
    recorded: { acts: [act(follows), act(read)], answer },
    replayed: { acts: [act(othersFollow), act({ ...read, result: otherData })], answer },
    is: ['model'],
    kind: 'argument',
    isAlone: true,
  }),
  'a user who says something else': ({ read, write, otherWrite }, trace) => ({
    recorded: { acts: [{ ...act(read), user: 'Yes, please.' }, act(write)] },
    replayed: { acts: [{ ...act(read), user: 'No, leave it.' }, act(otherWrite)] },
    // A text does not tell a user from a tool.
    is: [trace === 'text' ? 'unknown' : 'environment'],
  }),
  'two writes swapped': ({ read, write, otherWrite }) => ({
    recorded: { acts: [act(read), act(write), act(otherWrite)] },
    replayed: { acts: [act(read), act(otherWrite), act(write)] },
    is: ['model'],
    kind: 'call-order',
  }),
};

function examples(said: string): JsonObject[] {
  return [
    { role: 'user', content: 'I am not content.' },
    { role: 'assistant', content: `${said}, and we will see.` },
  ];
}

function poll(state: string): Act {
  return act(call('get_state', { job: 'j-1' }, { state }));
}

describe.each(Object.entries(PLANTS))('the cause is %s', (name, plant) => {
  // Of a history that the provider keeps, such a trace holds only the end.
  const isKept = name === 'other examples' || name === 'a shorter history';
  const all = Object.entries(WORKS).flatMap(([of, work]) =>
    TRACES.flatMap((trace) => (isKept && trace === 'news' ? [] : [[of, trace, work] as const])),
  );

  test.each(all)('in the %s, traced as %s', (_name, trace, work) => {
    const { recorded, replayed, rules, is, changed, kind, tool, isAlone } = plant(work, trace);
    const run = (of: Partial<Run>) => recordingOf({ system: PROMPT, answer: work.answer, acts: [], trace, ...of });
    const comparison = compare(run(recorded), run(replayed), rules, REQUEST);
    const { divergence } = comparison;
    const told = divergenceWords(comparison);
    expect(is, told).toContain(divergence?.cause.kind);
    if (changed !== undefined) expect(divergence?.cause.changed, told).toEqual([changed]);
    if (kind !== undefined) expect(divergence?.kind, told).toBe(kind);
    if (tool !== undefined) expect(divergence?.tool, told).toBe(work.read.tool);
    if (isAlone)
      expect(
        divergence?.others.map(({ cause }) => cause.kind),
        told,
      ).not.toContain('environment');
  });
});
