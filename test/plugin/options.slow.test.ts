import { optionsOfVitestHold } from './promises/options.ts';

optionsOfVitestHold(5);
