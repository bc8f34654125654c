import { type Span, wrapSpans } from '../../columns.ts';
import { type Difference, wordDiff } from '../../compare/index.ts';
import { forTerminal } from '../../untrusted.ts';
import type { Paint, Style } from './terminal.ts';

/** A stretch of text that both sides share, or that only one of them has. */
export type DiffPart = ReturnType<typeof wordDiff>[number];

/** Shorter texts can be read at a glance. */
const MIN_PROSE_CHARS = 40;
/** Characters shown of the shared text on each side of a change. */
const CONTEXT_CHARS = 60;
/** Starts each line, so that no text of an agent does. */
const MARGIN = '    │ ';

const STYLES: Readonly<Record<DiffPart['kind'], Style | undefined>> = {
  same: undefined,
  removed: 'red',
  added: 'green',
};

/**
 * Lines like `it takes {-three-}{+four+} days`, with marks as well as colour.
 * @returns none if a side is not text or they share almost no words: then both are better shown whole
 */
export function changedWords(
  { recorded, replayed }: Pick<Difference, 'recorded' | 'replayed'>,
  width: number,
  paint: Paint,
): string[] {
  const parts = sharedWords({ recorded, replayed });
  const spans = parts.flatMap((part, index) => spansOf(part, index === 0, index === parts.length - 1));
  return wrapSpans(spans, width - MARGIN.length).map((line) => {
    const painted = line.map(({ mark, text }) => {
      const style = STYLES[mark];
      return style === undefined ? text : paint(style, text);
    });
    return `${MARGIN}${painted.join('')}`;
  });
}

/** Both texts merged, part by part; none if that would tell less than both whole. */
export function sharedWords({ recorded, replayed }: Pick<Difference, 'recorded' | 'replayed'>): DiffPart[] {
  if (typeof recorded !== 'string' || typeof replayed !== 'string') return [];
  if (Math.max(recorded.length, replayed.length) < MIN_PROSE_CHARS) return [];
  const parts = wordDiff(recorded, replayed);
  return parts.some(({ kind, text }) => kind === 'same' && /\S\s+\S/.test(text)) ? parts : [];
}

function spansOf({ kind, text }: DiffPart, isFirst: boolean, isLast: boolean): Span<DiffPart['kind']>[] {
  if (kind === 'same') return [{ mark: kind, text: forTerminal(aroundChanges(text, isFirst, isLast)) }];
  // The blanks after a word are not marked.
  const words = text.trimEnd();
  const sign = kind === 'removed' ? '-' : '+';
  return [
    { mark: kind, text: `{${sign}${forTerminal(words)}${sign}}` },
    { mark: 'same', text: forTerminal(text.slice(words.length)) },
  ];
}

/** A shared part without what is far from any change. */
function aroundChanges(text: string, isFirst: boolean, isLast: boolean): string {
  const before = isFirst ? 0 : CONTEXT_CHARS;
  const after = isLast ? 0 : CONTEXT_CHARS;
  if (text.length <= before + after) return text;
  // Cuts at a blank if one is near.
  const head = text.slice(0, before).replace(/\s\S{0,20}$/, '');
  const tail = text.slice(text.length - after).replace(/^\S{0,20}\s/, '');
  return [...(isFirst ? [] : [head]), '…', ...(isLast ? [] : [tail])].join(' ').toWellFormed();
}
