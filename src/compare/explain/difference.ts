import { canonical, type Json, present } from '../../json/index.ts';
import type { KeyedStep } from '../keys/keys.ts';
import { beginning, excerpts, excerptsAt } from '../shapes/excerpt.ts';
import { type Difference, type DifferenceKind, MAX_VALUE_CHARS, type Severity } from '../shapes/result.ts';
import { placesOf } from '../text/told.ts';
import { values } from '../values/paths.ts';

/** A difference before its aspect is known. */
export type Found = Omit<Difference, 'aspect'>;

/** A difference between two steps, or a step and nothing. */
export function difference(
  kind: DifferenceKind,
  severity: Severity,
  a: KeyedStep | undefined,
  b: KeyedStep | undefined,
  details: Partial<Found> = {},
): Found {
  const tool = a?.name ?? b?.name;
  const { recorded: _, replayed: __, ...rest } = details;
  return {
    kind,
    severity,
    recordedStep: a?.number ?? null,
    replayedStep: b?.number ?? null,
    ...present({ tool }),
    ...rest,
    ...values(...cutSides(details)),
  };
}

/** Both values; long ones are cut around the place where they part, or show what they say differently. */
function cutSides({ recorded, replayed, text }: Partial<Found>): [Json | undefined, Json | undefined] {
  const [a, b] = [recorded, replayed].map((each) => (typeof each === 'string' ? each : canonical(each)));
  if (a === undefined || b === undefined || Math.max(a.length, b.length) <= MAX_VALUE_CHARS)
    return [recorded, replayed];
  if (recorded === undefined) return [undefined, beginning(b, MAX_VALUE_CHARS)];
  if (replayed === undefined) return [beginning(a, MAX_VALUE_CHARS), undefined];
  return text === undefined ? excerpts(a, b, MAX_VALUE_CHARS) : excerptsAt(a, b, placesOf(text, a, b), MAX_VALUE_CHARS);
}
