import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { wireNames } from '../../src/contract/index.ts';

const page = readFileSync(new URL('../../docs/endpoint.md', import.meta.url), 'utf8');
const snippets = [...page.matchAll(/^```ts (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = '', code = '']) => ({
  name,
  code,
}));

/** Fixtures are compiled and run by the other tests here. */
function fixture(name: string): string {
  const code = readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
  return code.replace("'../../../src/endpoint/index.ts'", "'agent-replay/endpoint'").replace("'ai-v6'", "'ai'");
}

test.each(snippets)('the snippet $name of the documentation is the one that is tested', ({ name, code }) => {
  expect(code).toBe(fixture(name));
});

test('every TypeScript snippet of the documentation is tested', () => {
  expect(page.match(/^```(ts|js|typescript)/gm)).toHaveLength(snippets.length);
});

test('the documentation names every field and header on the wire', () => {
  const { keys, headers, spansHeader } = wireNames();
  for (const name of [...Object.values(keys), ...Object.values(headers), spansHeader])
    expect(page).toContain(`\`${name}\``);
});
