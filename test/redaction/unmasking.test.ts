import { expect, test } from 'vitest';
import { type Json, parseJson } from '../../src/json/index.ts';
import { redactor, unmasking } from '../../src/redaction/index.ts';
import fc from '../fast-check.ts';

const redact = redactor({ personal: true, patterns: ['order-\\d+'] });

test('what was masked is put back into another text with the same masks, whatever stands around it', () => {
  const word = fc.stringMatching(/^[a-z,.: ]{1,8}$/);
  const masked = fc.constantFrom('ana@example.com', 'bo@example.com', 'order-17', '+49 170 1234567');
  const texts = fc.array(fc.array(fc.oneof(word, masked), { maxLength: 6 }).map((parts) => parts.join(' | ')));
  fc.assert(
    fc.property(texts, (messages) => {
      const pinned = redact(messages);
      expect(unmasking(messages, pinned)(pinned)).toEqual(messages);
    }),
  );
});

test('a mask that stands for two values, or for none that came, stays', () => {
  const value = parseJson('{"password":"one","nested":{"api_key":"two"},"to":"ana@example.com"}') as Json;
  const unmask = unmasking(value, redact(value));
  expect(unmask(['<secret>', '<email:0000>', redact('ana@example.com')])).toEqual([
    '<secret>',
    '<email:0000>',
    'ana@example.com',
  ]);
});
