import { secretsRedactor } from './known-values.ts';
import { redactor } from './values.ts';

/** Takes out of texts what a run knows to be secret. What comes up on the way is added. */
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

  /** Can be handed on as it is. */
  readonly text = (text: string): string => this.#redact(text);

  /** The same for what is shown at once and goes through nothing else: what has the shape of a key is taken out, too. */
  readonly line = (line: string): string => byShape(this.#redact(line)) as string;
}

const byShape = redactor({ personal: false });
