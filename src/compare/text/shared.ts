import { areNear, compareTexts } from './rewording.ts';
import type { Statement } from './statements.ts';
import type { Text } from './text.ts';
import type { Token } from './tokens.ts';

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
    all.flatMap((each) => [...each].flatMap(([form, token]) => (isShared(form) ? [] : [kindOf(token)]))),
  );
  const areFormsHeld = [...(all[0] as (typeof all)[0]).keys()].every(
    (form) => !isShared(form) || forms.stated.has(form),
  );
  const areOthersFree = [...forms.stated].every(
    ([form, token]) => all.some((each) => each.has(form)) || free.has(kindOf(token)),
  );
  const counts = (['not', 'denied', 'failed', 'free'] as const).map((polarity) =>
    recorded.map((each) => each.forms.polarity.get(polarity) ?? 0).concat(forms.polarity.get(polarity) ?? 0),
  );
  const areDenialsHeld = counts.every((each) => {
    const [own = 0, ...others] = each.toReversed();
    return own >= Math.min(...others) && own <= Math.max(...others);
  });
  const labels = recorded.map((each) => valuesIn(each.statements));
  const own = valuesIn(statements);
  const areLabelsHeld = [...(labels[0] as Map<string, string>)].every(
    ([label, values]) => labels.some((each) => each.get(label) !== values) || (own.get(label) ?? values) === values,
  );
  return areFormsHeld && areOthersFree && areDenialsHeld && areLabelsHeld;
}

/** What a form could be in the place of: `time`, `number EUR`. */
function kindOf({ kind, text }: Token): string {
  return kind === 'number' ? text.replace(/^\S+/, kind) : kind;
}

function valuesIn(statements: readonly Statement[]): Map<string, string> {
  const labelled = statements.filter(({ label, values }) => label !== '' && values.length > 0);
  const groups = Map.groupBy(labelled, ({ label }) => label);
  return new Map(
    [...groups].map(
      ([label, all]) =>
        [
          label,
          all
            .map(({ values }) => values.join(' '))
            .sort()
            .join(),
        ] as const,
    ),
  );
}

function isFreeFrom(text: Text, one: Text, recorded: readonly Text[]): boolean {
  const said = compareTexts(one, text);
  if (!areNear(one, text)) return false;
  if (typeof said === 'string') return true;
  if (said.because === 'form' || said.because === 'polarity') return true;
  if (said.because !== 'name' && said.because !== 'word') return false;
  return said.recorded.every((word) => recorded.some(({ words }) => words.every(({ text: other }) => other !== word)));
}
