import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { OUR_FOLDER, readTextFile } from '../files/index.ts';
import { writeOutput } from '../job/index.ts';

/** Names the output folder of the last run, if that is another. */
const POINTER = path.join(OUR_FOLDER, 'last-output');

/**
 * Remembers an output folder, relative to the current one, for the commands that go on from a run.
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE`
 */
export async function rememberOutput(outputDir: string): Promise<void> {
  const folder = path.relative('', outputDir) || '.';
  if (folder === OUR_FOLDER) return existsSync(POINTER) ? rm(POINTER) : undefined;
  await writeOutput(POINTER, folder);
}

/** The output folder of the last run that was started here. */
export async function lastOutput(): Promise<string> {
  return (await readTextFile(POINTER).catch(() => '')).trim() || OUR_FOLDER;
}
