import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Message } from '../../src/chat/index.ts';
import { toAnthropicMessages, toLangChainMessages, toResponsesInput } from '../../src/endpoint/index.ts';
import { conversations } from '../chat/conversations.ts';
import fc from '../fast-check.ts';
import { PACKAGE_ROOT, pythonWith } from './python.ts';

const python = pythonWith();

const CONVERTERS: readonly [string, (messages: Message[]) => unknown][] = [
  ['to_langchain_messages', toLangChainMessages],
  ['to_responses_input', toResponsesInput],
  ['to_anthropic_messages', toAnthropicMessages],
];

test.skipIf(python === undefined).each(CONVERTERS)(
  '%s in Python makes of any conversation what its counterpart in TypeScript does',
  (name, convert) => {
    const samples = fc.sample(conversations, { numRuns: 500, seed: 7 });
    const expected = samples.map((messages) => outcomeOf(() => convert(messages)));
    const script = `
import json, sys
from agent_replay import messages
def outcome(conversation):
    try: return messages.${name}(conversation)
    except ValueError: return "refused"
json.dump([outcome(each) for each in json.load(sys.stdin)], sys.stdout)
`;
    const printed = execFileSync(python as string, ['-c', script], {
      input: JSON.stringify(samples),
      encoding: 'utf8',
      env: { PYTHONPATH: path.join(PACKAGE_ROOT, 'src'), PYTHONDONTWRITEBYTECODE: '1' },
    });
    const made = JSON.parse(printed) as unknown[];
    for (const [index, each] of made.entries()) expect(each).toEqual(expected[index]);
    expect(made.filter((each) => each !== 'refused').length).toBeGreaterThan(100);
  },
);

function outcomeOf(convert: () => unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(convert()));
  } catch {
    return 'refused';
  }
}
