import { hash } from 'node:crypto';
import { isJsonObject, type Json, own } from '../../json/index.ts';
import { remembered } from '../values/remembered.ts';
import { aroundChanges, isLong } from './around.ts';
import { JUDGED_DIFFERENT, type JudgedTexts } from './judged.ts';
import { compareTexts, type TextComparison } from './other-words.ts';
import { isProse, mayHoldProse } from './prose.ts';
import { differsFreely } from './shared.ts';
import { Text } from './text.ts';

interface Said {
  readonly kind: string;
  readonly name?: string;
  readonly value?: Json | undefined;
}

/**
 * The texts of a turn's recordings. The keys of replays depend on them: if a replay says in other words what a recording
 * says, both have the same key.
 *
 * recorded { "to": "mia", "note": "Your order 7 is on its way to you." }
 * replayed { "to": "mia", "note": "We have sent your order 7 to you today." }
 * keyed { "to": "mia", "note": "\0forms: number 7" }, on both sides
 */
export class RecordedWords {
  /** For each recording: the values of its steps, by kind and name, in order. */
  readonly #recordings: readonly ReadonlyMap<string, readonly Json[]>[];
  readonly #keys = new Map<string, string>();

  readonly #judged: JudgedTexts | undefined;

  /**
   * @param recordings the original first
   * @param judged what is known about answers in other words
   */
  constructor(recordings: readonly (readonly Said[])[], judged?: JudgedTexts | undefined) {
    this.#judged = judged;
    this.#recordings = recordings.map((steps) => {
      const byPlace = [...Map.groupBy(steps, placeOf)];
      return new Map(byPlace.map(([place, of]) => [place, of.map(({ value = null }) => value)] as const));
    });
  }

  /**
   * The key of a step. Most replays say at a place what was said there before.
   * @param place of the step among those of its kind and name, with its digest
   */
  keyAt(place: string, make: () => string): string {
    return remembered(this.#keys, place, make);
  }

  /**
   * The value of an answer or call, with a key in place of each rewordable text.
   * @param nth among the steps of its kind and name
   * @param isWritten the step is a call that changes something outside
   */
  keyed(step: Said, nth: number, isWritten = false): Json {
    const { kind, name = '', value = null } = step;
    const recorded = this.#recordings.map((steps) => steps.get(placeOf(step))?.[nth]);
    if (kind === 'final' && typeof value === 'string') {
      return this.#keyOf(Text.of(value), textsIn(recorded));
    }
    return this.#keyedLeaves(value, recorded, { isForPeople: mayHoldProse(name), isWritten });
  }

  #keyedLeaves(value: Json, recorded: readonly (Json | undefined)[], leaves: Leaves): Json {
    const { isForPeople, isWritten } = leaves;
    if (typeof value === 'string') return isForPeople ? this.#keyedLeaf(value, recorded) : value;
    if (Array.isArray(value)) {
      return value.map((item, index) => {
        const items = recorded.map((each) => (Array.isArray(each) ? each[index] : undefined));
        return this.#keyedLeaves(item, items, leaves);
      });
    }
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value).map(([key, item]) => {
      const items = recorded.map((each) => (isJsonObject(each) ? own(each, key) : undefined));
      const isText = isForPeople && mayHoldProse(key, isWritten);
      return [key, this.#keyedLeaves(item, items, { ...leaves, isForPeople: isText })] as const;
    });
    return Object.fromEntries(entries);
  }

  #keyedLeaf(value: string, recorded: readonly (Json | undefined)[]): Json {
    const text = Text.of(value);
    return isProse(text) ? this.#keyOf(text, textsIn(recorded).filter(isProse)) : value;
  }

  /**
   * The key of the first recording that states the same, or of the original if only what the recordings do not share is
   * another; otherwise its own.
   */
  #keyOf(text: Text, recorded: readonly Text[]): string {
    const apart: TextComparison[] = [];
    for (const [index, each] of recorded.entries()) {
      const compared = compareTexts(each, text);
      const isOther = compared === 'reworded' && this.#judged?.(each.readable, text.readable) === 'different';
      const said = isOther ? JUDGED_DIFFERENT : compared;
      if (typeof said === 'string') return this.#keyOf(each, recorded.slice(0, index));
      apart.push(said);
    }
    const [original] = recorded;
    if (original === undefined) return isLong(text) ? `\0${hash('sha256', text.raw, 'base64url')}` : ownKey(text);
    if (differsFreely(text, recorded)) return this.#keyOf(original, []);
    const [, changed] = aroundChanges(original, text);
    return ownKey(changed, apart[0]);
  }
}

function textsIn(values: readonly (Json | undefined)[]): Text[] {
  return values.filter((each) => typeof each === 'string').map(Text.of);
}

/** How leaves of a value are read. */
interface Leaves {
  readonly isForPeople: boolean;
  readonly isWritten: boolean;
}

/** @param apart how it differs from the recording, if it does: another text with the same forms has the same key */
function ownKey(text: Text, apart?: TextComparison): string {
  const { forms, isShort, words } = text;
  const said = isShort
    ? ['words', ...words.map((word) => word.text)]
    : ['forms', ...[...forms.stated.keys()].sort(), ...[...forms.polarity].map(String).sort(), String(forms.isRefusal)];
  const how = typeof apart === 'object' ? [apart.because, ...apart.recorded.toSorted()] : [];
  return `\0${JSON.stringify([said, how, words.length === 0 ? text.readable : ''])}`;
}

function placeOf({ kind, name = '' }: Said): string {
  return `${kind} ${name}`;
}
