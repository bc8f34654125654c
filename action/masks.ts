import { setSecret } from '@actions/core';
import { Redaction } from '../src/rims.ts';

/** The runner masks each line of a secret. To mask a line as short as a brace would garble the whole log. */
const MIN_MASKED_CHARS = 6;

const known = new Set<string>();

/** Makes the runner mask these values in log, annotations and summary until the end of the job. */
export function maskSecrets(secrets: readonly string[]): void {
  for (const secret of secrets) {
    if (known.has(secret)) continue;
    known.add(secret);
    const lines = secret.split(/\r\n?|\n/).map((line) => line.trim());
    for (const line of lines) if (line.length >= MIN_MASKED_CHARS) setSecret(line);
  }
}

/** The secrets that are masked so far. */
export function maskedSecrets(): readonly string[] {
  return [...known];
}

/** Removes the same values from a text, in every encoding. The runner masks only some encodings, and masks no files. */
export function redact(text: string): string {
  return new Redaction([...known]).text(text);
}
