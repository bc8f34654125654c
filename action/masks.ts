import { setSecret } from '@actions/core';
import { canMask, Redaction, sealAgainst } from '../src/rims.ts';

/** The runner masks each line of a secret. To mask a line as short as a brace would garble the whole log. */
const MIN_MASKED_CHARS = 6;

const known = new Set<string>();

/** In log, annotations and summary, until the end of the job. */
export function maskSecrets(secrets: readonly string[]): void {
  for (const secret of secrets) {
    if (known.has(secret)) continue;
    known.add(secret);
    const lines = secret.split(/\r\n?|\n/).map((line) => line.trim());
    for (const line of lines) if (line.length >= MIN_MASKED_CHARS) setSecret(line);
  }
  sealAgainst(secrets);
}

/** Variables that are masked because somebody named them, by their names: nothing of a name or a value tells. */
export type Declared = ReadonlyMap<string, string>;

/** @returns the names of those whose values are too short or too common */
export function maskVariables(variables: Declared): string[] {
  for (const [, value] of variables) if (canMask(value)) setSecret(value.trim());
  return [...variables].filter(([, value]) => value !== '' && !canMask(value)).map(([name]) => name);
}

/** The names of variables whose values stand in a text. */
export function namesIn(variables: Declared, text: string): string[] {
  const inJson = (value: string) => JSON.stringify(value.trim()).slice(1, -1);
  return [...variables].filter(([, value]) => canMask(value) && text.includes(inJson(value))).map(([name]) => name);
}

export function maskedSecrets(): readonly string[] {
  return [...known];
}

/** Removes the same values from a text, in every encoding. The runner masks only some encodings, and masks no files. */
export function redact(text: string): string {
  return new Redaction([...known]).text(text);
}
