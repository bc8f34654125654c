import { distinct } from '../json/index.ts';
import { cut } from '../text/index.ts';
import { type Distance, meanDistances } from './channels.ts';
import { UNIT } from './distances.ts';
import { subject } from './events.ts';
import { channelOf, type Feature, plainness, type Trait } from './features.ts';
import type { Channel } from './shift-result.ts';
import type { RunTable } from './table.ts';

const MAX_SENTENCES = 3;
/** Smaller differences of shares say little, and are shown only if there is nothing else. */
const TELLING = 0.5;

/**
 * What sets the replays of a turn apart from its recordings, in words.
 * @param speaks the most extreme channel
 * @returns most telling first, at most {@link MAX_SENTENCES}
 */
export function separation(table: RunTable, speaks: Channel, reference: Reference = 'recording'): string[] {
  const parted = partedFeatures(table);
  const ofChannel = parted.filter(({ feature }) => relatedTo(speaks, feature.trait));
  const isDistance = speaks === 'calls' || speaks === 'answer';
  const lead = isDistance ? ofChannel.find(isTelling) : ofChannel[0];
  const others = parted.filter((each) => each !== lead && isTelling(each));
  // Further ones of the same runs would only repeat what the first says.
  const telling = distinct([...(lead === undefined ? [] : [lead]), ...others], ({ feature }) => feature.runs.join());
  const gap = isDistance && lead === undefined ? [gapSentence(table, speaks, reference)] : [];
  return [...gap, ...telling.slice(0, MAX_SENTENCES).map((each) => sentence(each, reference))].slice(0, MAX_SENTENCES);
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
function partedFeatures({ runs, recordings, replays, features }: RunTable): Parted[] {
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

function gapSentence(table: RunTable, channel: Distance, reference: Reference): string {
  const { between, within } = meanDistances(table, channel);
  const what = channel === 'calls' ? 'calls' : 'answers';
  if (within === 0) return `no two runs of the same side differ in their ${what}, but ${reference}s and replays do`;
  const percent = Math.round((between / within - 1) * 100);
  return `in its ${what} a replay is ${percent} % further from a ${reference} than two runs of one side are from each other`;
}

function sentence({ feature: { trait }, recordings, replays }: Parted, reference: Reference): string {
  if (trait.kind === 'tool') {
    const times = trait.more === '1' ? '' : ` ${trait.more} times or more`;
    const [first, verb] = subject(replays, 'replay');
    const [second, , does] = subject(recordings, reference);
    return `${first} ${verb} ${short(trait.tool)}${times}, and ${second} ${does}`;
  }
  return `${statement(trait)} in ${place(replays, 'replay')} and in ${place(recordings, reference)}`;
}

function place([having, of]: readonly [number, number], noun: string): string {
  if (having === 0) return `no ${noun}`;
  return of === 1 ? `the ${noun}` : `${having} of ${of} ${noun}s`;
}

function statement({ kind, tool, pointer, text, more = '' }: Trait): string {
  const answer = pointer === '' ? 'the answer' : `${short(pointer)} of the answer`;
  const appears = (words: string) => `'${short(words)}' appears${pointer === '' ? '' : ` at ${answer}`}`;
  switch (kind) {
    case 'argument': {
      const times = more === '' ? '' : more === '2' ? ' twice' : ` ${more} times`;
      const verb = isLiteral(text) ? (pointer === '' ? 'is given' : 'is') : 'contains';
      return `${short(`${tool}${pointer.replaceAll('/', '.')}`)} ${verb} ${quoted(text)}${times}`;
    }
    case 'given':
      return `a tool is given ${quoted(text)}`;
    case 'value':
      return `${answer} is ${short(text)}`;
    case 'pair':
      if (text === '' && more === '') return `${answer} is empty`;
      if (text === '') return `${answer} begins with '${short(more)}'`;
      if (more === '') return `${answer} ends with '${short(text)}'`;
      return appears(`${text} ${more}`);
    default:
      return appears(text);
  }
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
