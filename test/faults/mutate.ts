import fc from '../fast-check.ts';

/**
 * Values that have broken parsers before: prototype keys, invalid numbers, half characters, deep nesting, odd blanks.
 */
const TOKENS = [
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '1e999',
  '-0',
  '9007199254740993',
  'NaN',
  'null',
  '""',
  '[]',
  '{}',
  '"\\ud800"',
  '"\\u0000"',
  '\u0000',
  '\ufeff',
  '\u2028',
  '::error::x',
  '../../etc/passwd',
  '0001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '1'.repeat(400),
  '{"toString":1,"valueOf":1}',
  '['.repeat(5_000),
  '{"a":'.repeat(5_000),
].map((token) => Buffer.from(token));

/** A number written as JSON, so that a place for one can be found in a text. */
const VALUE = /"(?:[^"\\]|\\.)*"(?=\s*[,\]}])|(?<=[:[,\s])-?\d+(?:\.\d+)?/g;

type Mutation = (bytes: Buffer) => Buffer;

const at = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const place = (bytes: Buffer, share: number) => Math.floor(share * bytes.length);

/** One change to some bytes, anywhere in them. */
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(at, fc.nat(255)).map(
    ([share, value]): Mutation =>
      (bytes) => {
        const changed = Buffer.from(bytes);
        if (changed.length > 0) changed[place(bytes, share)] = value;
        return changed;
      },
  ),
  at.map(
    (share): Mutation =>
      (bytes) =>
        bytes.subarray(0, place(bytes, share)),
  ),
  fc.tuple(at, at).map(
    ([a, b]): Mutation =>
      (bytes) => {
        const [from, to] = [place(bytes, Math.min(a, b)), place(bytes, Math.max(a, b))];
        return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
      },
  ),
  fc.tuple(at, at, at).map(
    ([a, b, into]): Mutation =>
      (bytes) => {
        const part = bytes.subarray(place(bytes, Math.min(a, b)), place(bytes, Math.max(a, b)));
        const index = place(bytes, into);
        return Buffer.concat([bytes.subarray(0, index), part, bytes.subarray(index)]);
      },
  ),
  fc.tuple(at, fc.constantFrom(...TOKENS)).map(
    ([share, token]): Mutation =>
      (bytes) => {
        const index = place(bytes, share);
        return Buffer.concat([bytes.subarray(0, index), token, bytes.subarray(index)]);
      },
  ),
  // Replaces one value by another, so that the result is still JSON and gets further.
  fc.tuple(at, fc.oneof(fc.constantFrom(...TOKENS.map(String)), fc.json({ maxDepth: 2 }))).map(
    ([share, value]): Mutation =>
      (bytes) => {
        const text = bytes.toString('utf8');
        const values = [...text.matchAll(VALUE)];
        const found = values[Math.floor(share * values.length)];
        if (found === undefined) return bytes;
        return Buffer.from(text.slice(0, found.index) + value + text.slice(found.index + found[0].length));
      },
  ),
);

/** Real files with up to four changes each. */
export function mutated(seeds: readonly Buffer[]): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fc.constantFrom(...seeds), fc.array(mutation, { minLength: 1, maxLength: 4 }))
    .map(([seed, changes]) => changes.reduce((bytes, change) => change(bytes), seed));
}
