import { structuredPatch } from 'diff';
import type { Json } from '../json/index.ts';
import { formatJson, pinText } from './format.ts';
import type { PinnedTurn, Session } from './schema.ts';

export interface PinChanges {
  readonly summary: readonly string[];
  /** The lines of a unified diff, cut if there are many. */
  readonly lines: readonly string[];
}

/** Nobody reads more on a terminal, and the file is under version control. */
const MAX_LINES = 60;
/** Two files that differ more are different files: the summary is enough. */
const MAX_EDITS = 2_000;
const CONTEXT_LINES = 1;

/** Undefined if nothing differs. */
export function pinChanges(before: Session, after: Session): PinChanges | undefined {
  const [old, young] = [pinText(before), pinText(after)];
  if (old === young) return undefined;
  const patch = structuredPatch('', '', old, young, '', '', { context: CONTEXT_LINES, maxEditLength: MAX_EDITS });
  const lines = (patch?.hunks ?? []).flatMap(({ lines }, index) => [...(index > 0 ? ['...'] : []), ...lines]);
  const more = lines.length - MAX_LINES;
  return {
    summary: summaryOf(before, after),
    lines: more > 0 ? [...lines.slice(0, MAX_LINES), `... and ${more} more lines`] : lines,
  };
}

function summaryOf(before: Session, after: Session): string[] {
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

function requestName(old: PinnedTurn, young: PinnedTurn): string {
  const isNewShape = old.request?.messages !== undefined && old.request.shape !== young.request?.shape;
  return isNewShape ? "the request (its messages are in OpenAI's chat form)" : 'the request';
}

function partsThatDiffer(old: PinnedTurn, young: PinnedTurn): string[] {
  const parts: readonly (readonly [string, (turn: PinnedTurn) => unknown])[] = [
    [requestName(old, young), ({ request }) => request],
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
