import { createContext } from 'preact';

const VIEWS = ['step', 'run', 'session'] as const;

/** What is looked at within a session: all of it stands in the address. */
export interface Place {
  /** From 1. */
  readonly turn?: number | undefined;
  /** Key of a row of the table of steps. */
  readonly step?: string | undefined;
  /** Letter of a behaviour. */
  readonly behaviour?: string | undefined;
  /** Letter of what it is compared with; the recording by default. */
  readonly beside?: string | undefined;
  /** The step side by side, the run as a whole, or the session that it is of. */
  readonly view?: (typeof VIEWS)[number] | undefined;
}

export type Places = readonly [place: Place, go: (place: Place) => void];

/** What is looked at, and how to look at something else: whoever shows a session keeps it. */
export const PlaceContext = createContext<Places>([{}, () => {}]);

/** Parts of an address, for whoever keeps a place in one. */
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

/** The same as names and values; what is not set is left out. */
export function parametersOf({ turn, step, behaviour, beside, view }: Place): Record<string, string> {
  const all = { turn: turn === undefined ? undefined : String(turn), step, behaviour, beside, view };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
