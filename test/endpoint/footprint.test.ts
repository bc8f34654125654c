import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('the helper loads the contract with its parsers and the reader of messages, and nothing else of ours or of others', () => {
  const program = new URL('fixtures/loaded.ts', import.meta.url).pathname;
  const loaded = execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const files = loaded.split('\n').filter((url) => url.startsWith('file:'));
  const owners = files.map(
    (url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? /\/src\/(\w+)/.exec(url)?.[1] ?? url,
  );
  const ours = ['ask', 'bounded', 'chat', 'contract', 'endpoint', 'errors', 'json', 'mistakes', 'text'];
  expect([...new Set(owners)].toSorted()).toEqual([...ours, 'zod'].toSorted());
});

test("the helper leaves the agent's zod as it is configured", () => {
  const program = new URL('fixtures/zod-kept.ts', import.meta.url).pathname;
  const args = ['--disable-warning=ExperimentalWarning', program];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe('kept');
});
