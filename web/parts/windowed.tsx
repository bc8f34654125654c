import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Height of a row, as the style sheet has it. */
const ROW_PX = 76;
/** Rows kept ready above and below what is seen. */
const SPARE = 8;

/** A long list of which only what can be seen is there. Arrow keys, Home and End go from row to row. */
export function Windowed<Item>({
  items,
  keyOf,
  row,
}: {
  items: readonly Item[];
  keyOf: (item: Item) => string;
  row: (item: Item) => ComponentChildren;
}) {
  const list = useRef<HTMLUListElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 800 });
  /** To be focused once it is there. */
  const wanted = useRef<number | undefined>(undefined);
  const look = () => {
    if (list.current !== null) setSeen({ top: list.current.scrollTop, height: list.current.clientHeight });
  };
  useLayoutEffect(() => {
    look();
    const observer = new ResizeObserver(look);
    if (list.current !== null) observer.observe(list.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const link = list.current?.querySelector<HTMLElement>(`[aria-posinset="${wanted.current + 1}"] :is(a, button)`);
    if (link == null) return;
    wanted.current = undefined;
    link.focus();
  });
  const first = Math.max(0, Math.min(Math.floor(seen.top / ROW_PX), items.length - 1) - SPARE);
  const last = Math.min(items.length, Math.ceil((seen.top + seen.height) / ROW_PX) + SPARE);
  const move = (event: KeyboardEvent) => {
    const place = Number((event.target as HTMLElement).closest('li')?.ariaPosInSet) - 1;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: place + 1,
      ArrowUp: place - 1,
      Home: 0,
      End: items.length - 1,
    };
    const next = steps[event.key];
    if (next === undefined || next < 0 || next >= items.length || list.current === null) return;
    event.preventDefault();
    wanted.current = next;
    const { scrollTop, clientHeight } = list.current;
    const top = next * ROW_PX;
    if (top < scrollTop) list.current.scrollTop = top;
    else if (top + ROW_PX > scrollTop + clientHeight) list.current.scrollTop = top + ROW_PX - clientHeight;
    look();
  };
  return (
    <ul
      class="windowed"
      ref={list}
      onScroll={look}
      onKeyDown={move}
      style={{ '--above': String(first), '--below': String(items.length - last) }}
    >
      {items.slice(first, last).map((item, index) => (
        <li key={keyOf(item)} aria-setsize={items.length} aria-posinset={first + index + 1}>
          {row(item)}
        </li>
      ))}
    </ul>
  );
}
