import type { ShiftRun } from '../../src/shift/index.ts';
import fc from '../fast-check.ts';

/** Runs of which some are likely to be alike, and which differ in calls, arguments, answers and failures. */
export const run: fc.Arbitrary<ShiftRun> = fc.record({
  calls: fc.array(
    fc.record({
      tool: fc.constantFrom('search', 'book', 'pay'),
      tokens: fc
        .uniqueArray(fc.constantFrom('/a\0"x"', '/a\0"y"', '/b\x001'), { maxLength: 2 })
        .map((all) => all.sort()),
    }),
    { maxLength: 3 },
  ),
  answers: fc.array(
    fc.oneof(
      fc.array(fc.constantFrom('the', 'order', 'is', 'not', 'late'), { maxLength: 4 }).map((words) => ({ words })),
      fc
        .uniqueArray(fc.constantFrom('/status', '/total'), { minLength: 1, maxLength: 2 })
        .chain((pointers) =>
          fc
            .constantFrom('1', '2', '"open"')
            .map((value) => ({ leaves: pointers.toSorted().map((pointer) => ({ pointer, value })) })),
        ),
    ),
    { maxLength: 2 },
  ),
  failures: fc.subarray(['error of pay', 'ended: length']),
});

export const runs = (most: number): fc.Arbitrary<ShiftRun[]> => fc.array(run, { minLength: 1, maxLength: most });
