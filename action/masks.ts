import { setSecret } from '@actions/core';
import { Redaction } from '../src/rims.ts';

/** The runner masks each line of a secret: a line as short as a brace would garble the whole log. */
const MIN_MASKED_CHARS = 6;

const known = new Set<string>();

/** Has the runner mask these values in log, annotations and summary, from here to the end of the job. */
export function maskSecrets(secrets: readonly string[]): void {
  for (const secret of secrets) {
    if (known.has(secret)) continue;
    known.add(secret);
    const lines = secret.split(/\r\n?|\n/).map((line) => line.trim());
    for (const line of lines) if (line.length >= MIN_MASKED_CHARS) setSecret(line);
  }
}

/** Those that are masked so far. */
export function maskedSecrets(): readonly string[] {
  return [...known];
}

/** Takes the same values out of a text in every form; the masks of the runner know some forms only, and no file. */
export function redact(text: string): string {
  return new Redaction([...known]).text(text);
}
