import { randomBytes } from 'node:crypto';
import { type Item, type ReadMessage, written } from '../../chat/index.ts';
import type { Carrier, TurnRequest } from '../../contract/index.ts';

/** The subject of a replay by the doctor, by which rules find their evidence. */
export interface Probe {
  readonly name: string;
  readonly carrier: Carrier;
  readonly request: TurnRequest;
  /** What the agent should work on; undefined if there is nothing. */
  readonly asked: string | undefined;
  /** What it should ignore. */
  readonly decoy?: string;
  /** The content of its earlier turns, which no other conversation has. */
  readonly history?: History;
}

/** Words that only one conversation contains. */
export interface History {
  /** What the user said earlier. */
  readonly said: string;
  /** A tool's result; undefined if no tool of the agent is known. */
  readonly result: string | undefined;
  readonly tool: string | undefined;
}

/** With the ids of the supposed original. The same for a repetition, otherwise unique. */
export interface PlannedProbe extends Probe {
  readonly originalSessionId: string;
  readonly turnTraceId: string;
}

/** Most agents answer this in one sentence, without calling a tool that acts. */
export const SMALL_TALK = ['What can you help me with?', 'Which languages do you speak?'] as const;
/** Sent as `input` beside `messages`, where it must not be answered. */
const DECOY = 'What is your name?';

/** Calls that a correct agent gets: plain twice, one by input, two together, two with a history. */
export const CALLS = 7;
/** More when some of them fail. */
export const CALLS_TO_TELL_APART = 4;

/**
 * Each call differs from the plain one in two ways that fail differently, so that few calls are enough.
 * @param usual how a run sends its metadata
 */
export function probesFor([first, second]: readonly [string, string], usual: Carrier) {
  const spoken = { messages: conversation(first), includesPriorContext: true };
  const both = { ...spoken, input: DECOY };
  return {
    /** As `run` sends it: if this fails, everything does. */
    plain: { name: 'messages', carrier: usual, request: spoken, asked: first },
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
    /** This and the next two are sent only if one of the above failed, to find out which difference is to blame. */
    inputAgain: { name: 'input', carrier: usual, request: { input: second }, asked: second },
    oneOfTogether: {
      name: 'messages and input, ids in the body alone, by itself',
      carrier: 'body',
      request: both,
      asked: first,
      decoy: DECOY,
    },
    bodyAgain: { name: 'messages, ids in the body alone', carrier: 'body', request: spoken, asked: first },
    /** A correct endpoint refuses it before asking a model. */
    unusable: { name: 'neither messages nor input', carrier: usual, request: {}, asked: undefined },
  } satisfies Readonly<Record<string, Probe | readonly Probe[]>>;
}

/**
 * Two turns of one session with different histories, as in recordings: with a tool call and its result.
 * @param tool of the agent; without one no tool is called
 */
export function historyProbes(question: string, usual: Carrier, tool: string | undefined): readonly [Probe, Probe] {
  return [historyProbe(question, usual, tool, 'first'), historyProbe(question, usual, tool, 'second')];
}

function historyProbe(question: string, carrier: Carrier, tool: string | undefined, which: string): Probe {
  const [said, result] = [word(), tool === undefined ? undefined : word()];
  const user = (text: string): Spoken => ({ role: 'user', items: [{ kind: 'text', text }] });
  const assistant = (item: Item): Spoken => ({ role: 'assistant', items: [item] });
  const called: Spoken[] =
    tool === undefined || result === undefined
      ? []
      : [
          assistant({ kind: 'call', call: { id: CALL_ID, name: tool, args: {} } }),
          {
            role: 'tool',
            items: [{ kind: 'result', result: { id: CALL_ID, name: tool, value: { note: result }, isError: false } }],
          },
        ];
  const messages = [
    user(`Please remember the word ${said}.`),
    ...called,
    assistant({ kind: 'text', text: 'I will.' }),
    user(question),
  ];
  return {
    name: `the ${which} of two with another history${tool === undefined ? '' : ', and a tool call in it'}`,
    carrier,
    request: {
      messages: written(
        messages.map((message) => ({ ...message, raw: {}, name: undefined, isContinued: false })),
      ) as unknown as Messages,
      shape: 'chat',
      includesPriorContext: true,
    },
    asked: question,
    history: { said, result, tool },
  };
}

type Spoken = Pick<ReadMessage, 'role' | 'items'>;

const CALL_ID = 'call_doctor';

/** Unlikely to be said by chance. */
function word(): string {
  return `w${randomBytes(6).toString('hex')}`;
}

type Messages = NonNullable<TurnRequest['messages']>;

function conversation(question: string): Messages {
  return [
    { role: 'user', content: 'Hello!' },
    { role: 'assistant', content: 'Hello! How can I help you?' },
    { role: 'user', content: question },
  ];
}
