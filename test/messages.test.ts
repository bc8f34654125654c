import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
const CODES = [...readFileSync(path.join(ROOT, 'src/errors.ts'), 'utf8').matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map(
  ([, code = '']) => code,
);

/** What the tests show of messages: the text of each inline snapshot. */
const SNAPSHOTS = globSync('test/**/*.test.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] }).flatMap((file) =>
  [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(/InlineSnapshot\(\s*`((?:[^`\\]|\\.)*)`/g)].map(
    ([, text = '']) => text,
  ),
);
/** The first line of every whole message, as `wholeMessage` and the command print it: the sentence and its code. */
const SENTENCES = SNAPSHOTS.flatMap((text) =>
  [...text.matchAll(/^ *"?(?:error: |warning: )?(.*) \(([A-Z]+(?:_[A-Z]+)*)\)"?$/gm)].flatMap(
    ([, sentence = '', code = '']) => (CODES.includes(code) ? { sentence, code } : []),
  ),
);

test('some test shows the whole message of each error code, as a user sees it', () => {
  const shown = new Set(SENTENCES.map(({ code }) => code));
  expect(CODES.length).toBeGreaterThan(70);
  expect(CODES.filter((code) => !shown.has(code))).toEqual([]);
});

/** A count, or a name, such as a path, a setting, a tool or a command, is written as it is. */
const BEGINS = /^(?:\d+ |["`<$]?[A-Z]|[^ ]*[./*_:<-])/;

test('a message begins in upper case, or with a name, and ends with a full stop', () => {
  const odd = SENTENCES.filter(({ sentence }) => !BEGINS.test(sentence) || !/[.?]$/.test(sentence));
  expect(odd.map(({ sentence }) => sentence)).toEqual([]);
});
