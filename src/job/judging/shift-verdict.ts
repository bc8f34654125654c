import type { TurnComparison, Verdict } from '../../compare/index.ts';
import type { SessionOutcome } from '../../report/index.ts';
import { assess, type RunShift, type ShiftEvent, type TurnShift, textOfP } from '../../shift/index.ts';
import type { JudgedTurn, TestedTurns } from './session-progress.ts';

/**
 * Gives every turn its verdict under its gate: how its runs compare, what no recording did, and, under `shift`, the results
 * of the tests over all of them. Pure.
 * @param units of the sessions judged by shift, by id
 */
export function judgeShift(
  sessions: readonly SessionOutcome[],
  units: ReadonlyMap<string, readonly TestedTurns[]>,
  options: Parameters<typeof assess>[1],
): { sessions: SessionOutcome[]; shift: RunShift | undefined } {
  const all = [...units.values()].flat();
  const { run, of } = assess(
    all.map(({ unit }) => unit),
    options,
  );
  return {
    sessions: sessions.map((session) => {
      const own = units.get(session.id);
      return {
        ...session,
        turns: session.turns.map((turn): JudgedTurn => {
          const unit = own?.find(({ turns }) => turns.includes(turn.turn));
          const told = unit && of(unit.unit.id);
          if (unit === undefined || told === undefined)
            return withEvents(session.gate === 'shift' ? untested(turn) : turn);
          const ofSession = unit.turns.length > 1 && { ofSession: true };
          return byShift(turn, { ...told, everyRun: turn.comparison.verdict, ...ofSession });
        }),
      };
    }),
    shift: all.length === 0 ? undefined : run,
  };
}

/** Other turns of a session that a never-green event stopped were not tested. */
function untested(turn: JudgedTurn): JudgedTurn {
  if (turn.comparison.stopped === null || failing(turn).length > 0) return turn;
  return { ...turn, comparison: { ...turn.comparison, verdict: 'inconclusive', divergence: null } };
}

/** A never-green event is a divergence, however the runs compare. */
export function withEvents(turn: JudgedTurn): JudgedTurn {
  const [red] = failing(turn);
  if (red === undefined) return turn;
  return {
    ...turn,
    comparison: { ...turn.comparison, verdict: 'changed', note: noteOf([red.sentence, turn.comparison.note]) },
  };
}

export function byShift(turn: JudgedTurn, shift: TurnShift): JudgedTurn {
  const { comparison } = turn;
  const verdict = verdictOf(turn, shift);
  const tells = verdict === 'changed' || verdict === 'flaky';
  return {
    ...turn,
    shift,
    comparison: {
      ...comparison,
      verdict,
      suggestedRuns: null,
      note: noteOf(notesOf(turn, shift, verdict)),
      // Runs that vary as the recordings do have no divergence.
      divergence: tells ? comparison.divergence : null,
      // The permutation test looks at whole behaviours; this one at how far apart they are.
      permutation: null,
    },
  };
}

function verdictOf(turn: JudgedTurn, { state, everyRun, recordingsVary, against, speaks }: TurnShift): Verdict {
  const { figures, conclusive } = turn.comparison;
  if (failing(turn).length > 0 || state === 'shifted') return 'changed';
  if (conclusive === 0 || state === 'untested' || state === 'open') return 'inconclusive';
  const isAsRecorded = figures.asRecorded === conclusive && figures.reworded === 0 && everyRun !== 'flaky';
  if (isAsRecorded && state === 'as-before') return 'reproduced';
  // All runs of both sides are alike: they differ from the recordings, but not from the base.
  const isAsBase = against === 'base' && speaks === null;
  return recordingsVary || isAsBase ? 'varies' : 'flaky';
}

function notesOf(turn: JudgedTurn, shift: TurnShift, verdict: Verdict): (string | null)[] {
  const { conclusive, requested, figures } = turn.comparison;
  const { state, first, second, adjusted, separation } = shift;
  const p = (second ?? first)?.p ?? 1;
  const lost = conclusive < requested ? `${requested - conclusive} of ${requested} not verified` : null;
  const what = separation.length === 0 ? '' : `: ${separation.join('; ')}`;
  const of = shift.ofSession ? 'the session ' : '';
  switch (state) {
    case 'shifted':
      return [`${of}has shifted, p = ${textOfP(p)} (${textOfP(adjusted)} among all turns)${what}`, lost];
    case 'may-have-shifted':
      return [`${of}may have shifted, p = ${textOfP(p)}${what}`, lost];
    case 'untested':
      return [lost ?? 'too few replays could be compared'];
    case 'open':
      return [`p = ${textOfP(p)} asks for a second look, and there was none`, lost];
    case 'as-before': {
      if (verdict === 'reproduced') return [lost];
      const ways = `${waysIn(figures)} in ${conclusive} runs`;
      if (verdict === 'flaky') {
        const agree = shift.recordings === 1 ? 'its recording is one' : `${reference(shift)} all agree`;
        return [`${ways}, and ${agree}`, lost];
      }
      return [`${ways}, as in ${reference(shift)} (p = ${textOfP(p)})`, lost];
    }
  }
}

/** The name of what replays are compared with. */
function reference({ against, recordings }: TurnShift): string {
  return against === 'base' ? `${recordings} runs of the base` : `its ${recordings} recordings`;
}

function waysIn({ behaviours, reworded }: TurnComparison['figures']): string {
  if (behaviours > 1) return `${behaviours} ways`;
  return reworded > 0 ? 'one way in other words' : 'one way';
}

export function failing({ events = [] }: JudgedTurn): ShiftEvent[] {
  return events.filter(({ fails }) => fails);
}

export function noteOf(parts: readonly (string | null)[]): string | null {
  const told = parts.filter((part) => part !== null && part !== '');
  return told.length === 0 ? null : told.join('; ');
}
