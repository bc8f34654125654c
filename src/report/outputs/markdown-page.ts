import { markdownTable } from 'markdown-table';
import { counted } from '../../text/index.ts';

/** The table is an overview; the stories below it need room too. */
const TABLE_SHARE = 0.5;
/** The fold and the name alone take this much. */
const MIN_STORY_CHARS = 100;
const HEADS = ['session', 'was → is now', 'runs'];

/** Adds whole blocks as long as there is room. */
export class Page {
  readonly #blocks: string[] = [];
  #chars: number;
  #bytes: number;

  constructor(chars: number, bytes: number) {
    this.#chars = chars;
    this.#bytes = bytes;
  }

  /** No story fits what is left, so none needs to be rendered any more. */
  get isFull(): boolean {
    return Math.min(this.#chars, this.#bytes) < MIN_STORY_CHARS;
  }

  /** @returns false if there is no room for the block */
  add(block: string): boolean {
    const chars = block.length + SEPARATOR.length;
    const bytes = Buffer.byteLength(block) + SEPARATOR.length;
    if (chars > this.#chars || bytes > this.#bytes) return false;
    this.#blocks.push(block);
    this.#chars -= chars;
    this.#bytes -= bytes;
    return true;
  }

  /**
   * @param fold heads the folded rows, with their number
   * @returns how many rows did not fit
   */
  addTable(rows: readonly string[][], fold?: string): number {
    if (rows.length === 0) return 0;
    const [head, line, ...lines] = markdownTable([HEADS, ...rows], { alignDelimiters: false }).split('\n');
    const room = { chars: this.#chars * TABLE_SHARE, bytes: this.#bytes * TABLE_SHARE };
    const table = [head!, line!];
    let chars = head!.length + line!.length + 2;
    let bytes = chars;
    for (const row of lines) {
      chars += row.length + 1;
      bytes += Buffer.byteLength(row) + 1;
      if (chars > room.chars || bytes > room.bytes) break;
      table.push(row);
    }
    const shown = table.length - 2;
    const block = fold === undefined ? table.join('\n') : details(`${shown} ${fold}`, [table.join('\n')]);
    return shown > 0 && this.add(block) ? rows.length - shown : rows.length;
  }

  /** The room that is left, for blocks inside one fold. */
  room(): Page {
    return new Page(this.#chars - FOLD_CHARS, this.#bytes - FOLD_CHARS);
  }

  /** Adds the stories that were put into that room. */
  addFolded(room: Page): void {
    const stories = room.#blocks;
    if (stories.length > 0) this.add(details(`${counted(stories.length, 'session')} in detail`, stories));
  }

  /** Adds the last blocks, whose room was reserved. */
  end(blocks: readonly string[]): string {
    return `${[...this.#blocks, ...blocks].join(SEPARATOR)}\n`;
  }
}

const SEPARATOR = '\n\n';
/** Of a fold around other blocks. */
const FOLD_CHARS = 100;

/** A fold. @param summary HTML, in which Markdown is not read */
export function details(summary: string, blocks: readonly string[]): string {
  return [`<details><summary>${summary}</summary>`, ...blocks, '</details>'].join(SEPARATOR);
}
