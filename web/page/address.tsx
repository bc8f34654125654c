import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

type Query = Readonly<Record<string, string>>;

/** What an address says of a place in a result, empty: of another result it is another one. */
export const NO_PLACE = { turn: '', step: '', behaviour: '', beside: '', view: '' } as const;

/** Where the page is, as a URL that changes with it. */
export function useAddress(): URL {
  const [href, setHref] = useState(location.href);
  useEffect(() => {
    const take = () => setHref(location.href);
    addEventListener('popstate', take);
    return () => removeEventListener('popstate', take);
  }, []);
  return new URL(href);
}

/** Goes to another address of the page; back leads here again. */
export function go(path: string, query: Query = {}): void {
  history.pushState(null, '', addressOf(path, query));
  dispatchEvent(new PopStateEvent('popstate'));
}

/** Says in the address what is shown now, without a step of its own on the way back. */
export function note(query: Query): void {
  history.replaceState(null, '', withQuery(query));
  dispatchEvent(new PopStateEvent('popstate'));
}

/** The address as it is, but for these; what is empty is left out. */
export function withQuery(query: Query): string {
  return addressOf(location.pathname, { ...Object.fromEntries(new URLSearchParams(location.search)), ...query });
}

/** An address of the page; what is empty is left out. */
export function addressOf(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const search = new URLSearchParams(given).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** A link within the page; opened in another tab it works as any other. */
export function Link({ to, current, children }: { to: string; current: boolean; children: ComponentChildren }) {
  return (
    <a
      href={to}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
