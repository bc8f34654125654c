/** What was started, to be ended in reverse order: an AsyncDisposableStack, which Node 22 does not have. */
export class Started implements AsyncDisposable {
  #stack: AsyncDisposable[] = [];

  use<T extends AsyncDisposable>(one: T): T {
    this.#stack.push(one);
    return one;
  }

  /** Hands everything over, so that disposing of this one ends nothing any more. */
  move(): Started {
    const moved = new Started();
    moved.#stack = this.#stack;
    this.#stack = [];
    return moved;
  }

  /** One that cannot be ended keeps no other from being ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    const failures: unknown[] = [];
    for (const one of this.#stack.splice(0).reverse()) {
      try {
        await one[Symbol.asyncDispose]();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
