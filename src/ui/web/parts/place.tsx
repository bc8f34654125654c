import { createContext } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PlacedLines } from '../../../report/index.ts';

/** Where edited lines stand in the project, as far as somebody has looked. */
export const Files = createContext<PlacedLines>({});

const VIEWS = ['step', 'run', 'session'] as const;

/** The selection within a session, all of it in the address. */
export interface Place {
  /** From 1. */
  readonly turn?: number;
  /** Key of a row of the lanes. */
  readonly step?: string;
  /** Letter of a behaviour. */
  readonly behaviour?: string;
  readonly run?: number;
  /** A step side by side, a whole run, or the session. */
  readonly view?: (typeof VIEWS)[number];
}

/** The selection, and how to change it. The component that shows a session stores it. */
export const PlaceContext = createContext<readonly [place: Place, go: (place: Place) => void]>([{}, () => {}]);

/** The page's address, which changes with each step of its history; a link within it is one. */
export function useAddress(): URL {
  const [href, setHref] = useState(location.href);
  useEffect(() => {
    const take = () => setHref(location.href);
    addEventListener('popstate', take);
    return () => removeEventListener('popstate', take);
  }, []);
  return new URL(href);
}

/** Parts of an address, for components that store a place in one. */
export function placeIn(parameters: URLSearchParams): Place {
  const text = (name: string) => parameters.get(name) ?? undefined;
  const number = (name: string) => (/^[1-9]\d{0,8}$/.test(text(name) ?? '') ? Number(text(name)) : undefined);
  const view = VIEWS.find((each) => each === text('view'));
  return { turn: number('turn'), step: text('step'), behaviour: text('behaviour'), run: number('run'), view };
}

/** The same as names and values, without unset ones. */
export function parametersOf(place: Place): Record<string, string> {
  return Object.fromEntries(
    Object.entries(place).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

export function addressOf(session: string, place: Place = {}): string {
  const parts = Object.entries({ session: session.toWellFormed(), ...parametersOf(place) });
  return `#${parts.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}
