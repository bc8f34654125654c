import { describe } from 'vitest';
import { optionsOfVitestHold } from './promises/options.ts';

// What a set-up, a test, a matcher, a report and `-u` need of Vitest 4 is tried in vitest-4.slow.test.ts.
describe('with Vitest 4', () => {
  optionsOfVitestHold(4);
});
