import { updatesAreAccepted } from './promises/updates.ts';

updatesAreAccepted(5);
