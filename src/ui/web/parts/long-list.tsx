import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { grouped } from '../../../report/words/pages.ts';

/** Rows that are there at once. The browser draws those that are in sight alone. */
const AT_ONCE = 2_000;

/** A long list with one stop for the Tab key: arrow keys, Home and End move between the links or buttons in its rows. */
export function LongList<Item>({
  items,
  keyOf,
  stop,
  row,
}: {
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** Key of the row at which Tab stops. */
  stop: string | undefined;
  row: (item: Item, tabIndex: 0 | -1) => ComponentChildren;
}) {
  const [shown, setShown] = useState(AT_ONCE);
  const move = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('a, button')];
    const at = all.indexOf(event.target as HTMLElement);
    const places: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: all.length - 1,
    };
    const next = all[places[event.key] ?? -1];
    if (at === -1 || next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <ul class="long-list" onKeyDown={move}>
      {items.slice(0, shown).map((item) => (
        <li key={keyOf(item)}>{row(item, keyOf(item) === stop ? 0 : -1)}</li>
      ))}
      {items.length > shown && (
        <li>
          <button type="button" class="fold" onClick={() => setShown(shown + AT_ONCE)}>
            ▸ {grouped(items.length - shown)} more
          </button>
        </li>
      )}
    </ul>
  );
}
