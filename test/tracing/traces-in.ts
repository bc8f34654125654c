import type { Trace } from '../../src/trace/index.ts';
import { assembleTrace } from '../../src/tracing/mapping/assemble.ts';
import { byTrace, traceFileReader } from '../../src/tracing/mapping/trace-file.ts';

export { assembleTrace, traceFileReader };

/** The traces of a file. */
export function tracesIn(text: string): Trace[] {
  const traces = byTrace(traceFileReader()(text));
  return [...traces.values()].map((arrivals) =>
    assembleTrace([...arrivals.values()].map((arrival) => arrival.record())),
  );
}
