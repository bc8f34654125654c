import { type ComponentChildren, Fragment } from 'preact';
import { useContext, useMemo, useState } from 'preact/hooks';
import { grouped } from '../../../report/words/pages.ts';
import { Ids, WithIds, withIds } from './ids.tsx';
import { type LinePair, lineDiff, type Piece } from './line-diff.ts';
import { safe } from './text.tsx';
import { imagesIn, isMarkdown, linesOfValue } from './value-text.ts';

/** Equal lines kept visible around differences. */
const CONTEXT = 3;
/** Fewer lines are not folded. */
const MIN_FOLD = 4;
/** Lines shown at first; further ones on request. */
const MAX_LINES = 600;
/** Of a stretch that both sides share inside a line, on either side of a change. */
const MAX_SHARED_CHARS = 120;
/** Of a value without another beside it. */
const MAX_ALONE_CHARS = 20_000;

export interface Side {
  readonly label: ComponentChildren;
  /** A behaviour; null for the recording. */
  readonly of: number | null;
  /** Null if there is no such step. */
  readonly text: string | null;
}

/**
 * Two values beside each other: red is only in the left one, green only in the right one.
 * @param areOther they belong to different tools, so nothing in them corresponds
 */
export function SideBySide({ left, right, areOther = false }: { left: Side; right: Side; areOther?: boolean }) {
  const [more, setMore] = useState(MAX_LINES);
  const pairs = useMemo(() => {
    const shown = ({ text }: Side) => (text === null ? text : linesOfValue(text));
    return areOther ? beside(shown(left), shown(right)) : lineDiff(shown(left), shown(right));
  }, [left.text, right.text, areOther]);
  const parts = withFolds(pairs);
  const isRead = isMarkdown(left.text ?? right.text ?? '');
  const line = (pair: LinePair, key: number) => (
    <Fragment key={key}>
      <Half pieces={pair.left} same={pair.same} of={left.of} isRead={isRead} />
      <Half pieces={pair.right} same={pair.same} of={right.of} isRead={isRead} />
    </Fragment>
  );
  return (
    <div class="both" data-read={isRead}>
      <div class="side-head">{left.label}</div>
      <div class="side-head">{right.label}</div>
      {parts
        .slice(0, more)
        .map((part, at) =>
          'hidden' in part ? (
            <Fold key={at} count={part.hidden.length} lines={() => part.hidden.map(line)} />
          ) : (
            line(part, at)
          ),
        )}
      {parts.length > more && (
        <button type="button" class="fold" onClick={() => setMore(more * 4)}>
          ▸ {parts.length - more} more lines
        </button>
      )}
      <Images sides={[left, right]} />
    </div>
  );
}

/** Lines of two values of which nothing corresponds. */
function beside(left: string | null, right: string | null): LinePair[] {
  const [a, b] = [left, right].map((text) => text?.split('\n') ?? []) as [string[], string[]];
  const piece = (line: string | undefined) => (line === undefined ? null : [{ text: line, marked: false }]);
  return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => ({
    left: piece(a[at]),
    right: piece(b[at]),
    same: true,
  }));
}

