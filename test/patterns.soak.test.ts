import { expect, test } from 'vitest';
import { growth, LINEAR } from './growth.ts';
import { badStringsFor, longTexts, matchAll, mayFillStack, ownPatterns, slowestText } from './patterns.ts';

/** From here growth is measured, up to megabytes. */
const SMALL = 2 ** 16;

const { patterns } = await ownPatterns();

test.for(patterns)(
  'fault 96: $at $pattern takes linear time in megabytes of what it takes longest for',
  ({ pattern }) => {
    const { make, name } = slowestText(pattern, { isSuspicious: () => true }) ?? badStringsFor(pattern)[0]!;
    expect(
      growth(SMALL, make, (text) => matchAll(pattern, text)),
      name,
    ).toBeLessThan(LINEAR);
  },
);

/** From some eight million characters on the engine's stack is full where a pattern keeps something of each. */
const HUGE = 12 * 2 ** 20;

test.for(patterns.filter(({ pattern }) => mayFillStack(pattern)))(
  'fault 110: $at $pattern does not meet the end of the stack in megabytes of one kind',
  ({ pattern }) => {
    for (const { name, make } of longTexts(pattern)) {
      pattern.lastIndex = 0;
      expect(() => pattern.test(make(HUGE)), name).not.toThrow();
    }
  },
);
