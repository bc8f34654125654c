import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { CarriedReport } from '../../../report/index.ts';
import { parseJson } from '../../../report/words/pages.ts';
import type { RunToRead } from '../../index.ts';

/** Reads what a behaviour of a turn (null: the recording) did; undefined if it was not kept. */
export type ReadTrace = (turn: number, of: number | null) => Promise<RunToRead | undefined>;

/** The source of traces: a report contains them, the page asks its server. */
export const Traces = createContext<ReadTrace | undefined>(undefined);

/** What a behaviour did, read as soon as it is wanted. `missing`: nowhere that this page can look. */
export function useKept(turn: number, of: number | null, isWanted = true): RunToRead | 'loading' | 'missing' {
  const read = useContext(Traces);
  const [run, setRun] = useState<RunToRead | 'loading' | 'missing'>('loading');
  useEffect(() => {
    let isOld = false;
    setRun('loading');
    if (!isWanted) return;
    const found = read?.(turn, of) ?? Promise.resolve(undefined);
    void found.catch(() => undefined).then((each) => isOld || setRun(each ?? 'missing'));
    return () => {
      isOld = true;
    };
  }, [read, turn, of, isWanted]);
  return run;
}

/** A report's traces by `turn behaviour session`: base64 of gzip, unpacked on demand. */
export function carriedTraces(carried: Readonly<Record<string, string>>, session: string): ReadTrace {
  return async (turn, of) => {
    const packed = carried[`${turn} ${of ?? ''} ${session}`];
    if (packed === undefined) return undefined;
    return (await unpacked(packed)) as RunToRead;
  };
}

async function unpacked(packed: string): Promise<unknown> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return dataIn(await new Response(stream).text());
}

/** With all of its sessions and runs in the report. */
export async function wholeReport({ sessions, runs, ...carried }: CarriedReport): Promise<CarriedReport> {
  if (sessions === undefined || runs === undefined) return carried;
  const all = async <Item,>(parts: readonly string[]) => (await Promise.all(parts.map(unpacked))).flat() as Item[];
  const { results, evidence, ...report } = carried.report;
  const whole = {
    ...report,
    results: { ...results, sessions: await all<(typeof results.sessions)[number]>(sessions) },
    evidence: { ...evidence, runs: await all<(typeof evidence.runs)[number]>(runs) },
  };
  return { ...carried, report: whole };
}

/** JSON with its numbers as they were written. The exact parser is slow, and few texts need it. */
export function dataIn(text: string): unknown {
  return /\d{16}/.test(text) ? parseJson(text) : JSON.parse(text);
}
