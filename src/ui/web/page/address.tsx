import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

type Query = Readonly<Record<string, string>>;

/** The parts of an address that name a place in a result, empty: they do not apply to another result. */
export const NO_PLACE = { turn: '', step: '', behaviour: '', beside: '', view: '' } as const;

/** The page's place as a URL, which changes with it. */
export function useAddress(): URL {
  const [href, setHref] = useState(location.href);
  useEffect(() => {
    const take = () => setHref(location.href);
    addEventListener('popstate', take);
    return () => removeEventListener('popstate', take);
  }, []);
  return new URL(href);
}

/** Goes to another address of the page; the back button returns. */
export function go(path: string, query: Query = {}): void {
  history.pushState(null, '', addressOf(path, query));
  dispatchEvent(new PopStateEvent('popstate'));
}

/** Puts the shown place into the address, without a step in the browser's history. */
export function note(query: Query): void {
  history.replaceState(null, '', withQuery(query));
  dispatchEvent(new PopStateEvent('popstate'));
}

/** The present address with these parts changed; empty parts are left out. */
export function withQuery(query: Query): string {
  return addressOf(location.pathname, { ...Object.fromEntries(new URLSearchParams(location.search)), ...query });
}

/** An address of the page; empty parts are left out. */
export function addressOf(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const search = new URLSearchParams(given).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** A link within the page. It also works in a new tab. */
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
