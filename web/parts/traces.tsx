import { createContext } from 'preact';
import type { TraceView } from '../../src/report/view/view-shapes.ts';

/** Reads what a behaviour of a turn did, or with an empty letter what was recorded; undefined when it was not kept. */
export type ReadTrace = (turn: number, of: string) => Promise<TraceView | undefined>;

/** Where traces come from: a report has them inside, the page asks its server. */
export const Traces = createContext<ReadTrace | undefined>(undefined);

/** What a report carries, by `turn letter session`: base64 of gzip, opened when somebody asks for it. */
export function carriedTraces(carried: Readonly<Record<string, string>>, session: string): ReadTrace {
  return async (turn, of) => {
    const packed = carried[`${turn} ${of} ${session}`];
    if (packed === undefined) return undefined;
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return (await new Response(stream).json()) as TraceView;
  };
}
