import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { AgentReplayError } from '../../errors.ts';
import { readTextFile } from '../../files/index.ts';
import { type Json, jsonIn } from '../../json/index.ts';
import { recording } from '../../trace/index.ts';
import type { ReplayedBehaviour } from '../judging/session-progress.ts';

/** A behaviour as a run writes it to `traces/`. */
const behaviour = z.object({
  session: z.string(),
  turn: z.int().positive(),
  cluster: z.int().nonnegative(),
  runs: z.array(z.int().positive()),
  recording,
}) satisfies z.ZodType<ReplayedBehaviour>;

/** @throws AgentReplayError `INPUT_INVALID` */
export async function readBehaviours(outputDir: string): Promise<ReplayedBehaviour[]> {
  const folder = path.join(outputDir, 'traces');
  const files = await readdir(folder).catch(() => []);
  const kept = files
    .filter((name) => name.endsWith('.json') && !name.endsWith('.recorded.json'))
    .map((name) => path.join(folder, name));
  return Promise.all(kept.map(async (file) => behaviourIn(jsonIn(await readText(file)), file)));
}

function behaviourIn(value: Json | undefined, file: string): ReplayedBehaviour {
  const parsed = behaviour.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AgentReplayError('INPUT_INVALID', `${file} is not a behaviour that a run has kept.`, {
    location: { file },
    hint: 'Give the files of the traces folder unchanged.',
  });
}

async function readText(file: string): Promise<string> {
  try {
    return await readTextFile(file);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new AgentReplayError('INPUT_INVALID', `${file} could not be read (${code}).`, { location: { file }, cause });
  }
}
