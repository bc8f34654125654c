/** Ends what was started in reverse order: an AsyncDisposableStack, which Node 22 does not have. */
export class Started implements AsyncDisposable {
  #stack: (AsyncDisposable | Disposable)[] = [];

  use<T extends AsyncDisposable | Disposable>(one: T): T {
    this.#stack.push(one);
    return one;
  }

  /** Disposing of this one then ends nothing. */
  move(): Started {
    const moved = new Started();
    moved.#stack = this.#stack;
    this.#stack = [];
    return moved;
  }

  /** A failure to end one does not keep the others running. */
  async [Symbol.asyncDispose](): Promise<void> {
    const failures: unknown[] = [];
    for (const one of this.#stack.splice(0).reverse()) {
      try {
        if (Symbol.asyncDispose in one) await one[Symbol.asyncDispose]();
        else one[Symbol.dispose]();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
