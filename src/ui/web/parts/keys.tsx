import { useLayoutEffect, useRef } from 'preact/hooks';

/** Runs the action of a key. Keys typed into a field, or meant for the browser, are ignored. */
export function useKeys(actions: Readonly<Record<string, () => void>>): void {
  const latest = useRef(actions);
  latest.current = actions;
  // Before the first paint, so that no early key press is lost.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const action = Object.hasOwn(latest.current, key) ? latest.current[key] : undefined;
      if (action === undefined || ctrlKey || metaKey || altKey || event.defaultPrevented) return;
      if (target instanceof Element && target.closest('input, textarea, select, dialog') !== null) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** `j` and `k` lead through sessions, `/` to their search. */
export function useNeighbours<Each extends { readonly id: string }>(
  order: readonly Each[],
  chosen: string | undefined,
  go: (to: Each) => void,
): void {
  const move = (by: number) => {
    const at = order.findIndex(({ id }) => id === chosen);
    const next = at === -1 ? order.at(by > 0 ? 0 : -1) : order[at + by];
    if (next !== undefined) go(next);
  };
  useKeys({ j: () => move(1), k: () => move(-1), '/': () => document.getElementById('search')?.focus() });
}

const KEYS = {
  j: 'next session',
  k: 'previous session',
  n: 'next difference',
  p: 'previous difference',
  '/': 'search the sessions',
  '?': 'this list',
} as const;

/** The list of keys, opened by `?` and a button. */
export function KeyList() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = () => dialog.current?.showModal();
  useKeys({ '?': open });
  return (
    <>
      <button type="button" class="plain keys" aria-label="Keys" title="Keys (?)" onClick={open}>
        ?
      </button>
      <dialog ref={dialog} aria-labelledby="keys">
        <h2 id="keys">Keys</h2>
        <dl class="facts">
          {Object.entries(KEYS).map(([key, what]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}
