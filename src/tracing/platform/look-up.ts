import { AgentReplayError } from '../../errors.ts';
import { asText, isJsonObject, type Json } from '../../json/index.ts';
import type { Trace } from '../../trace/index.ts';

/** Where a server can look for a word by itself, in the order in which it is told. */
const PLACES = ['inputs and outputs', 'names', 'ids'] as const;
export type LookUpPlace = (typeof PLACES)[number];

/** What a server found by itself, and where it looked for it. */
export interface LookedUp {
  /** The newest of each place; the caller checks whether they match. */
  readonly heads: readonly Trace[];
  readonly places: readonly LookUpPlace[];
}

/** Of a place that cannot be asked. */
export const NOTHING_LOOKED_UP: LookedUp = { heads: [], places: [] };

/** One question to a server: a filter, as its API takes it. */
interface Question {
  readonly place: LookUpPlace;
  readonly filter: string;
  /** Whether a server that understood the filter can have answered with this trace. */
  isAnswer(head: Trace): boolean;
}

/** Traces that are taken of one answer. */
export const MAX_LOOKED_UP = 100;

/** Asks one question after another. A server that does not know a filter refuses or ignores it: it has not looked there. */
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
 * Inputs and outputs of whole words, in any case (`matches` is the only operator that goes by the server's index, and the
 * only one that is allowed alone). What the server keeps is a text: the caller checks what it found.
 */
export function contentQuestions(word: string): Question[] {
  if (!/[\p{L}\p{N}]/u.test(word)) return [];
  return ['input', 'output'].map((column) => ({
    place: 'inputs and outputs',
    filter: filterOf({ type: 'string', column, operator: 'matches', value: word }),
    isAnswer: () => true,
  }));
}

/** Names, and ids of sessions and traces, that contain the word, in the case in which it is given. */
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
