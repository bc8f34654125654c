import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows rendered above and below the visible ones. */
const SPARE = 8;

export interface Window<Box extends HTMLElement> {
  readonly box: { current: Box | null };
  /** Rows from `first` up to `last` are rendered. */
  readonly first: number;
  readonly last: number;
  readonly onScroll: () => void;
  /** Scrolls a row into view. */
  readonly show: (row: number) => void;
}

/** The visible rows of a long list. All rows have one height, so a division is enough. */
export function useWindow<Box extends HTMLElement>(count: number, rowPx: number): Window<Box> {
  const box = useRef<Box>(null);
  const [seen, setSeen] = useState({ top: 0, height: 800 });
  const look = () => {
    if (box.current !== null) setSeen({ top: box.current.scrollTop, height: box.current.clientHeight });
  };
  useLayoutEffect(() => {
    look();
    const observer = new ResizeObserver(look);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const show = (row: number) => {
    if (box.current === null) return;
    const { scrollTop, clientHeight } = box.current;
    const top = row * rowPx;
    if (top < scrollTop) box.current.scrollTop = top;
    else if (top + rowPx > scrollTop + clientHeight) box.current.scrollTop = top + rowPx - clientHeight;
    look();
  };
  return {
    box,
    first: Math.max(0, Math.min(Math.floor(seen.top / rowPx), count - 1) - SPARE),
    last: Math.min(count, Math.ceil((seen.top + seen.height) / rowPx) + SPARE),
    onScroll: look,
    show,
  };
}
