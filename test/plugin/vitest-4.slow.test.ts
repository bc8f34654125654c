import { describe } from 'vitest';
import { matchersHold } from './promises/matchers.ts';
import { pinnedSessionsAreTests } from './promises/pins.ts';
import { runsAreReported } from './promises/reports.ts';
import { updatesAreAccepted } from './promises/updates.ts';

describe('with Vitest 4', () => {
  pinnedSessionsAreTests(4);
  matchersHold(4);
  updatesAreAccepted(4);
  runsAreReported(4);
});
