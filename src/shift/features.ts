import { byCodeUnit } from '../json/index.ts';
import type { Answer, ShiftRun } from './run.ts';
import { pairsOf } from './word-pairs.ts';

/**
 * Something that a run has or lacks. `tool`: it calls a tool, at least this many times. `failure`: a tool failed, or the
 * run did not end normally. `argument`: a tool gets this value. `given`: some tool gets it, anywhere. `value`: a structured
 * answer contains it. `word`, `pair`: part of an answer, or of prose inside one; the edge of a text is "".
 */
export type Trait =
  | { readonly kind: 'tool'; readonly tool: string; readonly times: number }
  | { readonly kind: 'failure'; readonly what: string }
  | {
      readonly kind: 'argument';
      readonly tool: string;
      readonly pointer: string;
      readonly text: string;
      readonly times: number;
    }
  | { readonly kind: 'given'; readonly text: string }
  | { readonly kind: 'value'; readonly pointer: string; readonly value: string }
  | { readonly kind: 'word'; readonly pointer: string; readonly word: string }
  | { readonly kind: 'pair'; readonly pointer: string; readonly first: string; readonly second: string };

/** Traits of one channel that exactly the same runs have. They count as one feature, shown by the plainest. */
export interface Feature {
  readonly trait: Trait;
  /** The plainest trait of exactly these runs. */
  readonly kinds: readonly Trait['kind'][];
  /** Ascending, as indexes. */
  readonly runs: readonly number[];
}

/** The channel that each kind is looked at in, in the order in which they are shown: plainest first. */
const CHANNEL_OF = {
  ...{ tool: 'tools', failure: 'tools', argument: 'arguments', given: 'arguments' },
  ...{ value: 'words', word: 'words', pair: 'words' },
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
  const alike = new Map<string, { key: string; kinds: Set<Trait['kind']>; runs: readonly number[] }>();
  for (const [key, own] of having) {
    if (own.length === runs.length) continue;
    const column = `${channelOf({ kind: kindOf(key) })} ${own.join()}`;
    const known = alike.get(column);
    if (known === undefined) alike.set(column, { key, kinds: new Set([kindOf(key)]), runs: own });
    else {
      known.kinds.add(kindOf(key));
      if (byCodeUnit(key, known.key) < 0) known.key = key;
    }
  }
  const balance = ({ runs: own }: { runs: readonly number[] }) => Math.min(own.length, runs.length - own.length);
  const features = [...alike.values()]
    .sort((a, b) => balance(b) - balance(a) || byCodeUnit(a.key, b.key))
    .map(({ key, kinds, runs: own }) => ({
      trait: traitOf(key),
      kinds: KINDS.filter((kind) => kinds.has(kind)),
      runs: own,
    }));
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
    yield `0\0${tool}\0${count}`;
    for (const token of tokens) {
      yield `2\0${tool}\0${token}`;
      yield `3\0${token.split('\0')[1]}`;
    }
  }
  for (const what of failures) yield `1\0${what}`;
  for (const answer of answers) yield* keysOfAnswer(answer);
}

function* keysOfAnswer(answer: Answer): Generator<string> {
  if ('words' in answer) {
    yield* keysOfText(answer.words, '');
    return;
  }
  for (const { pointer, value, words } of answer.leaves) {
    const place = pointer.replace(/\/\d+(?=\/|$)/g, '/*');
    if (words === undefined) yield `4\0${place}\0${value}`;
    else yield* keysOfText(words, place);
  }
}

function* keysOfText(words: readonly string[], pointer: string): Generator<string> {
  for (const word of words) yield `5\0${pointer}\0${word}`;
  for (const [first, second] of pairsOf(words)) yield `6\0${pointer}\0${first}\0${second}`;
}

function kindOf(key: string): Trait['kind'] {
  return KINDS[Number(key[0])] as Trait['kind'];
}

function traitOf(key: string): Trait {
  const [, a = '', b = '', c = '', d] = key.split('\0');
  const kind = kindOf(key);
  switch (kind) {
    case 'tool':
      return { kind, tool: a, times: Number(b) };
    case 'failure':
      return { kind, what: a };
    case 'argument':
      return { kind, tool: a, pointer: b, text: c, times: Number(d ?? 1) };
    case 'given':
      return { kind, text: a };
    case 'value':
      return { kind, pointer: a, value: b };
    case 'word':
      return { kind, pointer: a, word: b };
    case 'pair':
      return { kind, pointer: a, first: b, second: c };
  }
}
