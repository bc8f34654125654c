import { MIN_SECRET_CHARS, SECRET } from '../redaction/index.ts';

const EXCERPT_CHARS = 200;

/** Shows some of a foreign text in one line, without control characters and without `secrets`. */
export class Excerpts {
  readonly #secrets: readonly string[];
  readonly #redact: (text: string) => string;

  /** @param redact replaces other secrets, before anything is cut */
  constructor(secrets: Iterable<string>, redact: (text: string) => string = (text) => text) {
    this.#redact = redact;
    const forms = [...secrets].flatMap((secret) => [
      secret,
      encodeURIComponent(secret.toWellFormed()),
      JSON.stringify(secret).slice(1, -1),
    ]);
    // Longest first, so that no part of a long secret survives the removal of a shorter one.
    this.#secrets = [...new Set(forms)]
      .filter((secret) => secret.length >= MIN_SECRET_CHARS)
      .sort((a, b) => b.length - a.length);
  }

  /** At most 200 characters of the text, from `offset` in UTF-16 units. */
  of(text: string, offset = 0): string {
    let shown = this.#redact(text);
    for (const secret of this.#secrets) shown = shown.replaceAll(secret, SECRET);
    // Redaction may shift the text behind it; the offset is close enough for people.
    const part = shown.slice(Math.min(offset, shown.length), offset + EXCERPT_CHARS).toWellFormed();
    const line = part.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
    return `${offset > 0 ? '…' : ''}${line}${shown.length > offset + EXCERPT_CHARS ? '…' : ''}`;
  }
}
