import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { AgentReplayError, parseReport, type Report } from '../src/rims.ts';

const FILE = 'origin.json';
const REPORT = 'report.json';
/** A report of a thousand sessions has a few megabytes. */
const MAX_BYTES = 64 * 1024 * 1024;

const origin = z.strictObject({
  version: z.literal(1),
  repository: z.string(),
  /** Null when it is of none. */
  pullRequest: z.int().positive().nullable(),
  /** Null on a pull request, and for a tag. */
  branch: z.string().nullable(),
  headSha: z.string(),
  /** Of the workflow run. */
  runId: z.int().positive(),
  /** SHA-256 of report.json. */
  digest: z.string(),
});
/** Which run a report is of, as the job says that made it. */
export type Origin = Omit<z.infer<typeof origin>, 'version' | 'digest'>;

/** Lays beside a report where it comes from: for the job that publishes it, and for later runs that look back at it. */
export async function sealReport(folder: string, from: Origin): Promise<void> {
  const digest = digestOf(await readRegular(folder, REPORT));
  const text = JSON.stringify({ version: 1, ...from, digest } satisfies z.infer<typeof origin>, null, 2);
  await writeFile(path.join(folder, FILE), `${text}\n`);
}

/**
 * Reads a sealed report. Who made it may be a stranger: that it says of itself where it comes from proves nothing yet.
 * @throws AgentReplayError `INPUT_INVALID`
 */
export async function openSealed(folder: string, name = REPORT): Promise<{ report: Report; origin: Origin }> {
  const text = await readRegular(folder, name);
  const parsed = origin.safeParse(jsonOf(await readRegular(folder, FILE)));
  if (!parsed.success) throw refusal(`${FILE} does not say where the report comes from.`);
  if (parsed.data.digest !== digestOf(text)) throw refusal(`${name} is not the one that ${FILE} is about.`);
  return { report: parseReport(text, name), origin: parsed.data };
}

/** Reads a file that lies in the folder itself: neither through a link nor from a device. */
async function readRegular(folder: string, name: string): Promise<string> {
  const file = path.join(folder, name);
  try {
    if ((await realpath(file)) !== path.join(await realpath(folder), name)) throw refusal(`${name} is a link.`);
    await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size, isFile } = await handle.stat().then((stat) => ({ size: stat.size, isFile: stat.isFile() }));
    if (!isFile) throw refusal(`${name} is no file.`);
    if (size > MAX_BYTES) throw refusal(`${name} is larger than ${MAX_BYTES / 1024 ** 2} MiB.`);
    return await handle.readFile('utf8');
  } catch (error) {
    if (error instanceof AgentReplayError) throw error;
    throw refusal(`There is no ${name} in the folder of the reports (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function refusal(message: string): AgentReplayError {
  return new AgentReplayError('INPUT_INVALID', message, {
    hint: 'Upload the whole output folder of the job that replays, and download it into the folder that "reports" names.',
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
