import { Redaction } from '../redaction/index.ts';

const EXCERPT_CHARS = 200;

/** Shows some of a foreign text in one line, without control characters and without `secrets`. */
export class Excerpts {
  readonly #secrets: Redaction;
  readonly #redact: (text: string) => string;

  /** @param redact replaces other secrets, before anything is cut */
  constructor(secrets: Iterable<string>, redact: (text: string) => string = (text) => text) {
    this.#redact = redact;
    this.#secrets = new Redaction([...secrets]);
  }

  /** At most 200 characters of the text, from `offset` in UTF-16 units. */
  of(text: string, offset = 0): string {
    const shown = this.#secrets.text(this.#redact(text));
    // Redaction may shift the text behind it; the offset is close enough for people.
    const part = shown.slice(Math.min(offset, shown.length), offset + EXCERPT_CHARS).toWellFormed();
    const line = part.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
    return `${offset > 0 ? '…' : ''}${line}${shown.length > offset + EXCERPT_CHARS ? '…' : ''}`;
  }
}
