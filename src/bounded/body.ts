/** Asked before bytes are kept. Only one body at a time is told that it may have all that it announced at once. */
type Admit = (bytes: number) => Promise<boolean> | boolean;

/**
 * All of a body, up to a limit.
 * @param tooLarge what to throw beyond it; without it, the rest is left out
 * @param admit for room that bodies share; parts are freed, so nobody else may have them
 * @param announced bytes that its sender said will come: growing copies
 */
export async function wholeBody(
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
  tooLarge?: () => Error,
  admit?: Admit,
  announced = 0,
): Promise<Buffer> {
  const body = new Joined();
  for await (const chunk of parts) {
    // Leaving the loop destroys the body and closes its connection.
    if (body.bytes + chunk.byteLength > maxBytes) {
      if (tooLarge !== undefined) throw tooLarge();
      break;
    }
    body.add(chunk, (await admit?.(chunk.byteLength)) === true ? Math.min(announced, maxBytes) : 0);
    // What it shares with others is theirs.
    if (admit !== undefined && chunk.buffer.byteLength === chunk.byteLength) free(chunk);
  }
  return body.take();
}

/** Bytes that come in parts: kept as parts and joined at last, they would be in memory twice. */
export class Joined {
  bytes = 0;
  #buffer = Buffer.from(new ArrayBuffer(0));

  /** @param size that it will have, if that is known */
  add(part: Uint8Array, size = 0): void {
    const bytes = this.bytes + part.byteLength;
    // While it grows, both are there.
    const ahead = Math.max(bytes, this.bytes * 1.25, size);
    if (bytes > this.#buffer.length) this.#buffer = grown(this.#buffer, Math.ceil(ahead));
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

/** Frees memory at once, and not when garbage is collected. Node 20 cannot. */
export function free({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && 'transfer' in buffer) buffer.transfer(0);
}

/** Transferring frees the smaller one at once. */
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
  enter(over: AbortSignal): Admit {
    const holder = {};
    let own = 0;
    const isFirst = () => [...this.#holders][0] === holder;
    const isFree = (bytes: number) => this.#bytes + bytes <= this.#maxBytes || isFirst();
    const take = (bytes: number) => {
      if (over.aborted) return false;
      this.#bytes += bytes;
      own += bytes;
      return isFirst();
    };
    const wait = async (bytes: number) => {
      while (!isFree(bytes) && !over.aborted) await new Promise<void>((go) => this.#waiting.push(go));
      return take(bytes);
    };
    const leave = () => {
      this.#bytes -= own;
      this.#holders.delete(holder);
      for (const go of this.#waiting.splice(0)) go();
    };
    over.addEventListener('abort', leave, { once: true });
    this.#holders.add(holder);
    return (bytes) => (isFree(bytes) ? take(bytes) : wait(bytes));
  }
}
