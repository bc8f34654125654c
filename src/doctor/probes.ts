import type { Carrier, TurnRequest } from '../contract/index.ts';

/** What a replay of the doctor's is about: rules find their evidence by this. */
export interface Probe {
  /** How the user is told of it. */
  readonly name: string;
  readonly carrier: Carrier;
  readonly request: TurnRequest;
  /** What the agent should work on; undefined when there is nothing that it could. */
  readonly asked: string | undefined;
  /** What it should leave alone. */
  readonly decoy?: string | undefined;
}

/** With the ids of what it pretends to be a replay of. Equal for a repetition, and otherwise its own. */
export interface PlannedProbe extends Probe {
  readonly originalSessionId: string;
  readonly turnTraceId: string;
}

/** Answered in one sentence by most agents, and no reason to call a tool that acts. */
export const SMALL_TALK = ['What can you help me with?', 'Which languages do you speak?'] as const;
/** Stands beside `messages` as `input`, where it must not be answered. */
const DECOY = 'What is your name?';

export interface Probes {
  /** As `run` sends it: what fails here fails everywhere. */
  readonly plain: Probe;
  readonly byInput: Probe;
  /** Sent at the same time. */
  readonly together: readonly [Probe, Probe];
  /** Sent only when one of the above failed, to tell which of its differences it is. */
  readonly inputAgain: Probe;
  readonly oneOfTogether: Probe;
  readonly bodyAgain: Probe;
  /** Nothing to work on: a correct endpoint refuses it before a model is asked. */
  readonly unusable: Probe;
}

/** Calls that a correct agent gets: plain twice, one by input, two together. */
export const CALLS = 5;
/** More when some of them fail. */
export const CALLS_TO_TELL_APART = 3;

/**
 * Each call differs from the plain one in two things that fail in different ways, so that few calls do.
 * @param usual how a run sends its metadata
 */
export function probesFor([first, second]: readonly [string, string], usual: Carrier): Probes {
  const both = { messages: conversation(first), input: DECOY, includesPriorContext: true };
  return {
    plain: {
      name: 'messages',
      carrier: usual,
      request: { messages: conversation(first), includesPriorContext: true },
      asked: first,
    },
    byInput: { name: 'input, ids in headers alone', carrier: 'headers', request: { input: second }, asked: second },
    together: [
      { name: 'messages and input, ids in the body alone', carrier: 'body', request: both, asked: first, decoy: DECOY },
      {
        name: 'the same with another question, at the same time',
        carrier: 'body',
        request: { ...both, messages: conversation(second) },
        asked: second,
        decoy: DECOY,
      },
    ],
    inputAgain: { name: 'input', carrier: usual, request: { input: second }, asked: second },
    oneOfTogether: {
      name: 'messages and input, ids in the body alone, by itself',
      carrier: 'body',
      request: both,
      asked: first,
      decoy: DECOY,
    },
    bodyAgain: {
      name: 'messages, ids in the body alone',
      carrier: 'body',
      request: { messages: conversation(first), includesPriorContext: true },
      asked: first,
    },
    unusable: { name: 'neither messages nor input', carrier: usual, request: {}, asked: undefined },
  };
}

/** A question with an earlier turn before it. */
function conversation(question: string): NonNullable<TurnRequest['messages']> {
  return [
    { role: 'user', content: 'Hello!' },
    { role: 'assistant', content: 'Hello! How can I help you?' },
    { role: 'user', content: question },
  ];
}
