import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const page = readFileSync(new URL('../../docs/python.md', import.meta.url), 'utf8');
const snippets = [...page.matchAll(/^```python (\S+)\n([\s\S]*?)^```$/gm)].map(([, file = '', code = '']) => [
  file,
  code,
]);
const TRIED = ['walks', 'fixtures'].map((folder) => path.join(import.meta.dirname, folder));

test.each(snippets)('the lines of %s in docs/python.md are those that are tried', (file = '', code) => {
  const tried = TRIED.map((folder) => path.join(folder, file)).find((each) => existsSync(each)) as string;
  expect(code).toBe(readFileSync(tried, 'utf8'));
});

test('every server that is led the whole way, and OpenTelemetry, have their lines on the page', () => {
  const files = snippets.map(([file]) => file).sort();
  expect(files).toEqual(['fastapi/server.py', 'flask/server.py', 'opentelemetry_agent.py']);
});
