import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { SentMessage } from '../../src/contract/index.ts';

const DATA = path.join(import.meta.dirname, 'data');

/** Trials of each task. Trial 0 is pinned, the others are what the agent did when it was asked again. */
export const TRIALS = 4;

/** One recorded run of the airline agent. */
export interface Trial {
  readonly task: number;
  readonly trial: number;
  /** 1 when the task was solved. */
  readonly reward: number;
  readonly messages: readonly ChatMessage[];
}

/** A message in the OpenAI chat format, as far as it is read here. */
export interface ChatMessage extends SentMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | null;
}

export interface ChatToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** All 200 recorded runs, by task and trial. */
export function readTrials(): Trial[] {
  const text = gunzipSync(readFileSync(path.join(DATA, 'airline-gpt-4o.jsonl.gz'))).toString('utf8');
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => {
    const { task_id, trial, reward, messages } = JSON.parse(line);
    return { task: task_id, trial, reward, messages };
  });
}

/** Where the calls of a trial first differ from those of trial 0. */
export interface ExpectedDifference {
  readonly index: number;
  readonly kind: 'name' | 'args' | 'b_ended' | 'b_extra';
  /** Of `args`: JSON pointers into the arguments. */
  readonly paths: readonly string[];
}

export interface ExpectedTask {
  readonly task_id: number;
  /** Number of calls of each trial. */
  readonly n_calls: readonly number[];
  /** Trials with the same calls, each cluster in ascending order. */
  readonly trajectory_clusters: readonly (readonly number[])[];
  /** By trial; null when the calls are the same. */
  readonly first_diff_vs_trial0: Readonly<Record<string, ExpectedDifference | null>>;
}

/** What is to be found in the recorded runs, counted by a program that is not ours. */
export function readExpected(): ExpectedTask[] {
  return JSON.parse(readFileSync(path.join(DATA, 'airline-gpt-4o.expected.json'), 'utf8')).tasks;
}
