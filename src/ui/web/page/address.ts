type Query = Readonly<Record<string, string>>;

/** The parts of an address that name a place in a result, empty: they do not apply to another result. */
export const NO_PLACE = { turn: '', step: '', behaviour: '', run: '', view: '' } as const;
/** The same, and the result itself: they do not apply to another session. */
export const NO_RESULT = { result: '', ...NO_PLACE } as const;
export const START = '/reproducibility';

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
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** Follows a link within the page, unless it is to open elsewhere. */
export function follow(href: string, event: MouseEvent): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(href);
}
