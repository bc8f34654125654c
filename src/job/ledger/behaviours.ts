import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Json } from '../../json/index.ts';
import { redactRecordingTexts, redactTexts } from '../../redaction/index.ts';
import { formatJson } from '../../session/index.ts';
import type { KeptBehaviour } from '../judging/session-progress.ts';
import { writeOutput } from '../records/files.ts';
import { nameOfTrace, sessionOfTrace } from '../records/kept-traces.ts';
import { refuseLinks } from '../records/output-folder.ts';

/** A file of the folder `traces`. */
export interface BehaviourFile {
  readonly name: string;
  readonly text: string;
}

/**
 * Each distinct behaviour as `<session>.<turn>.<cluster>.json`, and the recording it was compared with as
 * `<session>.<turn>.recorded.json`, so that they can be read and pinned without the tracing platform.
 */
export function behaviourFiles(
  behaviours: readonly KeptBehaviour[],
  redact: (text: string) => string,
): BehaviourFile[] {
  return behaviours.map(({ recording, ...about }) => {
    const redacted = { ...redactTexts(about, redact), recording: redactRecordingTexts(recording, redact) };
    return { name: nameOfTrace(about), text: formatJson(redacted as unknown as Json) };
  });
}

/** @throws AgentReplayError `OUTPUT_NOT_WRITABLE` */
export async function writeBehaviours(files: readonly BehaviourFile[], dir: string): Promise<void> {
  for (const { name, text } of files) await writeOutput(path.join(dir, name), text);
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