/** Stretches of equal lines, except those next to differences. */
function withFolds(pairs: readonly LinePair[]): (LinePair | { readonly hidden: readonly LinePair[] })[] {
  if (pairs.every(({ same }) => same)) return [...pairs];
  const near = pairs.map(() => false);
  for (const [at, { same }] of pairs.entries()) {
    if (!same) near.fill(true, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  }
  const parts = [];
  for (let start = 0; start < pairs.length; ) {
    let end = start;
    while (end < pairs.length && near[end] === near[start]) end++;
    const run = pairs.slice(start, end);
    parts.push(...(near[start] || run.length < MIN_FOLD ? run : [{ hidden: run }]));
    start = end;
  }
  return parts;
}

function Fold({ count, lines }: { count: number; lines: () => ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <>{lines()}</>;
  return (
    <button type="button" class="fold" onClick={() => setOpen(true)}>
      ▸ {count} lines the same
    </button>
  );
}

function Half({
  pieces,
  same,
  of,
  ...how
}: {
  pieces: readonly Piece[] | null;
  same: boolean;
  of: number | null;
  isRead: boolean;
}) {
  if (pieces === null) return <div class="half" data-none="true" />;
  const [block, shown] = how.isRead ? asBlock(pieces) : [undefined, pieces];
  const side = of === null ? 'left' : 'right';
  return (
    <div class="half" data-side={side} data-same={same} data-block={block} dir="auto">
      {!same && <span class="hidden">only on the {side}: </span>}
      <Pieces pieces={shown} of={of} {...how} />
    </div>
  );
}

/** Pieces of a line: what only this side has is marked; long shared stretches are cut, at the same place on both sides. */
export function Pieces({
  pieces,
  of,
  isRead = false,
  room = MAX_SHARED_CHARS,
}: {
  pieces: readonly Piece[];
  of: number | null;
  isRead?: boolean;
  room?: number;
}) {
  const Marked = of === null ? 'del' : 'ins';
  const isAlone = !pieces.some(({ marked }) => marked);
  return (
    <>
      {pieces.map(({ text, marked }, at) => {
        const isLong = !marked && !isAlone && text.length > 2 * room;
        const shown = isLong ? aroundChanges(text, at === 0, at === pieces.length - 1, room) : text;
        const inner = isRead ? <Inline text={shown} of={of} /> : <WithIds text={shown} of={of} />;
        return marked ? <Marked key={at}>{inner}</Marked> : <span key={at}>{inner}</span>;
      })}
    </>
  );
}

function aroundChanges(text: string, isFirst: boolean, isLast: boolean, room: number): string {
  // No half words.
  const head = isFirst ? '' : text.slice(0, room).replace(/\s+\S*$/, '');
  const tail = isLast ? '' : text.slice(-room).replace(/^\S*\s+/, '');
  const shown = `${head} … ${tail}`;
  // The blank beside a change stays.
  return (isFirst ? shown.trimStart() : isLast ? shown.trimEnd() : shown).toWellFormed();
}

const BLOCKS = { '#': 'heading', '>': 'quote' } as Readonly<Record<string, string>>;

/** A line of Markdown without its mark: a heading, a quotation, an item of a list. */
function asBlock(pieces: readonly Piece[]): [string | undefined, readonly Piece[]] {
  const [first, ...rest] = pieces;
  const [whole = '', mark = ''] = /^\s*(#{1,6}|>|[-*+]|\d+[.)])\s+/.exec(first?.text ?? '') ?? [];
  if (first === undefined || mark === '') return [undefined, pieces];
  const block = BLOCKS[mark.charAt(0)];
  const shown = block === undefined ? `${/\d/.test(mark) ? mark : '•'} ` : '';
  return [block ?? 'item', [{ ...first, text: shown + first.text.slice(whole.length) }, ...rest]];
}

/** Bold words and code of a line. */
function Inline({ text, of }: { text: string; of: number | null }) {
  return (
    <>
      {text.split(/(\*\*[^*\n]+\*\*|`[^`\n]+`)/).map((part, at) => {
        if (at % 2 === 0) return <WithIds key={at} text={part} of={of} />;
        return part.startsWith('`') ? (
          <code key={at}>{safe(part.slice(1, -1))}</code>
        ) : (
          <b key={at}>{safe(part.slice(2, -2))}</b>
        );
      })}
    </>
  );
}

/** One value alone, by what it holds. */
export function Value({ text }: { text: string }) {
  const isRead = isMarkdown(text);
  const lines = linesOfValue(text);
  if (text === '') return <p class="quiet">nothing</p>;
  return (
    <>
      <div class="value" data-read={isRead} tabIndex={0} dir="auto">
        {safe(lines, MAX_ALONE_CHARS)
          .split('\n')
          .map((line, at) => {
            const [block, pieces] = isRead
              ? asBlock([{ text: line, marked: false }])
              : [undefined, [{ text: line, marked: false }]];
            return (
              <div key={at} data-block={block}>
                <Pieces pieces={pieces} of={null} isRead={isRead} />
              </div>
            );
          })}
      </div>
      {lines.length > MAX_ALONE_CHARS && (
        <p class="quiet cut">
          {grouped(MAX_ALONE_CHARS)} of {grouped(lines.length)} characters are here; the raw trace has them all.
        </p>
      )}
      <Images sides={[{ text, of: null }]} />
    </>
  );
}

/** The page itself loads nothing. */
function Images({ sides }: { sides: readonly Omit<Side, 'label'>[] }) {
  const ids = useContext(Ids);
  const found = useMemo(
    // Short data can look like a generated id.
    () => sides.map(({ text, of }) => (text === null ? [] : imagesIn(withIds(text, ids, of)))),
    [sides.map(({ text }) => text).join(), ids],
  );
  if (found.every(({ length }) => length === 0)) return null;
  return (
    <>
      {found.map((images, at) => (
        <div key={at} class="media">
          {images.map(({ url, about }, place) => (
            <img key={place} src={url} alt={about} title={about} />
          ))}
        </div>
      ))}
    </>
  );
}
