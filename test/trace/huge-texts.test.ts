import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Json } from '../../src/json/index.ts';
import { mapTexts } from '../../src/json/index.ts';
import { type HugeTexts, jsonWithout, withHugeTexts } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';

const LIMIT = 12;

/** Texts of all kinds of characters that JSON escapes, and JSON within them, which begins as JSON does. */
const { value } = fc.letrec<{ value: Json; text: string }>((tie) => ({
  text: fc.oneof(
    fc.string({ unit: fc.constantFrom(...'aé🧾"\\\n\0{}[] /', '\ud83e'), maxLength: 40 }).map((text) => `x${text}`),
    tie('value').map((inner) => JSON.stringify([inner])),
  ),
  value: fc.oneof(
    { maxDepth: 4 },
    tie('text'),
    fc.constantFrom(null, true, 1.5),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(tie('text'), tie('value'), { maxKeys: 3 }),
  ),
}));

function told(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex');
  const whole = text.slice(0, Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n')) + 1);
  return `${Buffer.from(whole).toString()}… (a text of ${text.length} characters, SHA-256 ${hash})`;
}

/** What stands for huge texts, found in values. */
function expected(given: Json): Json {
  return mapTexts(given, (text) => {
    if (Buffer.byteLength(JSON.stringify(text)) - 2 <= LIMIT) return text;
    if (text.startsWith('[')) return JSON.stringify(expected(JSON.parse(text)));
    return text.length > LIMIT ? told(text) : text;
  });
}

test('fault 145: what stands for huge texts in bytes is what stands for them in values, in JSON within JSON too', () => {
  fc.assert(
    fc.property(value, (given) => {
      const json = JSON.stringify(given);
      const kept: HugeTexts = new Map();
      const cut = jsonWithout(Buffer.from(json), { limit: LIMIT, level: 0, kept }).toString();
      expect(JSON.parse(cut)).toEqual(expected(given));
      expect(withHugeTexts(JSON.stringify(JSON.parse(cut)), kept).toString()).toBe(json);
    }),
  );
});

test('fault 145: what is no JSON, or no text, stays as it is', () => {
  for (const bytes of [`{"a":"${'x'.repeat(20)}`, `{"a":"${'x'.repeat(20)}\\u12"}`, `{"a":"${'x\n'.repeat(20)}"}`]) {
    expect(jsonWithout(Buffer.from(bytes), { limit: LIMIT, level: 0 }).toString()).toBe(bytes);
  }
  const bytes = Buffer.from(`"${'\xff'.repeat(20)}"`, 'latin1');
  expect(jsonWithout(bytes, { limit: LIMIT, level: 0 })).toBe(bytes);
});
