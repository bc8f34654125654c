import { secretsRedactor } from './known-values.ts';
import { redactor } from './values.ts';

/** Removes everything that a run knows to be secret from texts. Secrets found later are added. */
export class Redaction {
  readonly #secrets: string[];
  #redact: (text: string) => string;

  constructor(secrets: readonly string[]) {
    this.#secrets = [...secrets];
    this.#redact = secretsRedactor(this.#secrets);
  }

  /** As known so far, for a thread that takes them out, too. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  add(secret: string): void {
    this.#secrets.push(secret);
    this.#redact = secretsRedactor(this.#secrets);
  }

  readonly text = (text: string): string => this.#redact(text);

  /** The same for text that is shown directly: anything with the shape of a key is removed too. */
  readonly line = (line: string): string => byShape(this.#redact(line)) as string;
}

const byShape = redactor({ personal: false });
