const FRAME = /^(?:\S+ )?agent\| +at /;
/** What belongs to the error in the line above it; other lines may begin with a bracket, as a log in JSON does. */
const CONTINUED = /^(?:\S+ )?agent\| (?:[ \t]|[}\]]+,?$|$)/;

/** Lines of an agent, of which an error with its stack is let through once, however often it is printed. */
export class AlikeErrors {
  /** How often each came again, by its first line. */
  readonly #again = new Map<string, number>();
  #first = '';
  #isAgain = false;

  isNew(line: string): boolean {
    if (!CONTINUED.test(line)) {
      this.#first = line;
      const again = this.#again.get(line);
      this.#isAgain = again !== undefined;
      if (again !== undefined) this.#again.set(line, again + 1);
    } else if (FRAME.test(line) && !this.#again.has(this.#first)) {
      this.#again.set(this.#first, 0);
    }
    return !this.#isAgain;
  }

  /** For the end of the output. */
  summary(): string[] {
    return [...this.#again].filter(([, again]) => again > 0).map(([first, again]) => `${first} (${again} more alike)`);
  }
}
