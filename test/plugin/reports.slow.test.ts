import { runsAreReported } from './promises/reports.ts';

runsAreReported(5);
