import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';

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
  /** The step side by side, or the run as a whole. */
  readonly view?: 'step' | 'run' | undefined;
}

export type Places = readonly [place: Place, go: (place: Place) => void];

/** Where the page keeps it; without one it is kept here, and no address knows of it. */
export const PlaceContext = createContext<Places | undefined>(undefined);

/** What is looked at in one turn, and how to look at something else in it. */
export function usePlace(turn: number): Places {
  const own = useState<Place>({});
  const [place, go] = useContext(PlaceContext) ?? own;
  return [place.turn === turn ? place : {}, (next) => go({ ...next, turn })];
}

/** Parts of an address, for whoever keeps a place in one. */
export function placeIn(parameters: URLSearchParams): Place {
  const text = (name: string) => parameters.get(name) ?? undefined;
  const turn = Number(text('turn'));
  return {
    turn: Number.isInteger(turn) && turn > 0 ? turn : undefined,
    step: text('step'),
    behaviour: text('behaviour'),
    beside: text('beside'),
    view: text('view') === 'run' ? 'run' : undefined,
  };
}

/** The same as names and values; what is not set is left out. */
export function parametersOf({ turn, step, behaviour, beside, view }: Place): Record<string, string> {
  const all = { turn: turn === undefined ? undefined : String(turn), step, behaviour, beside, view };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
