import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useWindow } from './use-window.ts';

/** Height of a row, as in the style sheet. */
const ROW_PX = 50;

/** A long list that renders only visible rows. Arrow keys, Home and End move between the links in them. */
export function Windowed<Item>({
  items,
  keyOf,
  row,
}: {
  items: readonly Item[];
  keyOf: (item: Item) => string;
  row: (item: Item) => ComponentChildren;
}) {
  const { box: list, first, last, onScroll, show } = useWindow<HTMLUListElement>(items.length, ROW_PX);
  /** To be focused once rendered. */
  const wanted = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const link = list.current?.querySelector<HTMLElement>(`[aria-posinset="${wanted.current + 1}"] :is(a, button)`);
    if (link == null) return;
    wanted.current = undefined;
    link.focus();
  });
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
    show(next);
  };
  return (
    <ul
      class="windowed"
      ref={list}
      onScroll={onScroll}
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
