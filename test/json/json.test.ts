import { expect, test } from 'vitest';
import { asNumber, asText, isRawNumber, JsonError, MAX_DEPTH, parseJson } from '../../src/json/index.ts';
import fc from '../fast-check.ts';

function mistakeIn(text: string): JsonError {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
  throw new Error(`${text} is JSON`);
}

test('what JSON.parse takes is taken, and means the same', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

test('what JSON.parse refuses is refused, at a place inside the text', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.string({ minLength: 1, maxLength: 3 }), (text, place, wrong) => {
      const at = place % (text.length + 1);
      const changed = text.slice(0, at) + wrong + text.slice(at);
      let isJson = true;
      try {
        JSON.parse(changed);
      } catch {
        isJson = false;
      }
      if (isJson) return;
      const { offset } = mistakeIn(changed);
      expect(offset).toBeGreaterThanOrEqual(0);
      expect(offset).toBeLessThanOrEqual(changed.length);
    }),
  );
});

test.each([
  ['{"a":x}', 5, 'unexpected character'],
  ['[1,2,]', 5, 'unexpected character'],
  ['{"a":1} {"b":2}', 8, 'more follows after its end'],
  ['{"a": "unterm', 6, 'it is cut off'],
  ['[1,', 3, 'it is cut off'],
  ['{a:1}', 1, 'unexpected character'],
  ['[1 2]', 3, 'unexpected character'],
  ['["\\x"]', 1, 'unexpected character'],
  ['[1}', 2, 'unexpected character'],
  ['NaN', 0, 'unexpected character'],
])('fault 20: the mistake in %s is at %i', (text, offset, message) => {
  expect(mistakeIn(text)).toMatchObject({ offset, message });
});

test('fault 20: an empty text is said to be empty', () => {
  expect(mistakeIn(' \n')).toMatchObject({ offset: undefined, message: 'empty' });
});

test('fault 59: nesting of 100,000 is refused, and what is left is as deep as may be', () => {
  expect(mistakeIn('['.repeat(100_000)).message).toBe(`nested deeper than ${MAX_DEPTH} levels`);
  expect(() => parseJson('['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH))).not.toThrow();
});

test('fault 60: a mistake behind a string of 20 MB is found', () => {
  const text = `{"a":"${'x'.repeat(20_000_000)}", b}`;
  expect(mistakeIn(text).offset).toBe(text.length - 2);
});

test('fault 61: numbers that a double cannot hold are kept to the digit', () => {
  for (const number of ['9007199254740993', '-9007199254740993', '1e999', '123456789012345678901234567890']) {
    const value = parseJson(number);
    expect(isRawNumber(value)).toBe(true);
    expect(JSON.stringify(value)).toBe(number);
  }
  expect(parseJson('[9007199254740991, -0, 0.1]')).toEqual([9007199254740991, -0, 0.1]);
});

test('fault 58: prototype keys are data', () => {
  const value = parseJson('{"__proto__":{"polluted":true},"constructor":1}') as Record<string, unknown>;
  expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('fault 58: a value whose toString is data, and a number kept as text, are read as text and as numbers', () => {
  const huge = parseJson('1'.repeat(400));
  const hostile = parseJson('{"toString":1,"valueOf":2,"__proto__":3}');
  expect([huge, hostile, ['a', 1], null].map(asText)).toEqual([
    '1'.repeat(400),
    '{"toString":1,"valueOf":2,"__proto__":3}',
    'a,1',
    'null',
  ]);
  expect([parseJson('9007199254740993'), hostile, '12', []].map(asNumber)).toEqual([
    2 ** 53,
    Number.NaN,
    12,
    Number.NaN,
  ]);
});
