import type { Json } from '../../contract/index.ts';
import { type Difference, type DifferenceKind, MAX_VALUE_CHARS, type Severity } from '../result.ts';
import { canonical } from '../values/canonical.ts';
import type { KeyedStep } from '../values/keys.ts';

/** A difference between two steps, or a step and nothing. */
export function difference(
  kind: DifferenceKind,
  severity: Severity,
  a: KeyedStep | undefined,
  b: KeyedStep | undefined,
  details: Partial<Difference> = {},
): Difference {
  const tool = a?.name ?? b?.name;
  const { recorded, replayed, ...rest } = details;
  const [shownA, shownB] = shown(recorded, replayed);
  return {
    kind,
    severity,
    recordedStep: a?.number ?? null,
    replayedStep: b?.number ?? null,
    ...(tool === undefined ? {} : { tool }),
    ...rest,
    ...(shownA === undefined ? {} : { recorded: shownA }),
    ...(shownB === undefined ? {} : { replayed: shownB }),
  };
}

/** Both sides of a difference, as far as there are two. */
export function values(
  recorded: Json | undefined,
  replayed: Json | undefined,
): Pick<Difference, 'recorded' | 'replayed'> {
  return { ...(recorded === undefined ? {} : { recorded }), ...(replayed === undefined ? {} : { replayed }) };
}

/** Characters of what both have in common that are kept before the place where two long texts part. */
const EXCERPT_LEAD = 80;

/** Both values, cut around the place where they part when they are too long to show. */
function shown(recorded: Json | undefined, replayed: Json | undefined): [Json | undefined, Json | undefined] {
  const texts = [recorded, replayed].map((each) => (typeof each === 'string' ? each : canonical(each)));
  const [a = '', b = ''] = texts;
  if (Math.max(a.length, b.length) <= MAX_VALUE_CHARS) return [recorded, replayed];
  let common = 0;
  while (common < a.length && a.charCodeAt(common) === b.charCodeAt(common)) common++;
  const from = Math.max(0, common - EXCERPT_LEAD);
  const cut = (text: string) => {
    if (text.length <= MAX_VALUE_CHARS) return text;
    const excerpt = text.slice(from, from + MAX_VALUE_CHARS);
    return `${from > 0 ? '…' : ''}${excerpt}${from + MAX_VALUE_CHARS < text.length ? '…' : ''}`.toWellFormed();
  };
  return [recorded === undefined ? undefined : cut(a), replayed === undefined ? undefined : cut(b)];
}
