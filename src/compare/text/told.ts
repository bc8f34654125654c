import type { TextDifference } from '../shapes/result.ts';
import { commonPrefix } from '../values/common-prefix.ts';
import { type Polarity, polarityOf } from './lexicon.ts';
import { pad } from './quantities.ts';

/** Index of the first difference in each text; undefined if not found. */
export function placesOf(
  { because, recorded, replayed }: TextDifference,
  a: string,
  b: string,
): [number | undefined, number | undefined] {
  if (because === 'polarity') return [wordOf(recorded[0], a, b), wordOf(replayed[0], b, a)];
  return [foundIn(a, recorded[0]), foundIn(b, replayed[0])];
}

function foundIn(text: string, form: string | undefined): number | undefined {
  if (form === undefined || form === '') return undefined;
  const [, number] = /^(-?\d+(?:\.\d+)?)(?: \S+)?$/.exec(form) ?? [];
  if (number !== undefined) {
    for (const { 0: written, index } of text.matchAll(WRITTEN_NUMBER)) {
      if (readings(written).includes(Math.abs(Number(number)))) return index;
    }
  }
  if (/^\d\d:\d\d$/.test(form)) {
    for (const { 0: written, index } of text.matchAll(WRITTEN_TIME))
      if (written.split(/\D+/).map(pad).join(':') === form) return index;
  }
  const at = text.toLowerCase().indexOf(form.toLowerCase());
  return at === -1 ? undefined : at;
}

/** `22:30`, `22.30`, `22 h 30` */
const WRITTEN_TIME = /(?<!\d)\d{1,2}[^\d\n]{1,3}\d\d(?!\d)/g;

const WRITTEN_NUMBER = /\d(?:[\d.,'’]*\d)?/g;

/** `1,200.50` and `1.200,50`. */
function readings(written: string): number[] {
  const plain = written.replace(/['’]/g, '');
  return [plain.replaceAll(',', ''), plain.replaceAll('.', '').replace(',', '.')].map(Number);
}

/** Index of a text's word of this polarity that the other text may lack: where the texts part, or after that. */
function wordOf(polarity: string | undefined, text: string, other: string): number | undefined {
  const parted = commonPrefix(text, other);
  const words = [...text.matchAll(/[\p{L}'’]{1,100}/gu)].filter(
    ({ 0: word }) => polarityOf(word.toLowerCase()) === (polarity as Polarity | undefined),
  );
  const behind = words.find(({ 0: word, index }) => index + word.length > parted);
  return polarity === undefined ? undefined : (behind ?? words.at(-1))?.index;
}
