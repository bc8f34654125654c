import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Json } from '../../json/index.ts';
import { redactRecordingTexts, redactTexts } from '../../redaction/index.ts';
import { formatJson } from '../../session/index.ts';
import type { KeptBehaviour } from '../judging/session-progress.ts';
import { writeOutput } from '../running/files.ts';
import { refuseLinks } from '../running/output-folder.ts';
import { nameOfTrace, sessionOfTrace } from './kept-traces.ts';

/**
 * Writes each distinct behaviour to `<session>.<turn>.<cluster>.json`, and the recording it was compared with to
 * `<session>.<turn>.recorded.json`, so that they can be read and pinned without the tracing platform.
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE`
 */
export async function writeBehaviours(
  behaviours: readonly KeptBehaviour[],
  { dir, redact }: { dir: string; redact: (text: string) => string },
): Promise<void> {
  for (const { recording, ...about } of behaviours) {
    const redacted = { ...redactTexts(about, redact), recording: redactRecordingTexts(recording, redact) };
    await writeOutput(path.join(dir, nameOfTrace(about)), formatJson(redacted as unknown as Json));
  }
}

/**
 * Removes files of an earlier run, but only those that {@link writeBehaviours} could have written.
 * @param session only those of this session
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE` if the folder is a link
 */
export async function removeBehaviours(dir: string, session?: string): Promise<void> {
  await refuseLinks(dir);
  const files = await readdir(dir).catch(() => []);
  const isMeant = (file: string) => {
    const of = sessionOfTrace(file);
    return (
      of !== undefined &&
      (session === undefined || of === sessionOfTrace(nameOfTrace({ session, turn: 1, cluster: 0 })))
    );
  };
  await Promise.all(files.filter(isMeant).map((file) => rm(path.join(dir, file), { force: true }).catch(() => {})));
}
