import type { MarkedText } from '../../index.ts';

/** A text with the search's matches marked. */
export function Marked({ text }: { text: MarkedText }) {
  return (
    <bdi>{text.map(({ text: part, isMarked }, index) => (isMarked ? <mark key={index}>{part}</mark> : part))}</bdi>
  );
}
