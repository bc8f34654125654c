import { counted, firstOf } from '../../text/index.ts';
import type { Report, SessionResult, TurnResult } from '../schema.ts';
import { type Cause, type Divergence, whatOf } from './divergence.ts';
import { separationOf, sessionName } from './words.ts';

/** Sessions that differ by one cause, which is told once. */
export interface CauseGroup {
  /** Undefined where tests of several recordings tell what sets the replays apart. */
  readonly cause: Cause | undefined;
  readonly rows: readonly CauseRow[];
}

/** A session in such a group, with the turn that is shown for it. */
export interface CauseRow {
  readonly session: SessionResult;
  readonly turn: TurnResult;
  /** Null where `turn` differs by what sets its replays apart from several recordings. */
  readonly divergence: Divergence | null;
  /** Further turns of it that differ by the same cause. */
  readonly also: readonly number[];
}

/** In the order in which they first come; an edit of the agent before others. */
export function causesOf(sessions: Report['results']['sessions']): CauseGroup[] {
  const groups = new Map<string, { cause: Cause | undefined; rows: Map<SessionResult, CauseRow> }>();
  for (const session of sessions) {
    for (const turn of session.turns) {
      const isApart = separationOf(turn) !== undefined;
      const { divergence } = turn.comparison;
      if (divergence === null && !isApart) continue;
      const cause = divergence?.cause;
      const key = cause === undefined ? '' : keyOf(cause);
      const group = groups.get(key) ?? { cause, rows: new Map<SessionResult, CauseRow>() };
      groups.set(key, group);
      const known = group.rows.get(session);
      const row = { session, turn, divergence: isApart ? null : divergence, also: [] };
      group.rows.set(session, known === undefined ? row : joined(known, row));
    }
  }
  const made = [...groups.values()].map(({ cause, rows }) => ({ cause, rows: [...rows.values()] }));
  return made.sort((a, b) => Number(isEdit(b.cause)) - Number(isEdit(a.cause)));
}

/** The stricter turn is shown, and the earlier one of two that count alike. */
function joined(a: CauseRow, b: CauseRow): CauseRow {
  const [shown, other] = a.turn.level !== 'error' && b.turn.level === 'error' ? [b, a] : [a, b];
  return { ...shown, also: [...a.also, other.turn.turn].sort((one, two) => one - two) };
}

/** Equal for differences with one cause: the same edited line, or the same part of the agent's input. */
function keyOf({ kind, changed, detail, line }: Cause): string {
  if (line !== undefined) return JSON.stringify(line);
  return JSON.stringify(kind === 'agent' ? [kind, changed ?? detail] : kind);
}

/** Whether somebody changed the agent's own input: a prompt, a tool's definition, the model. */
export function isEdit(cause: Cause | undefined): boolean {
  return cause?.kind === 'agent' && cause.changed !== undefined;
}

/** Sessions that a sentence names; further ones are counted. */
const MAX_NAMED = 3;

/** Edited lines that fail sessions, each with what it does in one sentence, for the place where the line stands. */
export function editsIn({ results: { sessions } }: Report): { readonly line: string; readonly does: string }[] {
  return causesOf(sessions.filter(({ level }) => level === 'error')).flatMap(({ cause, rows }) => {
    const line = cause?.line?.replayed ?? cause?.line?.recorded;
    const [{ divergence, turn }] = rows as [CauseRow];
    if (line == null) return [];
    const what = separationOf(turn) ?? (divergence === null ? '' : whatOf(divergence));
    const names = firstOf(rows, MAX_NAMED, ({ session }) => sessionName(session)).join(', ');
    const does = `${rows.length} of ${counted(sessions.length, 'session')} changed by this line: ${what} (${names})`;
    return [{ line, does }];
  });
}
