import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/index.ts';
import { findingOf } from '../../src/job/judging/finding.ts';
import type { Json } from '../../src/json/index.ts';
import type { ReplayResult } from '../../src/replay/index.ts';
import { type Pin, recordingOf } from '../../src/session/index.ts';
import type { Observation, Trace } from '../../src/trace/index.ts';
import { wholeMessage } from '../whole-message.ts';

const at = (second: number) => `2026-11-22T10:00:0${second}.000Z`;

function given(input: Json): Trace {
  const generation: Observation = {
    id: 'g',
    parentId: null,
    type: 'generation',
    name: 'chat',
    startTime: at(0),
    endTime: at(1),
    input,
    output: 'Found.',
  };
  return { id: 't', timestamp: at(0), metadata: {}, observations: [generation] };
}

test.each([
  ['parts of the AI SDK', [{ role: 'user', parts: [{ type: 'text', content: 'Where?' }] }], 'toModelMessages'],
  ['parts of Gemini', { contents: [{ role: 'user', parts: [{ text: 'Where?' }] }] }, 'toGeminiContents'],
  ["OpenAI's chat form", [{ role: 'user', content: 'Where?' }], undefined],
] as const)('a replay whose model was given nothing of what was sent names the converter: %s', (_, input, name) => {
  const request = { messages: [{ role: 'user', content: 'Where?' }], shape: 'chat' };
  const turns = [{ request, recorded: recordingOf(given(input as unknown as Json)) }];
  const pin = { session: { version: 1, stepsVersion: 1, id: 's', turns }, path: 's.session.json' } as unknown as Pin;
  const trace = given([{ role: 'user', content: '[object Object]' }]);
  const result = { session: 's', turn: 1, run: 1, replayRunId: 'x.t1.r1', attempts: 1 };
  const outcome = { kind: 'replayed', response: null, trace } as const;
  const replayed = { ...result, outcome } as unknown as ReplayResult;
  const { outcome: found } = findingOf(replayed, pin, (text) => text, parseConfig({}, { folder: '/' }));
  expect(found).toMatchObject({ kind: 'unverified', error: { code: 'TRACE_INPUT_DIFFERS' } });
  if (found.kind === 'unverified' && name === undefined)
    expect(wholeMessage(found.error)).toMatchInlineSnapshot(`
      "The agent did not work on the messages that were sent. (TRACE_INPUT_DIFFERS)
        user message 1 is "Where?" in the pin; the model was given "[object Object]"
        -> Let the endpoint pass the recorded messages on unchanged: \`messages\` win over \`input\`."
    `);
  const hint = found.kind === 'unverified' ? found.error.hint : '';
  if (name === undefined) expect(hint).toContain('unchanged');
  else expect(hint).toContain(`${name}(messages) of agent-replay/endpoint`);
});
