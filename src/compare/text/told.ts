import type { TextDifference } from '../result.ts';
import { type Polarity, polarityOf } from './lexicon.ts';

/**
 * How two texts differ, in words: `the amount: 120.50 EUR, was 80 EUR`. Values are spelled as in the texts if they are
 * found there. Undefined if only the whole texts show it.
 */
export function inWords({ because, recorded, replayed }: TextDifference, a: string, b: string): string | undefined {
  const [was, is] = [recorded.map((each) => writtenIn(a, each)), replayed.map((each) => writtenIn(b, each))];
  switch (because) {
    case 'form':
      return exchanged(was, is, nameOf);
    case 'name':
      return exchanged(was, is, () => 'name');
    case 'word':
      return exchanged(was, is, () => 'word');
    case 'polarity':
      return [...is.map((word) => `one more "${word}"`), ...was.map((word) => `one "${word}" less`)].join(', ');
    case 'exchange':
      return `"${was[0]}" and "${was[1]}" have swapped places`;
    case 'refusal':
      return 'a refusal on one side only';
    case 'cut-off':
      return 'it stops mid-sentence';
    case 'topic':
      return 'almost no words in common';
    case 'judge':
      return 'compare.judge says that it means something else';
    case 'empty':
      return undefined;
  }
}

/** Index of the first difference in each text; undefined if not found. */
export function placesOf(
  { because, recorded, replayed }: TextDifference,
  a: string,
  b: string,
): [number | undefined, number | undefined] {
  if (because === 'polarity') return [wordOf(recorded[0], a, b), wordOf(replayed[0], b, a)];
  return [foundIn(a, recorded[0])?.at, foundIn(b, replayed[0])?.at];
}

/** Further items of a list are counted. */
const MAX_LISTED = 3;

function exchanged(was: readonly string[], is: readonly string[], nameOf: (form: string) => string): string {
  const [old, now] = [was[0], is[0]];
  if (old !== undefined && now !== undefined && was.length + is.length === 2) {
    const [name, other] = [nameOf(now), nameOf(old)];
    return name === other ? `the ${name}: ${now}, was ${old}` : `the ${name} ${now} instead of the ${other} ${old}`;
  }
  if (old === undefined) return `${listed(is, nameOf)} ${is.length === 1 ? 'is' : 'are'} new`;
  if (now === undefined) return `${listed(was, nameOf)} ${was.length === 1 ? 'is' : 'are'} gone`;
  return `${listed(is, nameOf)} instead of ${listed(was, nameOf)}`;
}

function listed(forms: readonly string[], nameOf: (form: string) => string): string {
  const shown = forms.slice(0, MAX_LISTED).map((form) => `the ${nameOf(form)} ${form}`);
  const left = forms.length - shown.length;
  return [...shown, ...(left > 0 ? [`${left} more`] : [])].join(', ');
}

/** The kind of a form, by its spelling. */
function nameOf(form: string): string {
  if (/^(?:https?:|www\.)/.test(form)) return 'address';
  if (/^\d{4}-\d\d/.test(form) || /^--?\d\d-\d\d/.test(form)) return 'date';
  if (/^\d{1,2}:\d\d/.test(form)) return 'time';
  if (/^-?[\d.,' ]*\d %$/.test(form)) return 'percentage';
  if (/^-?[\d.,' ]*\d (?:[A-Z]{3}|\p{Sc})$/u.test(form)) return 'amount';
  if (/^-?[\d.,' ]*\d(?: \S+)?$/.test(form)) return 'number';
  const isId = !/\s/.test(form) && /\d/.test(form) && /\p{L}/u.test(form);
  return isId ? 'id' : 'quotation';
}

interface Found {
  readonly at: number;
  readonly text: string;
}

/** A form as the text spells it, with its unit; unchanged if the text spells it differently. */
function writtenIn(text: string, form: string): string {
  return foundIn(text, form)?.text ?? form;
}

function foundIn(text: string, form: string | undefined): Found | undefined {
  if (form === undefined || form === '') return undefined;
  const [, number, unit = ''] = /^(-?\d+(?:\.\d+)?)( \S+)?$/.exec(form) ?? [];
  if (number !== undefined) {
    for (const { 0: written, index } of text.matchAll(WRITTEN_NUMBER)) {
      if (readings(written).includes(Math.abs(Number(number)))) return { at: index, text: `${written}${unit}` };
    }
  }
  const at = text.toLowerCase().indexOf(form.toLowerCase());
  return at === -1 ? undefined : { at, text: text.slice(at, at + form.length) };
}

const WRITTEN_NUMBER = /\d(?:[\d.,'’]*\d)?/g;

/** `1,200.50` and `1.200,50`. */
function readings(written: string): number[] {
  const plain = written.replace(/['’]/g, '');
  return [plain.replaceAll(',', ''), plain.replaceAll('.', '').replace(',', '.')].map(Number);
}

/** Index of a text's word of this polarity that the other text may lack: where the texts part, or after that. */
function wordOf(polarity: string | undefined, text: string, other: string): number | undefined {
  let parted = 0;
  while (parted < text.length && text[parted] === other[parted]) parted++;
  const words = [...text.matchAll(/[\p{L}'’]{1,100}/gu)].filter(
    ({ 0: word }) => polarityOf(word.toLowerCase()) === (polarity as Polarity | undefined),
  );
  const behind = words.find(({ 0: word, index }) => index + word.length > parted);
  return polarity === undefined ? undefined : (behind ?? words.at(-1))?.index;
}
