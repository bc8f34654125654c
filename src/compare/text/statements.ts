import type { TextDifference } from '../shapes/result.ts';
import { remembered } from '../values/remembered.ts';
import { CONJUNCTIONS, GRAMMAR_WORDS } from './lexicon.ts';
import { quantityOf, type Token } from './tokens.ts';

/**
 * What a text says of one thing: a line, a row, a sentence, or a part of one with a label and figures of its own.
 *
 * `Morning: 10 mg, evening: 40 mg` has the label "mg morning" with the value "10", and "evening mg" with "40"
 */
export interface Statement {
  /** Its words. Empty if it has only figures. */
  readonly label: string;
  /** Its figures in order. Those of a list (`40, 60 and 80`) have no order: they are one value, and sorted. */
  readonly values: readonly string[];
  /** The forms in `values`. */
  readonly forms: readonly Token[];
  /** Kinds and units of each value, and its column. What has another shape was not exchanged, but put in another order. */
  readonly shape: string;
  /** What a line such as `Evening: Ben` says in words, and of what. */
  readonly words: { readonly label: string; readonly said: string } | undefined;
  /** All of it, in order. */
  readonly whole: string;
  /** The number of the list item that it is in. */
  readonly item?: string | undefined;
}

/** A gap between tokens that ends a statement. */
const END = /[\n!?…。！？]|\.(?:\s|$)/u;
/** A gap between the items of a list. */
const LISTING = /[,;、，；،·•]|\s\/\s/;
/** A gap between the cells of a table. */
const CELL = /\||\t| {2,}/;
/** A gap between a label and what is said of it. */
const MARK = /[:：=→]|\s[-–—]\s/u;
/** The number of a list item at the end of a gap. */
const ITEM = /(?:^|\s)(\d{1,3})[.)]\s+$/;

/** @param tokens of the text with its line breaks, quotations and code as single tokens */
export function statementsIn(text: string, tokens: readonly Token[]): Statement[] {
  const statements: Statement[] = [];
  let table: Table | undefined;
  for (const line of linesOf(text, tokens)) {
    const isRow = line.cells.length > 1;
    if (!isRow || /\n[ \t\r]*\n/.test(line.before)) table = undefined;
    if (isRow) {
      table ??= new Table(line);
      statements.push(table.row(line));
    } else {
      for (const part of partsOf(line.cells[0] as Part[])) {
        statements.push({ ...statementOf(part), item: ITEM.exec(line.before)?.[1] });
      }
    }
  }
  return statements;
}

interface Line {
  /** What stands between it and the line before. */
  readonly before: string;
  /** Of a line that is no row: one. */
  readonly cells: Part[][];
}

/** A part of a statement between the separators of a list: words, and lists of figures. */
class Part {
  readonly items: (Token | Token[])[] = [];
  readonly figures: Token[][] = [];
  /** Without those that say nothing by themselves. */
  readonly words: string[] = [];
  /** Number of its items before the first mark. */
  mark: number | undefined;

  /** It says something of something. */
  get isWhole(): boolean {
    const { figures, items, words, mark = 0 } = this;
    if (figures.length === 0) return mark > 0 && mark < items.length;
    return figures.length > 1 || words.length > 0;
  }

  add(item: Token | Token[]): void {
    this.items.push(item);
    if (Array.isArray(item)) this.figures.push(item);
    else if (item.capital !== undefined || !GRAMMAR_WORDS.has(item.text)) this.words.push(item.text);
  }

  /** Figures of one kind on both sides of a separator are of one list. */
  continues({ items: [first] }: Part): boolean {
    const last = this.items.at(-1);
    return Array.isArray(last) && Array.isArray(first) && last[0]?.kind === first[0]?.kind;
  }

  /** Adds what follows a separator of a list. */
  join(next: Part): void {
    if (next.mark !== undefined) this.mark ??= this.items.length + next.mark;
    const [last, first] = [this.items.at(-1), next.items[0]];
    const isOneList = this.continues(next) && Array.isArray(last) && Array.isArray(first);
    if (isOneList) for (const figure of first) last.push(figure);
    for (const item of next.items.slice(isOneList ? 1 : 0)) this.add(item);
  }
}

function linesOf(text: string, tokens: readonly Token[]): Line[] {
  const lines: Line[] = [];
  let end = 0;
  for (const token of tokens) {
    // A bar is one.
    if (token.kind === 'symbol') continue;
    const gap = text.slice(end, token.start);
    end = token.end;
    const last = lines.at(-1);
    if (last === undefined || END.test(gap)) {
      lines.push({ before: gap, cells: cellsBehind(gap.slice(gap.lastIndexOf('\n') + 1)) });
    } else if (gap !== ' ' && CELL.test(gap)) {
      last.cells.push(...cellsBehind(gap));
    } else if (gap !== ' ' && LISTING.test(gap)) {
      last.cells.at(-1)?.push(new Part());
    }
    const parts = lines.at(-1)?.cells.at(-1) ?? [];
    const part = parts.at(-1);
    if (gap !== ' ' && part !== undefined && part.items.length > 0 && MARK.test(gap)) part.mark ??= part.items.length;
    if (token.kind !== 'word' && token.kind !== 'character') part?.add([token]);
    else if (CONJUNCTIONS.has(token.text)) parts.push(new Part());
    else part?.add(token);
  }
  return lines;
}

