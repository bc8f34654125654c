import type { SentMessage } from '../../src/contract/index.ts';
import { type Json, parseJson } from '../../src/json/index.ts';
import type { Observation, Trace } from '../../src/trace/index.ts';
import type { ChatMessage, ChatToolCall, Trial } from './trials.ts';

export const AGENT_ID = 'tau-airline';
const MODEL = 'gpt-4o';

/** When the recordings are said to have been made; the data do not tell. */
const RECORDED_AT = Date.UTC(2024, 4, 15, 20, 0, 0);

export function sessionIdOf(task: number): string {
  return `${AGENT_ID}-${task}`;
}

/** What starts a turn: all messages before the first answer. The user's later messages are part of the recording. */
export function requestOf({ messages }: Trial): ChatMessage[] {
  return messages.slice(0, startOf(messages));
}

/** The agent's last words. */
export function outputOf({ messages }: Trial): string {
  return messages.findLast(({ role, content }) => role === 'assistant' && content)?.content ?? '';
}

export interface TrajectoryOptions {
  /** Messages that the turn starts with instead of the trial's own: the user is simulated and never says the same. */
  readonly request?: readonly SentMessage[] | undefined;
  /** Start of the turn, in milliseconds since the epoch. */
  readonly startMs?: number | undefined;
}

/**
 * The trial as a tracing SDK would have recorded it: an agent as the root, under it a generation per answer with all
 * messages before it, and a tool observation per call. Each takes a millisecond and starts after the one before.
 */
export function observationsOf(trial: Trial, options: TrajectoryOptions = {}): Observation[] {
  const request = options.request ?? requestOf(trial);
  const start = startOf(trial.messages);
  const observations: Observation[] = [];
  const observe = (fields: Pick<Observation, 'type' | 'name' | 'input' | 'output' | 'callId' | 'model'>) => {
    const startMs = (options.startMs ?? RECORDED_AT) + 2 * observations.length + 2;
    observations.push({
      id: `${trial.task}.${trial.trial}.${observations.length + 1}`,
      parentId: rootId(trial),
      startTime: new Date(startMs).toISOString(),
      endTime: new Date(startMs + 1).toISOString(),
      ...fields,
    });
  };

  for (const [index, message] of trial.messages.entries()) {
    if (message.role !== 'assistant') continue;
    const messages = [...request, ...trial.messages.slice(start, index)];
    observe({ type: 'generation', name: 'answer', input: { messages }, output: message, model: MODEL });
    for (const [position, call] of callsIn(message).entries()) {
      const result = trial.messages[index + 1 + position]?.content ?? null;
      const { name, arguments: args } = call.function;
      observe({ type: 'tool', name, input: parseJson(args), output: asValue(result), callId: call.id });
    }
  }
  const startMs = options.startMs ?? RECORDED_AT;
  const root: Observation = {
    id: rootId(trial),
    parentId: null,
    type: 'agent',
    name: AGENT_ID,
    startTime: new Date(startMs).toISOString(),
    endTime: new Date(startMs + 2 * observations.length + 2).toISOString(),
    input: { messages: [...request] },
    output: outputOf(trial),
  };
  return [root, ...observations];
}

/** The trial as a trace of a normal turn. */
export function traceOf(trial: Trial): Trace {
  const sessionId = sessionIdOf(trial.task);
  const id = `${sessionId}.${trial.trial}`;
  return {
    id,
    timestamp: new Date(RECORDED_AT).toISOString(),
    sessionId,
    metadata: { agent_id: AGENT_ID, session_id: sessionId, run_id: id },
    output: outputOf(trial),
    observations: observationsOf(trial),
  };
}

function rootId({ task, trial }: Trial): string {
  return `${task}.${trial}.0`;
}

function startOf(messages: readonly ChatMessage[]): number {
  return messages.findIndex(({ role }) => role === 'assistant');
}

function callsIn(message: ChatMessage): ChatToolCall[] {
  return (message.tool_calls ?? []) as unknown as ChatToolCall[];
}

/** Tools answer with text; what holds an object or a list is recorded as such. */
function asValue(text: string | null): Json {
  return text !== null && /^[[{]/.test(text) ? parseJson(text) : text;
}
