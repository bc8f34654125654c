import { areNear, compareTexts } from './other-words.ts';
import type { Statement } from './statements.ts';
import { Text } from './text.ts';
import { quantityOf } from './tokens.ts';

/**
 * Whether a text says all that several recordings have in common, and differs from them only in what varies among them, in
 * any language: their forms and what these belong to, their denials, names and words.
 *
 * recordings "Fee 5 EUR, here at 14:32." and "Fee 5 EUR, here at 14:40."
 * "Fee 5 EUR, here at 14:51." differs freely; "Fee 7 EUR, here at 14:40." does not
 */
export function differsFreely(text: Text, recorded: readonly Text[]): boolean {
  return (
    recorded.length > 1 && saysWhatAllSay(text, recorded) && recorded.some((each) => isFreeFrom(text, each, recorded))
  );
}

function saysWhatAllSay({ forms, statements }: Text, recorded: readonly Text[]): boolean {
  const all = recorded.map(({ forms: { stated } }) => stated);
  const isShared = (form: string) => all.every((each) => each.has(form));
  const free = new Set(
    all.flatMap((each) => [...each].flatMap(([form, token]) => (isShared(form) ? [] : [quantityOf(token)]))),
  );
  const areFormsHeld = [...(all[0] as (typeof all)[0]).keys()].every(
    (form) => !isShared(form) || forms.stated.has(form),
  );
  const areOthersFree = [...forms.stated].every(
    ([form, token]) => all.some((each) => each.has(form)) || free.has(quantityOf(token)),
  );
  const areDenialsHeld = (['not', 'denied', 'failed', 'free'] as const).every((polarity) => {
    const [own = 0, ...counts] = [forms, ...recorded.map((each) => each.forms)].map(
      (each) => each.polarity.get(polarity) ?? 0,
    );
    return own >= Math.min(...counts) && own <= Math.max(...counts);
  });
  const labels = recorded.map((each) => valuesIn(each.statements));
  const own = valuesIn(statements);
  const areLabelsHeld = [...(labels[0] as Map<string, string>)].every(
    ([label, values]) => labels.some((each) => each.get(label) !== values) || (own.get(label) ?? values) === values,
  );
  return areFormsHeld && areOthersFree && areDenialsHeld && areLabelsHeld;
}

/** What each label says, all of it in one text. */
function valuesIn(statements: readonly Statement[]): Map<string, string> {
  const said = new Map<string, string[]>();
  for (const { label, values } of statements)
    if (label !== '' && values.length > 0) said.set(label, [...(said.get(label) ?? []), values.join(' ')]);
  return new Map([...said].map(([label, all]) => [label, all.sort().join()]));
}

function isFreeFrom(text: Text, one: Text, recorded: readonly Text[]): boolean {
  const said = compareTexts(one, text);
  if (!areNear(one, text)) return false;
  if (typeof said === 'string') return true;
  if (said.because === 'form' || said.because === 'polarity') return true;
  if (said.because !== 'name' && said.because !== 'word') return false;
  return said.recorded.every((word) => recorded.some(({ words }) => words.every(({ text: other }) => other !== word)));
}

/** What a text states and none of the others does: its numbers, dates and ids, as it writes them. */
export function statedInNone(recorded: string, replayed: readonly string[]): string[] {
  const text = new Text(recorded);
  const others = replayed.map((each) => new Text(each).forms.stated);
  return [...text.forms.stated]
    .filter(([form]) => others.every((stated) => !stated.has(form)))
    .map(([, { start, end }]) => text.readable.slice(start, end));
}
