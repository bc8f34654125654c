import { expect, test } from 'vitest';
import { converterFor, generationOf } from '../../src/chat/index.ts';
import { type JsonObject, parseJson } from '../../src/json/index.ts';

/** Kept as it is written: a number that a double cannot hold. */
const NUMBER = '9'.repeat(40);

test.each(['type', 'part_kind', 'role', 'kind', 'name', 'id', 'summary', 'lc'])(
  'fault 103: a number of forty digits as %s is read as what it is',
  (key) => {
    const shapes = [
      `[{"${key}":${NUMBER},"content":[{"${key}":${NUMBER},"text":"a"}]}]`,
      `[{"kind":"request","parts":[{"part_kind":"user-prompt","${key}":${NUMBER},"content":"a"}]}]`,
      `[{"lc":1,"type":"constructor","id":[${NUMBER}],"kwargs":{"${key}":${NUMBER},"content":"a"}}]`,
      `[{"type":"reasoning","${key}":${NUMBER},"summary":[${NUMBER}]}]`,
    ];
    for (const shape of shapes) {
      const value = parseJson(shape) as JsonObject;
      const { messages, said, calls } = generationOf({ input: value, output: value });
      expect(() => JSON.stringify([messages, said, calls, converterFor(value)])).not.toThrow();
    }
  },
);
