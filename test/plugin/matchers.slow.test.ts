import { matchersHold } from './promises/matchers.ts';

matchersHold(5);
