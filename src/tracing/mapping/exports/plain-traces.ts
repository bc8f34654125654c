import { z } from 'zod';
import { type Json, type JsonObject, present, spelledOut } from '../../../json/index.ts';
import { mistakeLines, PLAINLY } from '../../../mistakes.ts';
import { type Trace, trace as traceShape } from '../../../trace/index.ts';
import { OtlpError } from '../otlp.ts';
import type { TraceRecord } from '../trace-record.ts';

/** The JSON format for handwritten traces: docs/sources.md. */
export const plainTraces = z.object({ version: z.literal(1), traces: z.array(traceShape) });

export function isPlain(document: JsonObject): boolean {
  return 'version' in document && Array.isArray(document.traces);
}

/** @throws OtlpError with the place of every mistake */
export function readPlain(document: JsonObject): TraceRecord[] {
  const { data, error } = plainTraces.safeParse(document, PLAINLY);
  if (error !== undefined) {
    const mistakes = mistakeLines(error, 'the file');
    throw new OtlpError(`it is not what docs/sources.md describes: ${mistakes.slice(0, MISTAKES).join('; ')}`);
  }
  return data.traces.flatMap(recordsOf);
}

const MISTAKES = 5;

function recordsOf({ id, observations, input, output, ...said }: Trace): TraceRecord[] {
  const { name, timestamp, sessionId, release, version, metadata } = said;
  const root = observations.find(({ parentId }) => parentId === null);
  const fields = {
    name: name ?? root?.name,
    timestamp,
    sessionId,
    release,
    version,
    input: contentOf(input ?? root?.input),
    output: contentOf(output ?? root?.output),
  };
  return [
    { traceId: id, trace: { ...present(fields), metadata }, isRoot: false },
    ...observations.map((observation) => {
      const content = { input: contentOf(observation.input), output: contentOf(observation.output) };
      const isRoot = observation.parentId === null;
      return { traceId: id, observation: { ...observation, ...present(content) }, trace: { metadata: {} }, isRoot };
    }),
  ];
}

/** As everywhere, JSON in text is parsed. */
function contentOf(value: Json | undefined): Json | undefined {
  return typeof value === 'string' ? spelledOut(value) : value;
}
