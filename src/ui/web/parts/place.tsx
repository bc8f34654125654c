import { createContext } from 'preact';

const VIEWS = ['step', 'run', 'session'] as const;

/** The selection within a session, all of it in the address. */
export interface Place {
  /** From 1. */
  readonly turn?: number | undefined;
  /** Key of a row of the table of steps. */
  readonly step?: string | undefined;
  /** Letter of a behaviour. */
  readonly behaviour?: string | undefined;
  /** Letter of the behaviour it is compared with; default: the recording. */
  readonly beside?: string | undefined;
  /** A step side by side, a whole run, or the session. */
  readonly view?: (typeof VIEWS)[number] | undefined;
}

export type Places = readonly [place: Place, go: (place: Place) => void];

/** The selection, and how to change it. The component that shows a session stores it. */
export const PlaceContext = createContext<Places>([{}, () => {}]);

/** Parts of an address, for components that store a place in one. */
export function placeIn(parameters: URLSearchParams): Place {
  const text = (name: string) => parameters.get(name) ?? undefined;
  const turn = Number(text('turn'));
  return {
    turn: Number.isInteger(turn) && turn > 0 ? turn : undefined,
    step: text('step'),
    behaviour: text('behaviour'),
    beside: text('beside'),
    view: VIEWS.find((view) => view === text('view')),
  };
}

/** The same as names and values, without unset ones. */
export function parametersOf({ turn, step, behaviour, beside, view }: Place): Record<string, string> {
  const all = { turn: turn === undefined ? undefined : String(turn), step, behaviour, beside, view };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** The address of a session within this page. */
export function linkTo({ id }: { readonly id: string }): string {
  return addressOf(id, {});
}

/** The address of a place within a session of this page. */
export function addressOf(session: string, place: Place): string {
  const parts = Object.entries({ session: session.toWellFormed(), ...parametersOf(place) });
  return `#${parts.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}
