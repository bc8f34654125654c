import { rm } from 'node:fs/promises';
import path from 'node:path';
import { notWritable } from '../../files/index.ts';
import { removeBehaviours } from '../ledger/behaviours.ts';
import { reportFiles } from '../records/files.ts';
import { JOURNAL_FILE } from '../records/journal-file.ts';
import { refuseLinks } from '../records/output-folder.ts';

/**
 * Removes what an earlier run left in an output folder, so that nobody mistakes it for results of the next run: a killed
 * run leaves its journal and no report.
 * @param keep files that stay, absolute
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE`
 */
export async function removeOutputs(dir: string, keep: readonly string[] = []): Promise<void> {
  await refuseLinks(dir);
  for (const name of [...reportFiles, JOURNAL_FILE]) {
    const file = path.join(dir, name);
    if (keep.includes(file)) continue;
    await rm(file, { force: true }).catch((error: NodeJS.ErrnoException) => {
      // Without the folder there is no file either. If the folder cannot be made, writing reports that.
      if (error.code !== 'ENOTDIR') throw notWritable(file, error);
    });
  }
  await removeBehaviours(path.join(dir, 'traces'));
}
