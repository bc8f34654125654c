import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Json } from '../contract/index.ts';
import { fileNameFor, formatJson } from '../session/index.ts';
import { writeOutput } from './files.ts';
import { refuseLinks } from './output-folder.ts';
import { redactRecordingTexts, redactTexts } from './redact-texts.ts';
import type { Behaviour } from './session-progress.ts';

/**
 * Writes each distinct behaviour to `<session>.<turn>.<cluster>.json`, so that it can be looked at and pinned without
 * the tracing platform.
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE`
 */
export async function writeBehaviours(
  behaviours: readonly Behaviour[],
  { dir, redact }: { dir: string; redact: (text: string) => string },
): Promise<void> {
  for (const behaviour of behaviours) {
    const file = path.join(dir, `${nameOf(behaviour.session)}.${behaviour.turn}.${behaviour.cluster}.json`);
    const { recording, ...about } = behaviour;
    const redacted = { ...redactTexts(about, redact), recording: redactRecordingTexts(recording, redact) };
    await writeOutput(file, formatJson(redacted as unknown as Json));
  }
}

/**
 * Removes what an earlier run left; only files that {@link writeBehaviours} could have written.
 * @param session only those of this one
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE` when the folder is a link
 */
export async function removeBehaviours(dir: string, session?: string): Promise<void> {
  await refuseLinks(dir);
  const files = await readdir(dir).catch(() => []);
  const isMeant = (file: string) =>
    /\.\d+\.\d+\.json$/.test(file) &&
    (session === undefined || file.replace(/\.\d+\.\d+\.json$/, '') === nameOf(session));
  await Promise.all(files.filter(isMeant).map((file) => rm(path.join(dir, file), { force: true }).catch(() => {})));
}

function nameOf(session: string): string {
  return fileNameFor(session).replace(/\.session\.json$/, '');
}
