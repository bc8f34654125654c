import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TurnRequest } from '../../src/contract/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import { recordingOf, requestOf } from './recordings.ts';
import { type Edit, edited, handedOver, type Turn, turnNamed } from './turns.ts';

/**
 * What a careful reviewer wants the comparison to report for a pair.
 * - `changed`: it must be red.
 * - `same`: it must be green, and nothing is left open.
 * - `other-words`: the same meaning in other words: green, judged or not; red is a false alarm.
 * - `meaning-changed`: the meaning of prose changed and no form did: never as recorded; better red than not judged.
 */
export type Label = 'changed' | 'same' | 'other-words' | 'meaning-changed';

/** A recorded turn and its replays, labelled before anything was compared. README.md tells the format. */
export interface Pair {
  readonly id: string;
  /** The file it stands in. */
  readonly group: string;
  readonly label: Label;
  /** The reason of the label. */
  readonly why: string;
  readonly request: TurnRequest;
  readonly recorded: Recording;
  readonly replays: readonly Recording[];
  readonly rules: object;
  readonly failOn: object | undefined;
  readonly expect: Expected;
  /** Neither side's answer is longer than twelve words. */
  readonly isShort: boolean;
}

/** The expected first divergence, if the label says more than red. A list holds alternatives that are all right. */
export interface Expected {
  readonly verdict?: string;
  readonly kind?: string | readonly string[];
  readonly cause?: string | readonly string[];
  readonly tool?: string | readonly string[];
  readonly pointer?: string;
}

interface Line {
  readonly id: string;
  readonly label: Label;
  readonly why: string;
  readonly base?: string;
  readonly wrapAgent?: string;
  readonly ask?: string;
  readonly was?: string;
  readonly now?: string;
  readonly recorded?: Edit | readonly Edit[];
  readonly replay?: Edit | readonly Edit[];
  readonly replays?: readonly (Edit | readonly Edit[])[];
  readonly rules?: object;
  readonly failOn?: object;
  readonly expect?: Expected;
}

/**
 * `development`: what one develops with; `held-out`: only measured. `others-*`: other domains and languages, labelled
 * before anything was compared, in the same two ways.
 */
export type PairSet = 'development' | 'held-out' | 'others-seen' | 'others-kept';

export function readPairs(which: PairSet): Pair[] {
  const folder = path.join(import.meta.dirname, which);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .toSorted()
    .flatMap((file) => {
      const lines = readFileSync(path.join(folder, file), 'utf8').trimEnd().split('\n');
      return lines.map((line) => pairOf(JSON.parse(line) as Line, path.basename(file, '.jsonl')));
    });
}

function pairOf(line: Line, group: string): Pair {
  const { id, label, why, rules = {}, failOn, expect = {} } = line;
  const [recorded, replays] = sidesOf(line);
  const answers = [recorded, ...replays].map(({ answer }) => answer);
  return {
    id,
    group,
    label,
    why,
    request: requestOf(recorded),
    recorded: recordingOf(recorded, 0),
    replays: replays.map((turn, index) => recordingOf(turn, index + 1)),
    rules,
    failOn,
    expect,
    isShort: answers.every((answer) => typeof answer === 'string' && isShort(answer)),
  };
}

function sidesOf(line: Line): [recorded: Turn, replays: Turn[]] {
  try {
    if (line.base === undefined) {
      const turn: Turn = { ask: need(line.ask), acts: [], answer: need(line.was) };
      return [turn, [{ ...turn, answer: need(line.now) }]];
    }
    const named = turnNamed(line.base);
    const base = line.wrapAgent === undefined ? named : handedOver(named, line.wrapAgent);
    const replays = line.replays ?? [need(line.replay)];
    return [edited(base, listOf(line.recorded ?? [])), replays.map((edits) => edited(base, listOf(edits)))];
  } catch (error) {
    throw new Error(`${line.id}: ${(error as Error).message}`, { cause: error });
  }
}

function listOf(edits: Edit | readonly Edit[]): readonly Edit[] {
  return Array.isArray(edits) ? edits : [edits as Edit];
}

function need<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('base and replay, or ask, was and now are needed');
  return value;
}

/** Words are counted as blanks separate them; in scripts without blanks, every two characters are one. */
function isShort(answer: string): boolean {
  const words = answer.split(/\s+/).filter((word) => word !== '');
  const unspaced = answer.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0;
  return words.length + Math.ceil(unspaced / 2) <= 12;
}
