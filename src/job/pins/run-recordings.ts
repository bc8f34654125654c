import path from 'node:path';
import { AgentReplayError } from '../../errors.ts';
import type { RecordingMade } from '../../session/index.ts';
import { readJournal } from '../journal/read-journal.ts';
import type { Finding } from '../judging/finding.ts';
import { JOURNAL_FILE } from '../records/journal-file.ts';

/**
 * Reads every replay from the journal in an output folder; the report has only the distinct behaviours.
 * @returns the conclusive replays of a session, by turn, in the order of the runs
 * @throws AgentReplayError `INPUT_INVALID`
 */
export async function readRunRecordings(outputDir: string): Promise<(session: string) => Map<number, RecordingMade[]>> {
  const file = path.join(outputDir, JOURNAL_FILE);
  const run = await readJournal(file).catch((cause: unknown) => {
    if ((cause as NodeJS.ErrnoException).code !== undefined && !(cause instanceof AgentReplayError)) throw cause;
    throw new AgentReplayError('INPUT_INVALID', `${file} does not say what each replay did.`, {
      location: { file },
      evidence: cause instanceof AgentReplayError ? [cause.message, ...cause.evidence] : [],
      hint: 'Keep recordings from the output folder of the run itself (of a shard, its own), or run again.',
      cause,
    });
  });
  const { startedAt: at, commit } = run.about;
  return (session) => recordingsOf(run.findings(session), { at, ...(commit && { commit }) });
}

/** @returns the conclusive replays of a session, by turn, in the order of the runs */
export function recordingsOf(
  findings: Iterable<Finding>,
  about: Omit<RecordingMade['made'], 'run' | 'models'>,
): Map<number, RecordingMade[]> {
  const recordings = new Map<number, RecordingMade[]>();
  for (const { turn, run, outcome, usage } of [...findings].sort((a, b) => a.run - b.run)) {
    if (outcome.kind === 'unverified') continue;
    const made = { ...about, run, ...(usage?.models && { models: usage.models }) };
    recordings.set(turn, [...(recordings.get(turn) ?? []), { ...outcome.recording, made }]);
  }
  return recordings;
}
