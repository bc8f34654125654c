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

/** Reads what `writeBehaviours` wrote, of one session after another. Unreadable files are left out. */
export function keptIn(dir: string): (session: string) => Promise<KeptTrace[]> {
  let listed: Promise<Map<string | undefined, string[]>> | undefined;
  return async (session) => {
    listed ??= filesBySession(dir);
    const files = (await listed).get(nameOf(session)) ?? [];
    const traces = await Promise.all(files.map((file) => readTrace(path.join(dir, file))));
    return traces.filter((trace) => trace?.session === session) as KeptTrace[];
  };
}

async function filesBySession(dir: string): Promise<Map<string | undefined, string[]>> {
  const files = await readdir(dir).catch(() => []);
  return Map.groupBy(files.sort(), sessionOfTrace);
}

async function readTrace(file: string): Promise<KeptTrace | undefined> {
  return kept.safeParse(jsonIn(await readTextFile(file).catch(() => ''))).data;
}

function nameOf(session: string): string {
  return fileNameFor(session).replace(/\.session\.json$/, '');
}
