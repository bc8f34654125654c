import type { Json } from '../json/index.ts';
import { formatJson, pinText } from './format.ts';
import type { PinnedTurn, Session } from './schema.ts';

/** What differs, one fact per line: `turn 2: the request, the steps`; undefined if nothing does. */
export function pinChanges(before: Session, after: Session): readonly string[] | undefined {
  if (pinText(before) === pinText(after)) return undefined;
  const count = Math.max(before.turns.length, after.turns.length);
  const turns = Array.from({ length: count }, (_, index) => {
    const [old, young] = [before.turns[index], after.turns[index]];
    if (old === undefined) return [`turn ${index + 1} is new`];
    if (young === undefined) return [`turn ${index + 1} is gone`];
    const parts = partsThatDiffer(old, young);
    return parts.length === 0 ? [] : [`turn ${index + 1}: ${parts.join(', ')}`];
  }).flat();
  return turns.length > 0 ? turns : ['what is said of the session as a whole'];
}

function partsThatDiffer(old: PinnedTurn, young: PinnedTurn): string[] {
  const parts: readonly (readonly [string, (turn: PinnedTurn) => unknown])[] = [
    ['the request', ({ request }) => request],
    ['the output', ({ recorded }) => recorded.output],
    ['the steps', ({ recorded }) => recorded.observations],
    ['its usage', ({ recorded }) => recorded.usage],
    ['where it came from', ({ recorded, metadata }) => [recorded.traceId ?? null, metadata ?? null]],
    ['the further recordings', ({ baselines }) => baselines],
  ];
  const isSame = (part: (turn: PinnedTurn) => unknown) =>
    formatJson((part(old) ?? null) as Json) === formatJson((part(young) ?? null) as Json);
  return parts.flatMap(([name, part]) => (isSame(part) ? [] : [name]));
}
