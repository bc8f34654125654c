import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { AgentReplayError } from '../errors.ts';
import { checkShards } from './journal/check-shards.ts';
import { findJournals } from './journal/find-journals.ts';
import { asFolded, headersOf, linesOf } from './journal/read-journal.ts';
import { JOURNAL_FILE } from './records/journal-file.ts';
import { LineFile } from './records/line-file.ts';
import { removeOutputs } from './running/outputs.ts';

/**
 * Puts the journals of some shards of a run into one, one after another. A later merge takes it for them, and so does a
 * later fold. One line at a time is in memory.
 * @param names as for `mergeJournals`
 * @param outputDir folder of the one journal
 * @returns the number of shards
 * @throws AgentReplayError `INPUT_INVALID`, `SHARDS_DIFFER`, `SHARD_DUPLICATE`, `OUTPUT_NOT_WRITABLE`, `USAGE`
 */
export async function foldJournals(names: readonly string[], outputDir: string): Promise<number> {
  const { files, problems } = await findJournals(names, process.cwd());
  if (problems[0] !== undefined) throw problems[0];
  const file = path.join(outputDir, JOURNAL_FILE);
  if (files.includes(await realpath(file).catch(() => file))) {
    throw new AgentReplayError('USAGE', 'The output folder holds one of the shards that are folded into it.', {
      hint: 'Name another folder: --output-dir.',
      location: { file },
    });
  }
  const { shards, problems: unread } = await headersOf(files);
  if (unread[0] !== undefined) throw unread[0];
  checkShards(shards);
  await removeOutputs(outputDir);
  let failure: AgentReplayError | undefined;
  await using folded = await LineFile.open(file, (error) => {
    failure = error;
  });
  let isFirst = true;
  for (const each of files) {
    for await (const line of linesOf(each)) {
      folded.add(isFirst ? asFolded(line) : line);
      isFirst = false;
      await folded.written();
    }
  }
  if (failure !== undefined) throw failure;
  return shards.length;
}
