import { expect, test } from 'vitest';
import { growth, LINEAR } from './growth.ts';
import { badStringsFor, matchAll, ownPatterns, slowestText } from './patterns.ts';

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
