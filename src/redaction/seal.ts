import { isUtf8 } from 'node:buffer';
import { type Json, jsonIn } from '../json/index.ts';
import { secretsFinder, secretsRedactor } from './known-values.ts';
import { redactTexts } from './texts.ts';

/**
 * The last border: what leaves this process is looked at once more, in its last form. Masking comes earlier, where texts are
 * read; what is found here has come past it.
 */
const known = new Set<string>();
const prevented = new Set<string>();
let mask = (text: string): string => text;
let find: ReturnType<typeof secretsFinder> = () => [];

/** A word or a number is masked where texts are read. At the last border it could be one of ours, or stand in a format. */
export function isWord(secret: string): boolean {
  return /^(?:\p{L}{1,19}|\d{1,19})$/u.test(secret);
}

/** From now on these values are masked in all that {@link sealed} lets out. */
export function sealAgainst(secrets: readonly string[]): void {
  const more = secrets.filter((secret) => !known.has(secret) && !isWord(secret));
  if (more.length === 0) return;
  for (const secret of more) known.add(secret);
  mask = secretsRedactor([...known]);
  // A body is searched byte by byte, and there a character beyond ASCII is several.
  find = secretsFinder([...known].flatMap((secret) => [secret, Buffer.from(secret).toString('latin1')]));
}

/** A text as it may leave. JSON stays JSON. @param sink where it goes, for {@link leaksPrevented} */
export function sealed(sink: string, text: string): string {
  const masked = mask(text);
  if (masked === text) return text;
  prevented.add(sink);
  const value = jsonIn(text);
  if (value === undefined || jsonIn(masked) !== undefined) return masked;
  return JSON.stringify(redactTexts<Json>(value, mask), null, text.includes('\n ') ? 2 : 0);
}

/** Where known secrets are in a part of a body, as text. They may overlap. */
export function knownIn(text: string): [start: number, end: number][] {
  return find(text);
}

/** Where a known secret was about to leave. */
export function leaksPrevented(): readonly string[] {
  return [...prevented];
}

/** A command to the runner, which masks the value itself. No foreign text can begin a line like this. */
const MASKS = /^(::add-mask::.*)$/m;

/** Seals standard output and standard error, whoever writes to them. */
export function sealStreams(secrets: readonly string[]): void {
  sealAgainst(secrets);
  for (const [name, stream] of Object.entries({
    'standard output': process.stdout,
    'standard error': process.stderr,
  })) {
    const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean;
    stream.write = (chunk: unknown, ...rest: unknown[]) => {
      const text = chunk instanceof Uint8Array && isUtf8(chunk) ? Buffer.from(chunk).toString() : chunk;
      if (typeof text !== 'string') return write(chunk, ...rest);
      const parts = text.split(MASKS).map((part, index) => (index % 2 === 1 ? part : sealed(name, part)));
      const shown = parts.join('');
      return write(shown === text ? chunk : shown, ...rest);
    };
  }
}
