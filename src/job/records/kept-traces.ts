import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readTextFile } from '../../files/index.ts';
import { jsonIn } from '../../json/index.ts';
import type { KeptTrace } from '../../report/index.ts';
import { fileNameFor } from '../../session/index.ts';
import { recording } from '../../trace/index.ts';

/** Files of traces beside a report: `refund.1.0.json`, and `refund.1.recorded.json` for the recording. */
const TRACE = /^(.*)\.\d+\.(?:\d+|recorded)\.json$/s;

export function nameOfTrace({ session, turn, cluster }: Pick<KeptTrace, 'session' | 'turn' | 'cluster'>): string {
  return `${nameOf(session)}.${turn}.${cluster ?? 'recorded'}.json`;
}

/** The session's name in a file name; undefined if the file is not ours. */
export function sessionOfTrace(file: string): string | undefined {
  return TRACE.exec(file)?.[1];
}

/** Made when the first file is read, because few runs read one. */
const kept = z.lazy(() =>
  z.object({
    session: z.string(),
    turn: z.int().positive(),
    cluster: z.int().nonnegative().nullable(),
    recording,
    steps: z
      .array(
        z.object({ number: z.int().positive(), observationId: z.string().optional(), text: z.string().optional() }),
      )
      .optional(),
  }),
) satisfies z.ZodType<KeptTrace>;

/** Reads what `writeBehaviours` wrote. Unreadable files are left out. */
export async function readKept(dir: string, session: string): Promise<KeptTrace[]> {
  const files = await readdir(dir).catch(() => []);
  const own = `${nameOf(session)}.`;
  const traces: KeptTrace[] = [];
  for (const file of files.filter((name) => sessionOfTrace(name) !== undefined && name.startsWith(own)).sort()) {
    const text = await readTextFile(path.join(dir, file)).catch(() => '');
    const { data } = kept.safeParse(jsonIn(text));
    if (data?.session === session) traces.push(data);
  }
  return traces;
}

function nameOf(session: string): string {
  return fileNameFor(session).replace(/\.session\.json$/, '');
}
