import { AgentReplayError } from '../../errors.ts';
import { asText, isJsonObject, type Json } from '../../json/index.ts';
import type { Trace } from '../../trace/index.ts';

/** The places that a server can search for a word itself, in the order in which they are listed. */
const PLACES = ['inputs and outputs', 'names', 'ids'] as const;
export type LookUpPlace = (typeof PLACES)[number];

/** What a server found itself, and where it searched. */
export interface LookedUp {
  /** The newest of each place; the caller checks whether they match. */
  readonly heads: readonly Trace[];
  readonly places: readonly LookUpPlace[];
}

/** For a place that cannot search. */
export const NOTHING_LOOKED_UP: LookedUp = { heads: [], places: [] };

/** One question to a server: a filter in its API's form. */
interface Question {
  readonly place: LookUpPlace;
  readonly filter: string;
  /** Whether a server that understood the filter could have returned this trace. */
  isAnswer(head: Trace): boolean;
}

/** Traces taken from one answer. */
export const MAX_LOOKED_UP = 100;

/** Asks questions one after another. If a server refuses or ignores a filter, it has not searched there. */
export async function lookUpBy(
  questions: readonly Question[],
  ask: (filter: string) => AsyncIterable<Trace>,
): Promise<LookedUp> {
  const heads: Trace[] = [];
  const places = new Set<LookUpPlace>();
  for (const { place, filter, isAnswer } of questions) {
    const answer = await answered(ask(filter));
    if (answer === undefined || !answer.every(isAnswer)) continue;
    heads.push(...answer);
    places.add(place);
  }
  return { heads, places: [...places] };
}

/** Undefined when the server refuses the question. */
async function answered(heads: AsyncIterable<Trace>): Promise<Trace[] | undefined> {
  const found: Trace[] = [];
  try {
    for await (const head of heads) {
      found.push(head);
      if (found.length === MAX_LOOKED_UP) break;
    }
    return found;
  } catch (error) {
    if (error instanceof AgentReplayError && error.code === 'PLATFORM_UNEXPECTED_ANSWER') return undefined;
    throw error;
  }
}

/**
 * Whole words in inputs and outputs, in any case (`matches` is the only operator that uses the server's index, and the only
 * one allowed alone). The server stores text, so the caller checks the results.
 */
export function contentQuestions(word: string): Question[] {
  if (!/[\p{L}\p{N}]/u.test(word)) return [];
  return ['input', 'output'].map((column) => ({
    place: 'inputs and outputs',
    filter: filterOf({ type: 'string', column, operator: 'matches', value: word }),
    isAnswer: () => true,
  }));
}

/** Names, and ids of sessions and traces, that contain the word in the given case. */
export function nameQuestions(word: string, columns: { readonly name: string; readonly traceId: string }): Question[] {
  const contains = { operator: 'contains', value: word };
  const says = (text: string | undefined): boolean => text?.includes(word) === true;
  return [
    {
      place: 'names',
      filter: filterOf({ type: 'string', column: columns.name, ...contains }),
      isAnswer: ({ name }) => says(name),
    },
    {
      place: 'ids',
      filter: filterOf({ type: 'string', column: 'sessionId', ...contains }),
      isAnswer: ({ sessionId }) => says(sessionId),
    },
    {
      place: 'ids',
      filter: filterOf({ type: 'stringObject', column: 'metadata', key: SESSION, ...contains }),
      isAnswer: ({ metadata }) => says(isJsonObject(metadata) ? asText(metadata[SESSION]) : undefined),
    },
    {
      place: 'ids',
      filter: filterOf({ type: 'string', column: columns.traceId, ...contains }),
      isAnswer: ({ id }) => says(id),
    },
  ];
}

const SESSION = 'session_id';

function filterOf(condition: Readonly<Record<string, Json>>): string {
  return JSON.stringify([condition]);
}

/** What several APIs have found. */
export function together(all: readonly LookedUp[]): LookedUp {
  const looked = new Set(all.flatMap(({ places }) => places));
  return { heads: all.flatMap(({ heads }) => heads), places: PLACES.filter((place) => looked.has(place)) };
}
