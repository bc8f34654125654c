import type { Report, SessionResult } from '../../../report/index.ts';

/** Parts of a report, under the names that these parts use. */
export type TurnResult = SessionResult['turns'][number];
export type Cluster = TurnResult['comparison']['clusters'][number];
export type Divergence = NonNullable<TurnResult['comparison']['divergence']>;
export type Difference = Cluster['differences'][number];
export type RunEvidence = Report['evidence']['runs'][number];
export type { LaidStep, Problem, Report, SessionResult } from '../../../report/index.ts';
