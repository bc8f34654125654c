import { cut } from '../text/index.ts';
import { type Distance, meanDistances, runsOf } from './channels.ts';
import { UNIT } from './distances.ts';
import { channelOf, type Feature, plainness, type Trait } from './features.ts';
import type { Channel } from './shift-result.ts';
import type { RunTable } from './table.ts';

const MAX_SENTENCES = 3;
/** Smaller differences of shares say little, and are shown only if there is nothing else. */
const TELLING = 0.5;

/**
 * What sets the replays of a turn apart from its recordings, in words.
 * @param speaks the most extreme channel
 * @param reference the name of what replays are compared with
 * @returns most telling first, at most {@link MAX_SENTENCES}
 */
export function separation(table: RunTable, speaks: Channel, reference: Reference = 'recording'): string[] {
  const parted = partedFeatures(table);
  const ofChannel = parted.filter(({ feature }) => relatedTo(speaks, feature.trait));
  const isDistance = speaks === 'calls' || speaks === 'answer';
  const lead = isDistance ? ofChannel.find(isTelling) : ofChannel[0];
  const others = parted.filter((each) => each !== lead && isTelling(each));
  const told = distinct([...(lead === undefined ? [] : [lead]), ...others]).slice(0, MAX_SENTENCES);
  const gap = isDistance && lead === undefined ? [gapSentence(table, speaks, reference)] : [];
  return [...gap, ...told.map((each) => sentence(each, reference))].slice(0, MAX_SENTENCES);
}

export type Reference = 'recording' | 'base run';

/** A feature, and how many runs of each side have it. */
interface Parted {
  readonly feature: Feature;
  readonly recordings: readonly [having: number, of: number];
  readonly replays: readonly [having: number, of: number];
  /** Share among the replays minus share among the recordings. */
  readonly difference: number;
}

/** The feature that divides the groups best comes first, and among equals the plainest. */
function partedFeatures({ runs, features }: RunTable): Parted[] {
  const [recordings, replays] = [runsOf(runs, 'recording').length, runsOf(runs, 'replay').length];
  const parted = features.map((feature): Parted => {
    const replayed = feature.runs.filter((run) => runs[run]?.side === 'replay').length;
    const recorded = feature.runs.length - replayed;
    const difference = replayed / Math.max(1, replays) - recorded / Math.max(1, recordings);
    return { feature, recordings: [recorded, recordings], replays: [replayed, replays], difference };
  });
  const size = ({ difference }: Parted) => Math.round(Math.abs(difference) * UNIT);
  return parted.sort((a, b) => size(b) - size(a) || plainness(a.feature.trait) - plainness(b.feature.trait));
}

function isTelling({ difference }: Parted): boolean {
  return Math.abs(difference) >= TELLING;
}

/** Distant calls are explained by their differences. */
function relatedTo(speaks: Channel, trait: Trait): boolean {
  const channel = channelOf(trait);
  if (speaks === 'calls') return channel !== 'words';
  return channel === (speaks === 'answer' ? 'words' : speaks);
}

/** Without those that only repeat what was said about the same runs. */
function distinct(parted: readonly Parted[]): Parted[] {
  const alike = Map.groupBy(parted, ({ feature }) => feature.runs.join());
  return [...alike.values()].flatMap(([first]) => first ?? []);
}

function gapSentence(table: RunTable, channel: Distance, reference: Reference): string {
  const { between, within } = meanDistances(table, channel);
  const what = channel === 'calls' ? 'calls' : 'answers';
  if (within === 0) return `no two runs of the same side differ in their ${what}, but ${reference}s and replays do`;
  const percent = Math.round((between / within - 1) * 100);
  return `in its ${what} a replay is ${percent} % further from a ${reference} than two runs of one side are from each other`;
}

function sentence({ feature: { trait }, recordings, replays }: Parted, reference: Reference): string {
  if (trait.kind === 'tool') {
    const times = trait.times === 1 ? '' : ` ${trait.times} times or more`;
    const [first, verb] = subject(replays, 'replay');
    const [second, , does] = subject(recordings, reference);
    return `${first} ${verb} ${short(trait.tool)}${times}, and ${second} ${does}`;
  }
  return `${statement(trait)} in ${place(replays, 'replay')} and in ${place(recordings, reference)}`;
}

function subject([having, of]: readonly [number, number], noun: string): [text: string, calls: string, does: string] {
  if (having === 0) return [`no ${noun}`, 'calls', 'does'];
  if (of === 1) return [`the ${noun}`, 'calls', 'does'];
  if (having === of) return [`all ${of} ${noun}s`, 'call', 'do'];
  return [`${having} of ${of} ${noun}s`, having === 1 ? 'calls' : 'call', having === 1 ? 'does' : 'do'];
}

function place([having, of]: readonly [number, number], noun: string): string {
  if (having === 0) return `no ${noun}`;
  return of === 1 ? `the ${noun}` : `${having} of ${of} ${noun}s`;
}

function statement(trait: Exclude<Trait, { kind: 'tool' }>): string {
  switch (trait.kind) {
    case 'failure':
      return `'${short(trait.what)}' appears`;
    case 'argument': {
      const times = trait.times === 1 ? '' : trait.times === 2 ? ' twice' : ` ${trait.times} times`;
      const place = short(`${trait.tool}${trait.pointer.replaceAll('/', '.')}`);
      const verb = isLiteral(trait.text) ? (trait.pointer === '' ? 'is given' : 'is') : 'contains';
      return `${place} ${verb} ${quoted(trait.text)}${times}`;
    }
    case 'given':
      return `a tool is given ${quoted(trait.text)}`;
    case 'value':
      return `${trait.pointer === '' ? 'the answer' : `${short(trait.pointer)} of the answer`} is ${short(trait.value)}`;
    case 'word':
      return `'${short(trait.word)}' appears${inField(trait.pointer)}`;
    case 'pair': {
      const whole = trait.pointer === '' ? 'the answer' : `${short(trait.pointer)} of the answer`;
      if (trait.first === '' && trait.second === '') return `${whole} is empty`;
      if (trait.first === '') return `${whole} begins with '${short(trait.second)}'`;
      if (trait.second === '') return `${whole} ends with '${short(trait.first)}'`;
      return `'${short(`${trait.first} ${trait.second}`)}' appears${inField(trait.pointer)}`;
    }
  }
}

function inField(pointer: string): string {
  return pointer === '' ? '' : ` at ${short(pointer)} of the answer`;
}

/** Literals are already quoted; words of a text are not. */
function quoted(text: string): string {
  return isLiteral(text) ? short(text) : `'${short(text)}'`;
}

function isLiteral(text: string): boolean {
  return /^(?:["{[]|-?\d|true$|false$|null$)/.test(text);
}

const MAX_CHARS = 60;

function short(text: string): string {
  return cut(text, MAX_CHARS);
}
