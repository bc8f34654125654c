import { pinnedSessionsAreTests } from './promises/pins.ts';

pinnedSessionsAreTests(5);
