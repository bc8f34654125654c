import { createContext } from 'preact';
import type { TraceView } from '../../src/report/view-shapes.ts';

/** Reads what a behaviour of a turn did, or with an empty letter what was recorded; undefined when it was not kept. */
export type ReadTrace = (turn: number, of: string) => Promise<TraceView | undefined>;

/** Where traces come from: a report has them inside, the page asks its server. */
export const Traces = createContext<ReadTrace | undefined>(undefined);
