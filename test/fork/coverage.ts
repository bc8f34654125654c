import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Agent, request } from 'undici';
import { expect } from 'vitest';
import { compareRules, RecordedTurn } from '../../src/compare/index.ts';
import { measuredAt } from '../../src/compare/measured.ts';
import { recordedModelCalls } from '../../src/compare/model-contexts.ts';
import { type HeldCall, proxyModels, type RecordedModel } from '../../src/proxy/index.ts';
import { recordingOf, type Said } from './recorded-calls.ts';

const RULES = compareRules.parse({});
const RUNS = 10;
const user = (content: string) => ({ role: 'user', content });
const called = (name: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: '{}' } }],
});

const FIRST = [user('Refund it.')];
const SECOND = [...FIRST, called('lookup'), { role: 'tool', tool_call_id: 'call_1', content: '{"total":20}' }];
const RECORDED: Said[] = [
  { messages: FIRST, answer: called('lookup') },
  { messages: SECOND, answer: called('refund') },
];

/** A seeded generator of numbers in [0, 1) (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Simulates models with a known probability each. @returns the share whose measured interval contains that probability
 */
export async function shareCovered(trials: number): Promise<number> {
  let next: () => string = () => '';
  const model = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message: called(next()) }] }));
  });
  await once(model.listen(0, '127.0.0.1'), 'listening');
  const upstream = new URL(`http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`);
  const original = recordingOf(RECORDED);
  const calls = recordedModelCalls(original, RULES, undefined);
  const [before, asked] = calls.map(
    ({ answer, differs }): HeldCall => ({
      answer: answer ?? { text: '', calls: [], isCutShort: false },
      differs: (body) => differs(body, Date.parse('2026-06-15T12:00:00.000Z')),
    }),
  ) as [HeldCall, HeldCall];
  await using proxy = await proxyModels({ addresses: [{ variable: 'MODEL', upstream }] });
  const recorded: RecordedModel = {
    answers: [before],
    from: asked,
    otherwise: 'model',
    asPinned: (request) => ({ request, unmask: (text) => text }),
  };
  const dispatcher = new Agent();
  const ask = async (messages: Said['messages']) => {
    const url = `${proxy.environment.MODEL}/chat/completions`;
    const { body } = await request(url, {
      method: 'POST',
      body: JSON.stringify({ messages: [...messages] }),
      dispatcher,
    });
    return JSON.parse(await text(body)).choices[0].message;
  };
  const call = calls[1] as (typeof calls)[number];
  const turn = new RecordedTurn({ request: { input: '' }, recorded: original }, RULES);
  let covered = 0;
  for (let trial = 0; trial < trials; trial++) {
    const draw = random(trial);
    const probability = draw();
    next = () => (draw() < probability ? 'refund' : 'create_ticket');
    const runs = [];
    for (let run = 0; run < RUNS; run++) {
      const seen = proxy.begin(recorded);
      const said = [
        { messages: FIRST, answer: await ask(FIRST) },
        { messages: SECOND, answer: await ask(SECOND) },
      ];
      expect(seen).toMatchObject({ answered: 1, isAsked: true });
      runs.push(recordingOf(said));
    }
    const { interval, of } = measuredAt(call, turn.compare(...runs));
    expect(of).toBe(RUNS);
    const [low, high] = interval as readonly [number, number];
    if (low <= probability && probability <= high) covered++;
  }
  await dispatcher.close();
  model.closeAllConnections();
  model.close();
  return covered / trials;
}
