import { expect, test } from 'vitest';
import { baseOn } from '../../action/replay.ts';

const SHA = 'a'.repeat(40);

test.each([
  ['pull_request', 'main', 'main...', 'the last commit in common'],
  ['pull_request', 'v1...', 'v1...', 'what the workflow says'],
  ['workflow_dispatch', 'main', 'main...', 'the last commit in common, where it is made for a pull request'],
  ['push', 'HEAD~1', 'HEAD~1', 'what the workflow says'],
  ['merge_group', 'main', SHA, 'the commit that the queue builds on'],
  ['schedule', 'main', undefined, 'no base'],
  ['pull_request_target', 'main', undefined, 'no base'],
])('on %s the base %s is %s: %s', (name, base, expected, _) => {
  const dispatchedFor = name === 'workflow_dispatch' ? 7 : undefined;
  expect(baseOn({ name, mergeGroup: { base: SHA }, dispatchedFor }, { base })).toBe(expected);
});

test('without the input there is no base', () => {
  expect(
    baseOn({ name: 'pull_request', mergeGroup: undefined, dispatchedFor: undefined }, { base: undefined }),
  ).toBeUndefined();
});
