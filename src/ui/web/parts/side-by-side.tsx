import type { ComponentChildren } from 'preact';
import { useContext, useMemo, useState } from 'preact/hooks';
import { Ids, WithIds, withIds } from './ids.tsx';
import { type LinePair, lineDiff, type Piece } from './marks.ts';
import { formatValue, type Media, mediaIn, type ValueMode, withoutBase64 } from './value-text.ts';

/** Equal lines kept visible around differences. */
const CONTEXT = 3;
/** Fewer lines are not folded. */
const MIN_FOLD = 4;
/** Lines shown at first; further ones on request. */
const MAX_LINES = 600;

export interface Side {
  /** The side: `recorded`, or a behaviour with its runs. */
  readonly label: ComponentChildren;
  /** Letter of a behaviour; empty for the recording. */
  readonly of: string;
  /** Null if there is no such step. */
  readonly text: string | null;
}

/** Two values beside each other: red is only in the left one, green only in the right one. */
export function SideBySide({ left, right, mode, open }: { left: Side; right: Side; mode: ValueMode; open: boolean }) {
  const [more, setMore] = useState(MAX_LINES);
  const pairs = useMemo(() => {
    const shown = ({ text }: Side) => (text === null ? null : withoutBase64(formatValue(text, mode)));
    return lineDiff(shown(left), shown(right));
  }, [left.text, right.text, mode]);
  const parts = open ? pairs : withFolds(pairs);
  return (
    <div class="both" data-mode={mode}>
      <div class="side-head" data-side="left">
        {left.label}
      </div>
      <div class="side-head" data-side="right">
        {right.label}
      </div>
      {parts
        .slice(0, more)
        .map((part, at) =>
          'hidden' in part ? (
            <Fold key={at} pairs={part.hidden} left={left} right={right} />
          ) : (
            <Line key={at} pair={part} left={left} right={right} />
          ),
        )}
      {parts.length > more && (
        <button type="button" class="ghost small both-fold" onClick={() => setMore(more * 4)}>
          ▸ {parts.length - more} more lines
        </button>
      )}
      <BothMedia left={left} right={right} />
    </div>
  );
}

type Folded = LinePair | { readonly hidden: readonly LinePair[] };

/** Stretches of equal lines, except those next to differences. */
function withFolds(pairs: readonly LinePair[]): Folded[] {
  if (pairs.every(({ same }) => same)) return [...pairs];
  const near = pairs.map(() => false);
  for (const [at, { same }] of pairs.entries()) {
    if (!same) near.fill(true, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  }
  const parts: Folded[] = [];
  for (let start = 0; start < pairs.length; ) {
    let end = start;
    while (end < pairs.length && near[end] === near[start]) end++;
    const run = pairs.slice(start, end);
    if (near[start] || run.length < MIN_FOLD) parts.push(...run);
    else parts.push({ hidden: run });
    start = end;
  }
  return parts;
}

function Fold({ pairs, left, right }: { pairs: readonly LinePair[]; left: Side; right: Side }) {
  const [open, setOpen] = useState(false);
  if (open) return pairs.map((pair, at) => <Line key={at} pair={pair} left={left} right={right} />);
  return (
    <button type="button" class="ghost small both-fold" onClick={() => setOpen(true)}>
      ▸ {pairs.length} lines the same
    </button>
  );
}

function Line({ pair, left, right }: { pair: LinePair; left: Side; right: Side }) {
  return (
    <>
      <Half pieces={pair.left} same={pair.same} side="left" of={left.of} />
      <Half pieces={pair.right} same={pair.same} side="right" of={right.of} />
    </>
  );
}

interface HalfProps {
  readonly pieces: readonly Piece[] | null;
  readonly same: boolean;
  readonly side: 'left' | 'right';
  readonly of: string;
}

function Half({ pieces, same, side, of }: HalfProps) {
  if (pieces === null) return <div class="half none" data-side={side} />;
  const Marked = side === 'left' ? 'del' : 'ins';
  return (
    <div class="half" data-side={side} data-same={same} dir="auto">
      {!same && <span class="hidden">{side === 'left' ? 'only on the left: ' : 'only on the right: '}</span>}
      {pieces.map(({ text, marked }, at) =>
        marked ? (
          <Marked key={at}>
            <WithIds text={text} of={of} />
          </Marked>
        ) : (
          <span key={at}>
            <WithIds text={text} of={of} />
          </span>
        ),
      )}
    </div>
  );
}

/** Images are shown, everything else is a link: the page itself loads nothing. */
function BothMedia({ left, right }: { left: Side; right: Side }) {
  const [before, after] = [useMedia(left), useMedia(right)];
  if (before.length + after.length === 0) return null;
  return (
    <>
      <MediaOf side="left" of={left.of} media={before} />
      <MediaOf side="right" of={right.of} media={after} />
    </>
  );
}

function useMedia({ text, of }: Side): readonly Media[] {
  const ids = useContext(Ids);
  // Short data can look like a generated id.
  return useMemo(() => (text === null ? [] : mediaIn(withIds(text, ids, of))), [text, ids, of]);
}

function MediaOf({ side, of, media }: { side: 'left' | 'right'; of: string; media: readonly Media[] }) {
  const whose = of === '' ? 'recorded' : of;
  return (
    <div class="media" data-side={side}>
      <span class="whose quiet">{media.length === 0 ? `${whose}: nothing` : whose}</span>
      {media.map((each, at) => (
        <Medium key={at} media={each} />
      ))}
    </div>
  );
}

function Medium({ media: { kind, type, url, bytes } }: { media: Media }) {
  const size = bytes === undefined ? '' : `, ${bytes < 1_024 ? `${bytes} bytes` : `${Math.round(bytes / 1_024)} KB`}`;
  if (kind === 'image') {
    return (
      <figure>
        <img src={url} alt={`${type}${size}`} />
        <figcaption class="quiet">
          {type}
          {size}
        </figcaption>
      </figure>
    );
  }
  if (url.startsWith('data:')) {
    return (
      <a href={url} download={`value.${type.replace(/^.*[/+]/, '')}`}>
        {type}
        {size}
      </a>
    );
  }
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {url}
    </a>
  );
}
