import { markdownTable } from 'markdown-table';

/** What is below the table needs room too. */
const TABLE_SHARE = 0.5;
const HEADS = ['session', 'was → is now', 'replays'];

/** Adds whole blocks as long as there is room. */
export class Page {
  readonly #blocks: string[] = [];
  #room: number;
  readonly #sizeOf: (text: string) => number;

  /** @param sizeOf counts what `room` is a number of */
  constructor(room: number, sizeOf: (text: string) => number) {
    this.#room = room;
    this.#sizeOf = sizeOf;
  }

  /** @returns false if there is no room for the block */
  add(block: string): boolean {
    const size = this.#sizeOf(block) + SEPARATOR.length;
    if (size > this.#room) return false;
    this.#blocks.push(block);
    this.#room -= size;
    return true;
  }

  /**
   * @param fold heads the folded rows, with their number
   * @returns how many rows did not fit
   */
  addTable(rows: readonly string[][], fold?: string): number {
    if (rows.length === 0) return 0;
    const [head, line, ...lines] = markdownTable([HEADS, ...rows], { alignDelimiters: false }).split('\n');
    const table = [head!, line!];
    let left = this.#room * TABLE_SHARE - this.#sizeOf(head!) - this.#sizeOf(line!) - 2;
    for (const row of lines) {
      left -= this.#sizeOf(row) + 1;
      if (left < 0) break;
      table.push(row);
    }
    const shown = table.length - 2;
    const block = fold === undefined ? table.join('\n') : details(`${shown} ${fold}`, [table.join('\n')]);
    return shown > 0 && this.add(block) ? rows.length - shown : rows.length;
  }

  /** Adds the last blocks, whose room was reserved. */
  end(blocks: readonly string[]): string {
    return `${[...this.#blocks, ...blocks].join(SEPARATOR)}\n`;
  }
}

const SEPARATOR = '\n\n';

/** A fold. @param summary HTML, in which Markdown is not read */
export function details(summary: string, blocks: readonly string[]): string {
  return [`<details><summary>${summary}</summary>`, ...blocks, '</details>'].join(SEPARATOR);
}
