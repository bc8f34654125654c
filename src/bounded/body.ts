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
  const body = new Joined();
  for await (const chunk of parts) {
    // Leaving the loop destroys the body and closes its connection.
    if (body.bytes + chunk.byteLength > maxBytes) {
      if (tooLarge !== undefined) throw tooLarge();
      break;
    }
    await admit?.(chunk.byteLength);
    body.add(chunk);
  }
  return body.take();
}

/** Bytes that come in parts: kept as parts and joined at last, they would be in memory twice. */
export class Joined {
  bytes = 0;
  #buffer = Buffer.from(new ArrayBuffer(0));

  add(part: Uint8Array): void {
    const bytes = this.bytes + part.byteLength;
    if (bytes > this.#buffer.length) this.#buffer = grown(this.#buffer, Math.ceil(Math.max(bytes, this.bytes * 1.5)));
    this.#buffer.set(part, this.bytes);
    this.bytes = bytes;
  }

  /** All of them; further ones are the first again. */
  take(): Buffer {
    const all = this.#buffer.subarray(0, this.bytes);
    this.bytes = 0;
    this.#buffer = Buffer.from(new ArrayBuffer(0));
    return all;
  }
}

/** Transferring frees the smaller one at once, and not when garbage is collected. Node 20 cannot. */
function grown(buffer: Buffer<ArrayBuffer>, bytes: number): Buffer<ArrayBuffer> {
  if ('transfer' in buffer.buffer) return Buffer.from(buffer.buffer.transfer(bytes));
  const larger = Buffer.allocUnsafeSlow(bytes);
  larger.set(buffer);
  return larger;
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
