import { byCodeUnit } from '../json/index.ts';
import { type Answer, leavesIn, type ShiftRun } from './run.ts';
import { pairsOf } from './word-pairs.ts';

/**
 * Something that a run has or lacks. `tool`: it calls a tool, at least this many times. `failure`: a tool failed, or the
 * run did not end normally. `argument`: a tool gets this value. `given`: some tool gets it, anywhere. `value`: a structured
 * answer contains it. `word`, `pair`: part of an answer, or of prose inside one; the edge of a text is "".
 */
export interface Trait {
  readonly kind: keyof typeof CHANNEL_OF;
  readonly tool: string;
  /** Of an argument, or inside a structured answer. */
  readonly pointer: string;
  readonly text: string;
  /** Of a tool how often; of an argument too, from twice on; of a pair the second word. */
  readonly more: string | undefined;
}

/** Traits of one channel that exactly the same runs have. They count as one feature, shown by the plainest. */
export interface Feature {
  readonly trait: Trait;
  readonly kinds: readonly Trait['kind'][];
  /** Ascending, as indexes. */
  readonly runs: readonly number[];
}

/** The channel that each kind is looked at in, in the order in which they are shown: plainest first. */
const CHANNEL_OF = {
  tool: 'tools',
  failure: 'tools',
  argument: 'arguments',
  given: 'arguments',
  value: 'words',
  word: 'words',
  pair: 'words',
} as const;
const KINDS = Object.keys(CHANNEL_OF) as Trait['kind'][];
/** Further features of a channel are not examined: those of almost all or almost no runs distinguish the groups least. */
const MAX_FEATURES = 5_000;

/** Everything that some runs have and others lack, in each channel the most even division first. */
export function featuresOf(runs: readonly ShiftRun[]): Feature[] {
  const having = new Map<string, number[]>();
  for (const [index, run] of runs.entries()) {
    for (const key of keysOf(run)) {
      const known = having.get(key);
      if (known === undefined) having.set(key, [index]);
      else if (known.at(-1) !== index) known.push(index);
    }
  }
  const varying = [...having].filter(([, own]) => own.length < runs.length);
  const alike = Map.groupBy(varying, ([key, own]) => `${channelOf({ kind: kindOf(key) })} ${own.join()}`);
  const balance = (own: readonly number[]) => Math.min(own.length, runs.length - own.length);
  const features = [...alike.values()]
    .map((group) => {
      const kinds = new Set(group.map(([key]) => kindOf(key)));
      const plainest = group.reduce((least, [key]) => (byCodeUnit(key, least) < 0 ? key : least), group[0]![0]);
      return { key: plainest, kinds: KINDS.filter((kind) => kinds.has(kind)), runs: group[0]![1] };
    })
    .sort((a, b) => balance(b.runs) - balance(a.runs) || byCodeUnit(a.key, b.key))
    .map(({ key, ...of }) => ({ trait: traitOf(key), ...of }));
  return [...Map.groupBy(features, ({ trait }) => channelOf(trait)).values()].flatMap((all) =>
    all.slice(0, MAX_FEATURES),
  );
}

export function channelOf({ kind }: Pick<Trait, 'kind'>) {
  return CHANNEL_OF[kind];
}

/** Lower is shown first. */
export function plainness({ kind }: Trait): number {
  return KINDS.indexOf(kind);
}

/** A run's traits as texts: the number of the kind and the other fields, so that the plainest sorts first. */
function* keysOf({ calls, answers, failures }: ShiftRun): Generator<string> {
  const times = new Map<string, number>();
  for (const { tool, tokens } of calls) {
    const count = (times.get(tool) ?? 0) + 1;
    times.set(tool, count);
    yield `0\0${tool}\0\0\0${count}`;
    for (const token of tokens) {
      yield `2\0${tool}\0${token}`;
      yield `3\0\0\0${token.split('\0')[1]}`;
    }
  }
  for (const what of failures) yield `1\0\0\0${what}`;
  for (const answer of answers) yield* keysOfAnswer(answer);
}

function* keysOfAnswer(answer: Answer): Generator<string> {
  for (const { pointer, value, words } of leavesIn(answer)) {
    const place = pointer.replace(/\/\d+(?=\/|$)/g, '/*');
    if (words === undefined) yield `4\0\0${place}\0${value}`;
    for (const word of words ?? []) yield `5\0\0${place}\0${word}`;
    for (const [first, second] of words ? pairsOf(words) : []) yield `6\0\0${place}\0${first}\0${second}`;
  }
}

function kindOf(key: string): Trait['kind'] {
  return KINDS[Number(key[0])] as Trait['kind'];
}

function traitOf(key: string): Trait {
  const [, tool = '', pointer = '', text = '', more] = key.split('\0');
  return { kind: kindOf(key), tool, pointer, text, more };
}