/** New cells, one behind each bar, and at least one. */
function cellsBehind(gap: string): Part[][] {
  return Array.from({ length: gap.split('|').length - 1 || 1 }, () => [new Part()]);
}

/** Joins the parts of a line until each says something of something: `Ports: 80, 443`. */
function partsOf(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last !== undefined && (last.continues(part) || !(last.isWhole && part.isWhole))) last.join(part);
    else joined.push(part);
  }
  return joined;
}

function statementOf(part: Part): Statement {
  const { items, words, figures, mark } = part;
  // Figures alone: the first is the label of the others, as in `AB-1: 5 EUR`.
  const isLabelled = words.length > 0 || figures.length < 2;
  const label = isLabelled ? words : (figures[0] ?? []).map(({ text }) => text);
  const said = isLabelled ? figures : figures.slice(1);
  const isOfWords = figures.length === 0 && part.isWhole;
  return {
    label: (said.length > 1 ? label : label.toSorted()).join(' '),
    values: said.map(listOf),
    forms: said.flat(),
    shape: said.map(shapeOf).join(),
    words: isOfWords ? { label: textOfItems(items.slice(0, mark)), said: textOfItems(items.slice(mark)) } : undefined,
    whole: textOfItems(items),
  };
}

function shapeOf(list: readonly Token[]): string {
  return list.map(quantityOf).sort().join('+');
}

function listOf(list: readonly Token[]): string {
  return `[${list.map(textOf).sort().join('; ')}]`;
}

function textOfItems(items: Part['items']): string {
  return items.map((item) => (Array.isArray(item) ? listOf(item) : item.text)).join(' ');
}

/** Rows of cells. A figure belongs to its row and to the head of its column. */
class Table {
  readonly #head: readonly string[] | undefined;

  constructor(first: Line) {
    const heads = first.cells.map(oneOf);
    this.#head = heads.every(({ figures }) => figures.length === 0)
      ? heads.map(({ items }) => textOfItems(items))
      : undefined;
  }

