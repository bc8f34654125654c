import { byCodeUnit } from './canonical.ts';

const RUNS = /\d+|\D+/g;
const NUMBER = /^\d/;

/**
 * Orders names as people count: `order-2` before `order-10`. Digits compare as numbers and everything else by code units,
 * so the order is the same on every machine, whatever its language.
 */
export function byName(a: string, b: string): number {
  const [ours, theirs] = [a.match(RUNS) ?? [], b.match(RUNS) ?? []];
  for (let at = 0; at < Math.min(ours.length, theirs.length); at++) {
    const order = byPart(ours[at] as string, theirs[at] as string);
    if (order !== 0) return order;
  }
  return ours.length - theirs.length || byCodeUnit(a, b);
}

function byPart(a: string, b: string): number {
  if (!NUMBER.test(a) || !NUMBER.test(b)) return byCodeUnit(a, b);
  const [ours, theirs] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return ours.length - theirs.length || byCodeUnit(ours, theirs);
}
