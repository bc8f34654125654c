import type { Readable } from 'node:stream';
import { visible, withoutSequences } from '../text/index.ts';

export type OutputStream = 'stdout' | 'stderr';
/** Takes one line that is safe to print as it is (see {@link echoLine}). */
export type OutputLog = (line: string, stream: OutputStream) => void;

const LINE_BREAK = /\r\n|\n|\r/;
const MAX_LINE_BYTES = 4 * 1024;
/** Lines kept per stream, so that a flood on one does not displace the reason on the other. */
const KEPT_LINES = 500;
const KEPT_BYTES = 256 * 1024;
/** Further lines of one stream would not help anybody, and slow the CI runner down. */
const MAX_LOGGED_LINES = 10_000;

const PREFIX = 'agent| ';

/**
 * Makes the agent's text safe to print where lines can be commands (GitHub Actions): one prefixed line per line of text, at
 * most 4 KiB long, without control characters and with `##[` disarmed.
 */
export function echoLine(text: string): string {
  return text
    .split(LINE_BREAK)
    .map((line) => PREFIX + plainLine(line).replaceAll('##[', '##\\['))
    .join('\n');
}

/** Streams are always read to the end; memory is bounded. */
export class AgentOutput {
  readonly #kept = { stdout: new LastLines(), stderr: new LastLines() };
  readonly #readables: readonly Readable[];
  #count = 0;
  /** Resolves when every stream has ended. A child left behind can hold one open for ever. */
  readonly ended: Promise<void>;

  /** @param log takes the lines of its stream, ready to print */
  constructor(sources: Readonly<Partial<Record<OutputStream, OutputSource>>> = {}) {
    const entries = Object.entries(sources) as [OutputStream, OutputSource][];
    this.#readables = entries.map(([, { readable }]) => readable);
    this.ended = Promise.all(entries.map(([stream, source]) => this.#read(stream, source))).then(() => {});
  }

  /** The last `count` lines, of both streams in order of arrival, or of one. Plain text, not yet safe to print. */
  tail(count: number, stream?: OutputStream): string[] {
    const kept = stream === undefined ? [...this.#kept.stdout, ...this.#kept.stderr] : [...this.#kept[stream]];
    const lines = kept.sort((a, b) => a.order - b.order).map(({ line }) => line);
    return count > 0 ? lines.slice(-count) : [];
  }

  /** Closes the streams, even if somebody still holds their other end. */
  close(): void {
    for (const readable of this.#readables) readable.destroy();
  }

  #read(stream: OutputStream, { readable, log }: OutputSource): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let unfinished = '';
    let logged = 0;
    const take = (line: string) => {
      this.#kept[stream].push(plainLine(line), this.#count++);
      logged++;
      if (logged <= MAX_LOGGED_LINES) log?.(echoLine(line), stream);
      if (logged === MAX_LOGGED_LINES + 1)
        log?.(echoLine(`(no more than ${MAX_LOGGED_LINES} lines are shown)`), stream);
    };
    readable.setEncoding('utf8');
    readable.on('data', (text: string) => {
      // A carriage return at the end may be half of a CRLF, so it waits for more.
      const lines = `${unfinished}${text}`.split(/\r\n|\n|\r(?!$)/);
      unfinished = shortened(lines.pop() ?? '');
      for (const line of lines) take(line);
    });
    // After a broken pipe there is simply nothing more to read.
    readable.on('error', () => {});
    readable.on('close', () => {
      if (unfinished !== '') take(unfinished.replace(/\r$/, ''));
      resolve();
    });
    return promise;
  }
}

interface OutputSource {
  readonly readable: Readable;
  /** Takes the stream's lines; absent if they are not to be shown. */
  readonly log?: OutputLog;
}

/** The end of a stream, in bounded memory. */
class LastLines {
  readonly #lines: { readonly line: string; readonly order: number }[] = [];
  #bytes = 0;

  push(line: string, order: number): void {
    this.#lines.push({ line, order });
    this.#bytes += Buffer.byteLength(line);
    while (this.#lines.length > KEPT_LINES || this.#bytes > KEPT_BYTES) {
      this.#bytes -= Buffer.byteLength(this.#lines.shift()!.line);
    }
  }

  [Symbol.iterator]() {
    return this.#lines.values();
  }
}

/**
 * One line as plain text: no escape sequences, no control characters but tab, invisible characters spelled out (`\u202e`),
 * cut at its limit.
 */
export function plainLine(line: string): string {
  const plain = visible(withoutSequences(line).replace(/[\x00-\x08\x0a-\x1f\x7f-\x9f]/g, ''));
  if (Buffer.byteLength(plain) <= MAX_LINE_BYTES) return plain;
  return `${Buffer.from(plain)
    .subarray(0, MAX_LINE_BYTES)
    .toString()
    .replace(/(?<!\ufffd)\ufffd+$/, '')}…`;
}

/** A line that never ends must not grow for ever, so what {@link plainLine} would cut is dropped on arrival. */
function shortened(line: string): string {
  return line.length > MAX_LINE_BYTES + 1 ? line.slice(0, MAX_LINE_BYTES) + line.at(-1) : line;
}