  row({ cells }: Line): Statement {
    const all = cells.map(oneOf);
    const words = all.flatMap((cell) => cell.words);
    const columns = all.flatMap(({ figures }, index) =>
      figures.map((list) => ({
        head: this.#head?.[index] ?? '',
        list,
        value: `${this.#head?.[index] ?? ''}${listOf(list)}`,
      })),
    );
    if (this.#head !== undefined) columns.sort((a, b) => (a.value < b.value ? -1 : 1));
    const [first, ...rest] = all;
    const said = rest.map(({ words: of }) => of.join(' ')).filter(Boolean);
    return {
      label: (columns.length < 2 || this.#head ? words.toSorted() : words).join(' '),
      values: columns.map(({ value }) => value),
      forms: columns.flatMap(({ list }) => list),
      shape: columns.map(({ head, list }) => `${head} ${shapeOf(list)}`).join(),
      words: said.length === 0 ? undefined : { label: textOfItems(first?.items ?? []), said: said.join(' | ') },
      whole: all.map(({ items }) => textOfItems(items)).join(' | '),
    };
  }
}

function oneOf([first = new Part(), ...rest]: readonly Part[]): Part {
  const whole = new Part();
  for (const part of [first, ...rest]) whole.join(part);
  return whole;
}

/**
 * What the same label says otherwise. A label that comes several times is also told apart by the number of its list item,
 * and by what stands before it: the last statement without figures, such as a heading, and the last one with another label.
 * @returns undefined if what both texts label alike says the same
 */
export function otherStatement(a: readonly Statement[], b: readonly Statement[]): TextDifference | undefined {
  const repeated = new Set([...repeatedIn(a), ...repeatedIn(b)]);
  const numbers = new Map<string, number>();
  const byLabel = (all: readonly Statement[]): Labelled => Map.groupBy(all, ({ label }) => label);
  // A capital alone (`Your card` and `your card`) does not make another label.
  return (
    (areRearranged(a, b) ? undefined : otherIn(byLabel(a), byLabel(b))) ??
    otherIn(byPlace(a, repeated, numbers), byPlace(b, repeated, numbers)) ??
    exchangedWords(a, b)
  );
}

type Labelled = ReadonlyMap<string, readonly Statement[]>;

function otherIn(ours: Labelled, theirs: Labelled): TextDifference | undefined {
  for (const [label, said] of ours) {
    const others = theirs.get(label) ?? [];
    const [gone, came] = [surplus(said, others, contentOf), surplus(others, said, contentOf)];
    const found = gone.length > 0 && came.length > 0 ? otherForms(gone, came, label !== UNLABELLED) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether two texts hold the same statements, in whatever order. */
export function areRearranged(a: readonly Statement[], b: readonly Statement[]): boolean {
  const wholeOf = ({ whole }: Statement) => whole;
  return a.length === b.length && surplus(a, b, wholeOf).length === 0;
}

const UNLABELLED = '';

/** Labels that say several things. */
function repeatedIn(statements: readonly Statement[]): string[] {
  const said = new Map<string, string>();
  return statements.flatMap(({ forms, label, whole }) => {
    if (forms.length === 0) return [];
    const other = said.get(label);
    said.set(label, whole);
    return label === UNLABELLED || (other !== undefined && other !== whole) ? [label] : [];
  });
}

/** @param numbers of the texts that stand before a label, because a heading can be long and have many labels below */
function byPlace(
  statements: readonly Statement[],
  repeated: ReadonlySet<string>,
  numbers: Map<string, number>,
): Labelled {
  const numberOf = (text: string) => remembered(numbers, text, () => numbers.size);
  let heading = '';
  /** The last statements with two different labels. */
  let [last, before]: (Statement | undefined)[] = [];
  const placed = statements.flatMap((statement) => {
    const { forms, item = '', label } = statement;
    if (label !== last?.label) before = last;
    last = statement;
    if (forms.length === 0) heading = label;
    const hasPlace = heading !== '' || before !== undefined || item !== '';
    if (forms.length === 0 || !hasPlace || !repeated.has(label)) return [];
    return [{ place: `${label} ${numberOf(heading)} ${numberOf(before?.whole ?? '')} ${item}`, statement }];
  });
  const groups = Map.groupBy(placed, ({ place }) => place);
  return new Map([...groups].map(([place, of]) => [place, of.map(({ statement }) => statement)] as const));
}

function contentOf({ values }: Statement): string {
  return values.join(' ');
}

/**
 * How the figures of one label differ: they are others, in another order, or a list has one of them more often. A figure
 * that only one side adds is said elsewhere on the other side, because the texts state the same forms.
 * @param isLabelled otherwise nothing tells what they belong to, so that only their order and how often each comes counts
 */
function otherForms(
  gone: readonly Statement[],
  came: readonly Statement[],
  isLabelled: boolean,
): TextDifference | undefined {
  const [was, is] = [gone, came].map((all) => all.flatMap(({ forms }) => forms)) as [Token[], Token[]];
  const [lost, won] = [surplus(was, is, textOf), surplus(is, was, textOf)];
  const told = (because: TextDifference['because'], one: readonly Token[], other: readonly Token[]) => ({
    because,
    recorded: one.map(writtenOf),
    replayed: other.map(writtenOf),
  });
  if (lost.length + won.length === 0) {
    const isComparable = gone.length === came.length && surplus(gone, came, ({ shape }) => shape).length === 0;
    return isComparable ? told('exchange', was, is) : undefined;
  }
  const [before, after] = [new Set(was.map(textOf)), new Set(is.map(textOf))];
  const isCount = lost.every(({ text }) => after.has(text)) && won.every(({ text }) => before.has(text));
  const kinds = new Set(lost.map(({ kind }) => kind));
  const isOther = isLabelled && won.some(({ kind }) => kinds.has(kind));
  return isCount || isOther ? told('form', lost, won) : undefined;
}

function textOf({ text }: Token): string {
  return text;
}

function writtenOf({ text, written = text }: Token): string {
  return written;
}

/** What is more often in the one than in the other. */
function surplus<Item>(of: readonly Item[], other: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const left = new Map<string, number>();
  for (const item of other) left.set(keyOf(item), (left.get(keyOf(item)) ?? 0) + 1);
  return of.filter((item) => {
    const count = left.get(keyOf(item)) ?? 0;
    left.set(keyOf(item), count - 1);
    return count <= 0;
  });
}

/** Two labels that exchanged what is said of them in words. What is merely worded otherwise is left alone. */
function exchangedWords(a: readonly Statement[], b: readonly Statement[]): TextDifference | undefined {
  const [ours, theirs] = [a, b].map(
    (all) => new Map(all.flatMap(({ words }) => (words ? [[words.label, words.said]] : []))),
  );
  const other = [...(ours as Map<string, string>)].flatMap(([label, was]) => {
    const is = theirs?.get(label);
    return is === undefined || is === was ? [] : [{ was, is }];
  });
  const gone = new Set(other.map(({ was }) => was));
  const moved = other.find(({ is }) => gone.has(is));
  return moved && { because: 'exchange', recorded: [moved.was, moved.is], replayed: [moved.is, moved.was] };
}
