import { atPointer, canonical, type Json, pointerParts } from '../../json/index.ts';
import type { KeyedStep } from '../keys/keys.ts';
import { compareTexts } from '../text/other-words.ts';
import { Text } from '../text/text.ts';
import { sameValue } from '../values/canonical.ts';
import type { LeafDifference } from '../values/paths.ts';

/** Options that only shape how much comes back, in which order and language. */
const HOW_MUCH =
  /^\/(?:limit|size|top_?[kn]|(?:max|num)_?(?:hits|items|results)|page_?size|per_?page|sort(?:_?by)?|lang(?:uage)?|locale)$/i;

/** An option that says another value of its kind, or is new. What is no more asked, or asked by another kind, is told. */
export function isHowMuch({ pointer, change }: LeafDifference): boolean {
  return (change === 'value' || change === 'added') && HOW_MUCH.test(pointer);
}

/** Lists of which the name says that their order means something. */
const SEQUENCE = /arg|command|order|path|play|point|priorit|queue|rank|route|sequence|step|stop|track|leg|turn/i;

/**
 * An item of a list that has the same texts in another order. Nothing tells whether that means something, but of ids that were
 * generated. Beside a list as long, each text belongs to an item there, and must go on doing so.
 */
export function isOfSameItems({ pointer }: LeafDifference, a: KeyedStep, b: KeyedStep): boolean {
  const list = pointer.replace(/\/\d+$/, '');
  if (SEQUENCE.test(list)) return false;
  const [ours, theirs] = [a, b].map(({ value = null }) => atPointer(value, list));
  if (!Array.isArray(ours) || !Array.isArray(theirs)) return false;
  if (!ours.every((item) => typeof item === 'string' && !item.startsWith('<'))) return false;
  const [beside, besideTheirs] = [a, b].map(({ value = null }) => atPointer(value, list.replace(/\/[^/]*$/, '')));
  return Object.entries(Object(beside)).every(([key, other]) => {
    if (!Array.isArray(other) || other.length !== ours.length) return true;
    return sameValue(paired(ours, other), paired(theirs, Object(besideTheirs)[key]));
  });
}

function paired(list: Json[], other: unknown): Json {
  return list.map((item, index) => canonical([item, Object(other)[index] ?? null])).sort();
}

const HEADING = /^(?:subject|title|headline|heading)$/i;

/** A heading in other words, because so is the text under it, and both together state the same. */
export function isHeading(heading: LeafDifference, body: LeafDifference): boolean {
  if (!HEADING.test(pointerParts(heading.pointer).at(-1) ?? '')) return false;
  const [a, b] = [`${heading.recorded}\n\n${body.recorded}`, `${heading.replayed}\n\n${body.replayed}`];
  return heading.change === 'value' && compareTexts(Text.of(a), Text.of(b)) === 'reworded';
}
