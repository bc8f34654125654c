import type { Json, JsonObject } from '../../src/json/index.ts';
import type { Recording } from '../../src/trace/index.ts';

export interface Said {
  readonly messages: readonly JsonObject[];
  /** Text, or a message of the assistant; undefined if the recording does not show it. */
  readonly answer: Json | undefined;
}

const START = Date.UTC(2026, 0, 1);

/** A turn of an agent that asked its model once for each of these, one after the other. */
export function recordingOf(said: readonly Said[]): Recording {
  const at = (ms: number) => new Date(START + ms).toISOString();
  return {
    output: said.at(-1)?.answer ?? null,
    observations: said.map(({ messages, answer }, index) => ({
      id: `g${index}`,
      parentId: null,
      type: 'generation',
      name: 'model',
      startTime: at(index * 10),
      endTime: at(index * 10 + 5),
      model: 'm',
      input: { messages: [...messages] },
      ...(answer !== undefined && { output: answer }),
    })),
  };
}
