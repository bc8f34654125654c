import { createContext } from 'preact';

/** Suffix for the names of a turn's parts: ` of turn 2` if there are several turns, so that names differ. */
export const OfTurn = createContext('');
