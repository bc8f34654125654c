/**
 * All of a body, up to a limit.
 * @param tooLarge what to throw beyond it; without it, the rest is left out
 * @param admit asked before each part is kept, for room that bodies share
 */
export async function wholeBody(
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
  tooLarge?: () => Error,
  admit?: (bytes: number) => Promise<void> | void,
): Promise<Buffer> {
  let body = Buffer.alloc(0);
  let bytes = 0;
  for await (const chunk of parts) {
    const before = bytes;
    bytes += chunk.byteLength;
    // Leaving the loop destroys the body and closes its connection.
    if (bytes > maxBytes) {
      if (tooLarge !== undefined) throw tooLarge();
      bytes = before;
      break;
    }
    await admit?.(chunk.byteLength);
    // Grown by half at least: parts that are kept and joined would be in memory twice.
    if (bytes > body.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(bytes, body.length * 1.5)));
      body.copy(larger, 0, 0, before);
      body = larger;
    }
    body.set(chunk, before);
  }
  return body.subarray(0, bytes);
}

/**
 * Bytes that all bodies of one server hold together. Whoever finds it full waits, and so does its sender; the body that
 * began first always goes on, so one of them ends.
 */
export class BodyRoom {
  readonly #maxBytes: number;
  readonly #holders = new Set<object>();
  #bytes = 0;
  /** Promise.withResolvers would not do: an agent's server may run on Node 20. */
  readonly #waiting: (() => void)[] = [];

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Room for one body and what is made of it. @param over the body is given up: it waits no longer */
  enter(over: AbortSignal): { admit(bytes: number): Promise<void> | void } & Disposable {
    const holder = {};
    let own = 0;
    const isFree = (bytes: number) => this.#bytes + bytes <= this.#maxBytes || [...this.#holders][0] === holder;
    const take = (bytes: number) => {
      if (over.aborted) return;
      this.#bytes += bytes;
      own += bytes;
    };
    const wait = async (bytes: number) => {
      while (!isFree(bytes) && !over.aborted) await new Promise<void>((go) => this.#waiting.push(go));
      take(bytes);
    };
    const free = () => {
      this.#bytes -= own;
      own = 0;
      this.#holders.delete(holder);
      for (const go of this.#waiting.splice(0)) go();
    };
    over.addEventListener('abort', free, { once: true });
    this.#holders.add(holder);
    return { admit: (bytes) => (isFree(bytes) ? take(bytes) : wait(bytes)), [Symbol.dispose]: free };
  }
}
