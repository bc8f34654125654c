import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

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

/** Goes to another address of the page. */
export function go(path: string, query: Readonly<Record<string, string>> = {}): void {
  history.pushState(null, '', addressOf(path, query));
  dispatchEvent(new PopStateEvent('popstate'));
}

/** An address of the page; what is empty is left out. */
export function addressOf(path: string, query: Readonly<Record<string, string>>): string {
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
