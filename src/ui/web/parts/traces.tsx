import { createContext } from 'preact';
import type { TraceView } from '../../../report/view/view-shapes.ts';

/** Reads what a behaviour of a turn did, or, for an empty letter, the recording; undefined if not kept. */
export interface ReadTraces {
  view(turn: number, of: string): Promise<TraceView | undefined>;
  /** All of it as JSON, nothing cut. */
  raw(turn: number, of: string): Promise<string | undefined>;
}

/** The source of traces: a report contains them, the page asks its server. */
export const Traces = createContext<ReadTraces | undefined>(undefined);

/** A report's traces by `turn letter session`: base64 of gzip, unpacked on demand. */
export function carriedTraces(carried: Readonly<Record<string, string>>, session: string): ReadTraces {
  const view = async (turn: number, of: string) => {
    const text = await unpacked(carried[`${turn} ${of} ${session}`]);
    return text === undefined ? undefined : (JSON.parse(text) as TraceView);
  };
  return {
    view,
    raw: async (turn, of) => {
      const shown = await view(turn, of);
      // If a view cuts nothing, it is carried once.
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
