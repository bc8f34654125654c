import { createContext } from 'preact';

/** Behind the name of each part of a turn: ` of turn 2` where there are several, so that no two parts have one name. */
export const OfTurn = createContext('');
