import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, realpath, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { AgentReplayError, jsonIn, parseReport, type Report } from '../src/rims.ts';

const FILE = 'origin.json';
const REPORT = 'report.json';
const JOURNAL = 'journal.ndjson';
const TRACES = 'traces';
/** The report of a thousand sessions takes a few megabytes. */
const MAX_BYTES = 64 * 1024 * 1024;

const origin = z.strictObject({
  version: z.literal(1),
  repository: z.string(),
  /** Null when the run is of no pull request. */
  pullRequest: z.int().positive().nullable(),
  headSha: z.string(),
  runId: z.int().positive(),
  /** Counts reruns, from 1. */
  runAttempt: z.int().positive().default(1),
  /** SHA-256 of the report, and of what it was made from. */
  files: z.record(z.string(), z.string()),
});
/** The run that made a report, according to the job that ran it. */
export type Origin = Omit<z.infer<typeof origin>, 'version' | 'files'>;

/**
 * Writes beside a report where it comes from, and the digests of its files. Three readers need them: the job that
 * publishes the report, later runs that compare with it, and `accept`.
 * @returns the seal, which stands for all of these files wherever they are found later
 */
export async function sealReport(folder: string, from: Origin): Promise<string> {
  const files = Object.fromEntries(
    await Promise.all(
      (await sealedNames(folder)).map(async (name) => [name, digestOf(await readRegular(folder, name))]),
    ),
  );
  const text = `${JSON.stringify({ version: 1, ...from, files } satisfies z.infer<typeof origin>, null, 2)}\n`;
  await writeFile(path.join(folder, FILE), text);
  return digestOf(text);
}

/** The report, the distinct behaviours, and the journal. */
async function sealedNames(folder: string): Promise<string[]> {
  const kept = await readdir(path.join(folder, TRACES)).catch(() => []);
  const others = [JOURNAL, ...kept.sort().map((name) => `${TRACES}/${name}`)].filter(isOutput);
  const sizes = await Promise.all(others.map((name) => stat(path.join(folder, name)).catch(() => undefined)));
  return [REPORT, ...others.filter((_, at) => (sizes[at]?.size ?? Number.POSITIVE_INFINITY) <= MAX_BYTES)];
}

/** By their names in the output folder. */
export type RunFiles = ReadonlyMap<string, Uint8Array>;

/**
 * Selects the sealed files of an artifact.
 * @returns undefined when the seal belongs to another run
 * @throws AgentReplayError `INPUT_INVALID` when a file is missing, or differs from the sealed one
 */
export function unsealed(files: RunFiles, seal: string): RunFiles | undefined {
  const own = [...files].find(([name, bytes]) => path.posix.basename(name) === FILE && digestOf(bytes) === seal);
  if (own === undefined) return undefined;
  const [place, bytes] = own;
  const folder = place.slice(0, -FILE.length);
  return new Map(
    Object.entries(originIn(Buffer.from(bytes).toString()).files).map(([name, digest]) => {
      const content = files.get(folder + name);
      if (!isOutput(name) || content === undefined) throw refusal(`The artifact has no ${JSON.stringify(name)}.`);
      if (digestOf(content) !== digest) throw refusal(`${name} is not the one that ${FILE} is about.`);
      return [name, content];
    }),
  );
}

/** Whether an entry of an artifact, in any folder, has the name of a file that a run writes. */
export function isFileOfRun(entry: string): boolean {
  const [name = '', folder] = entry.split('/').toReversed();
  return name === FILE || isOutput(name) || (folder !== undefined && isOutput(`${folder}/${name}`));
}

/** Whether a run writes a file of this name to its output folder. */
function isOutput(name: string): boolean {
  return name === REPORT || name === JOURNAL || /^traces\/[^/\\\0]+\.json$/.test(name);
}

/**
 * A stranger may have made it, so what it says of its own origin proves nothing yet.
 * @throws AgentReplayError `INPUT_INVALID`
 */
export async function openSealed(folder: string): Promise<{ report: Report; origin: Origin; seal: string }> {
  const text = await readRegular(folder, REPORT);
  const said = await readRegular(folder, FILE);
  const from = originIn(said);
  if (from.files[REPORT] !== digestOf(text)) throw refusal(`${REPORT} is not the one that ${FILE} is about.`);
  return { report: parseReport(text, REPORT), origin: from, seal: digestOf(said) };
}

function originIn(text: string): z.infer<typeof origin> {
  const { data } = origin.safeParse(jsonIn(text));
  if (data === undefined) throw refusal(`${FILE} does not say where the report comes from.`);
  return data;
}

/** Refuses links and devices. */
async function readRegular(folder: string, name: string): Promise<string> {
  const file = path.join(folder, name);
  try {
    if ((await realpath(file)) !== path.join(await realpath(folder), name)) throw refusal(`${name} is a link.`);
    await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await handle.stat();
    if (!stats.isFile()) throw refusal(`${name} is not a file.`);
    if (stats.size > MAX_BYTES) throw refusal(`${name} is larger than ${MAX_BYTES / 1024 ** 2} MiB.`);
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

function digestOf(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}
