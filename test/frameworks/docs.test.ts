import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const page = readFileSync(new URL('../../docs/frameworks.md', import.meta.url), 'utf8');
const snippets = [...page.matchAll(/^```js (\S+)\n([\s\S]*?)^```$/gm)].map(([, file = '', code = '']) => [file, code]);
const WALKS = path.join(import.meta.dirname, 'walks');

test.each(snippets)('the lines of %s are those that were tried', (file = '', code) => {
  expect(code).toBe(readFileSync(path.join(WALKS, file), 'utf8'));
});

test('each project that is led the whole way has its lines on the page', () => {
  expect(snippets.map(([file = '']) => path.dirname(file)).sort()).toEqual(readdirSync(WALKS).sort());
});
