import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AgentReplayError } from '../../errors.ts';
import { notWritable } from '../../files/index.ts';
import { sealed } from '../../redaction/index.ts';
import { makeOutputFolder, PRIVATE_FILE } from './output-folder.ts';

/** Appends lines in order. Lines added while the disk is busy are written together. Writing never rejects. */
export class LineFile implements AsyncDisposable {
  readonly #onError: (error: unknown) => void;
  /** A file to remove at the end, if the system did not allow it earlier. */
  #leftover: string | undefined;
  #handle: FileHandle | undefined;
  #waiting: string[] = [];
  #flushing: Promise<void> | undefined;

  private constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /**
   * Starts a file, replacing an existing one.
   * @param goesOn after the last whole line of the existing one
   * @param onError called once if the disk refuses a write (`OUTPUT_NOT_WRITABLE`); then nothing more is written
   */
  static async open(file: string, onError: (error: AgentReplayError) => void, goesOn = false): Promise<LineFile> {
    const opened = new LineFile((error) => onError(notWritable(file, error)));
    try {
      await makeOutputFolder(path.dirname(file));
      opened.#handle = await open(file, goesOn ? 'a+' : 'w+', PRIVATE_FILE);
      if (goesOn) {
        let whole = 0;
        for await (const line of opened.lines()) whole += Buffer.byteLength(line) + 1;
        await opened.#handle.truncate(whole);
      }
    } catch (error) {
      opened.#fail(error);
    }
    return opened;
  }

  /** Starts a file that is deleted while open: no other process sees it, and nothing is left however this process ends. */
  static async temporary(): Promise<LineFile> {
    const opened = new LineFile(() => {});
    const file = path.join(tmpdir(), `agent-replay-${randomUUID()}.ndjson`);
    try {
      opened.#handle = await open(file, 'wx+', PRIVATE_FILE);
    } catch (error) {
      opened.#fail(error);
      return opened;
    }
    // The file exists as long as it is open, unless the system does not allow that.
    await rm(file).catch(() => {
      opened.#leftover = file;
    });
    return opened;
  }

  /** Everything added so far. @throws if it could not be written, or cannot be read */
  async *lines(): AsyncGenerator<string, void, undefined> {
    await this.written();
    if (this.#handle === undefined) throw new Error('the lines could not be kept');
    yield* wholeLinesOf(this.#handle.createReadStream({ encoding: 'utf8', start: 0, autoClose: false }));
  }

  /** @param text without its line feed */
  add(text: string): void {
    if (this.#handle === undefined) return;
    this.#waiting.push(sealed('a journal', text));
    this.#flushing ??= this.#flush();
  }

  /** Resolves once the disk has everything added. */
  async written(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
  }

  /** Tells whether the file that everything was written to still has its name: whoever takes it away gets no whole run. */
  async confirm(file: string): Promise<void> {
    await this.written();
    const own = await this.#handle?.stat();
    if (own === undefined || own.ino === (await stat(file).catch(() => undefined))?.ino) return;
    this.#fail(
      new AgentReplayError('OUTPUT_NOT_WRITABLE', `${file} was removed while the run wrote it.`, {
        location: { file },
        hint: 'Leave the output folder alone during a run, or choose another with --output-dir.',
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#flushing;
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch((error: unknown) => this.#fail(error));
    if (this.#leftover !== undefined) await rm(this.#leftover, { force: true }).catch(() => {});
  }

  async #flush(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const text = this.#waiting.map((line) => `${line}\n`).join('');
        this.#waiting = [];
        await this.#handle?.appendFile(text);
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#flushing = undefined;
  }

  #fail(error: unknown): void {
    const handle = this.#handle;
    this.#handle = undefined;
    this.#waiting = [];
    handle?.close().catch(() => {});
    this.#onError(error);
  }
}

/** The complete lines of a file, without an unfinished last one. Not with `readline`, which also splits at U+2028. */
export async function* wholeLinesOf(chunks: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  const parts: string[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', from)) {
      parts.push(chunk.slice(from, at));
      yield parts.join('');
      parts.length = 0;
      from = at + 1;
    }
    parts.push(chunk.slice(from));
  }
}
