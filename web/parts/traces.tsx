import { createContext } from 'preact';
import type { TraceView } from '../../src/report/view/view-shapes.ts';

/** Reads what a behaviour of a turn did, or with an empty letter what was recorded; undefined when it was not kept. */
export interface ReadTraces {
  view(turn: number, of: string): Promise<TraceView | undefined>;
  /** All of it as JSON, nothing cut. */
  raw(turn: number, of: string): Promise<string | undefined>;
}

/** Where traces come from: a report has them inside, the page asks its server. */
export const Traces = createContext<ReadTraces | undefined>(undefined);

/** What a report carries, by `turn letter session`: base64 of gzip, opened when somebody asks for it. */
export function carriedTraces(carried: Readonly<Record<string, string>>, session: string): ReadTraces {
  const view = async (turn: number, of: string) => {
    const text = await unpacked(carried[`${turn} ${of} ${session}`]);
    return text === undefined ? undefined : (JSON.parse(text) as TraceView);
  };
  return {
    view,
    raw: async (turn, of) => {
      const shown = await view(turn, of);
      // What a view does not cut is carried once.
      if (shown !== undefined && shown.cut + shown.more === 0) return JSON.stringify(shown, null, 2);
      return unpacked(carried[`raw ${turn} ${of} ${session}`]);
    },
  };
}

async function unpacked(packed: string | undefined): Promise<string | undefined> {
  if (packed === undefined) return undefined;
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}
