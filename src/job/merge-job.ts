import path from 'node:path';
import { AgentReplayError } from '../errors.ts';
import { Redaction, secretsIn } from '../redaction/index.ts';
import { type Report, redactReport } from '../report/index.ts';
import { checkShards } from './journal/check-shards.ts';
import { findJournals } from './journal/find-journals.ts';
import { headersOf, readJournals } from './journal/read-journal.ts';
import { behaviourFiles, writeBehaviours } from './ledger/behaviours.ts';
import { Merge } from './ledger/merge.ts';
import { removeOutputs } from './running/outputs.ts';

interface MergeOptions {
  /** Folder for the distinct behaviours; those of an earlier run are removed. Without it nothing is written. */
  readonly outputDir?: string;
  /** Default: the current folder. */
  readonly cwd?: string;
  /** The command line, for the report. */
  readonly command?: string;
  /** Further secrets, beside those of the environment. Journals are already redacted. */
  readonly secrets?: readonly string[];
}

/**
 * Makes one report from the journals of shards, or from the journal of a run that left no report. A missing or unreadable
 * shard becomes a problem, and then the run never passes.
 * @param names output folders, folders of downloaded artifacts, journals, or patterns of these
 * @throws AgentReplayError `INPUT_INVALID` if no journal can be read, `SHARDS_DIFFER`, `SHARD_DUPLICATE`,
 * `OUTPUT_NOT_WRITABLE`
 */
export async function mergeJournals(names: readonly string[], options: MergeOptions = {}): Promise<Report> {
  const { outputDir, cwd = process.cwd(), command, secrets } = options;
  const { files, problems } = await findJournals(names, cwd);
  if (outputDir !== undefined) await removeOutputs(outputDir, files);
  const { text: redact } = new Redaction(secretsIn({ environments: [process.env], values: secrets }));
  checkShards((await headersOf(files)).shards);
  const merge = new Merge();
  for (const file of files) {
    for await (const run of readJournals(file)) {
      if (run instanceof AgentReplayError) {
        problems.push(run);
        continue;
      }
      const behaviours = merge.add(run);
      if (outputDir === undefined) continue;
      await writeBehaviours(behaviourFiles(behaviours, redact), path.join(outputDir, 'traces'));
    }
  }
  const report = merge.report(problems, command);
  if (report === undefined) throw problems[0] ?? new AgentReplayError('USAGE', 'No folder is named.');
  return redactReport(report, redact);
}
