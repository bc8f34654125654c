import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, isRawNumber, type Json } from '../contract/index.ts';
import { fileNameFor, formatJson } from '../session/index.ts';
import { writeOutput } from './files.ts';
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
    const name = fileNameFor(behaviour.session).replace(/\.session\.json$/, '');
    const file = path.join(dir, `${name}.${behaviour.turn}.${behaviour.cluster}.json`);
    await writeOutput(file, formatJson(redactTexts(behaviour as unknown as Json, redact)));
  }
}

/** Removes what an earlier run left; only files that {@link writeBehaviours} could have written. */
export async function removeBehaviours(dir: string): Promise<void> {
  const files = await readdir(dir).catch(() => []);
  await Promise.all(
    files.filter((file) => /\.\d+\.\d+\.json$/.test(file)).map((file) => rm(path.join(dir, file), { force: true })),
  );
}

/** Every text of a value, keys included. */
export function redactTexts(value: Json, redact: (text: string) => string): Json {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactTexts(item, redact));
  if (!isJsonObject(value) || isRawNumber(value)) return value;
  // `fromEntries` makes own keys of all names, `__proto__` included.
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [redact(name), redactTexts(item, redact)]));
}
