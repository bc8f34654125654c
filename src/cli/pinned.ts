import type { SyncStep } from '../job/index.ts';
import type { RedactedPlace } from '../redaction/index.ts';
import { countByKind, replayable, type Session } from '../session/index.ts';
import { counted } from '../text/index.ts';
import { printLine } from './lines.ts';
import { printWarning } from './print.ts';

/** Indentation below the first line about a session. */
export const INDENT = ' '.repeat(9);

/** `2 turns, 1 not replayable, "Where is order 7?"`. */
export function described({ turns, title }: Session): string {
  const not = turns.map(replayable).filter(({ ok }) => !ok).length;
  const count = `${counted(turns.length, 'turn')}${not > 0 ? `, ${not} not replayable` : ''}`;
  return title === undefined ? count : `${count}, ${JSON.stringify(title)}`;
}

type ToKnow = Pick<Pinned, 'warnings' | 'notes' | 'gaps' | 'redacted' | 'leftInRequests'>;
type Pinned = Extract<SyncStep, { readonly changes: unknown }>;

/**
 * @param options.isReview lists each place that was masked or left
 * @param options.isKnown it was printed when the session was pinned earlier
 */
export function printToKnow(
  { warnings, notes, gaps, redacted, leftInRequests }: ToKnow,
  { isReview, isKnown }: { readonly isReview: boolean; readonly isKnown: boolean },
): void {
  for (const warning of warnings) printWarning(warning);
  for (const note of notes) printLine(`${INDENT}${note}`);
  if (isKnown) return;
  for (const key of gaps.keys()) {
    if (told.has(key)) continue;
    told.add(key);
    const consequence = CONSEQUENCES[key];
    printLine(`${INDENT}its trace lacks ${key} at trace level${consequence === undefined ? '' : `: ${consequence}`}`);
  }
  printPlaces('redacted', redacted, isReview);
  printPlaces('left in the requests', leftInRequests, isReview, ' (see redact.request)');
}

const CONSEQUENCES: Readonly<Record<string, string>> = {
  agent_id:
    'with several agents, nothing says which one it is replayed against. Set `langfuse.trace.metadata.agent_id` on the span of the turn',
  session_id:
    'each turn is a session of its own. Set `session.id`, the id of the conversation, on the span of the turn',
  run_id: 'set `langfuse.trace.metadata.run_id` on the span of the turn, unique for each',
};
/** Printed once, because it is the same for every session. */
const told = new Set<string>();

function printPlaces(what: string, places: readonly RedactedPlace[], isReview: boolean, hint = ''): void {
  if (places.length === 0) return;
  const counts = Object.entries(countByKind(places)).filter(([, count]) => count > 0);
  printLine(`${INDENT}${what}: ${counts.map(([kind, count]) => counted(count, kind)).join(', ')}${hint}`);
  if (!isReview) return;
  for (const { kind, pointer } of places) printLine(`${INDENT}  ${kind} at ${pointer}`);
}
