import { counted } from '../counted.ts';
import type { SessionResult } from '../report/index.ts';
import { recordingsMade } from '../session/index.ts';
import type { GateKind } from '../shift/index.ts';
import type { RunSettings } from './about.ts';
import type { ScopedSession } from './session-progress.ts';

/** With fewer recordings nothing is known of how an agent varies. */
const LEAST_RECORDINGS = 5;

/** What a session is judged by: as it is set, or by how often runs have recorded each of its turns. */
export function gateOfSession(session: ScopedSession, { gate }: Pick<RunSettings, 'gate'>): GateKind {
  if (session.turns.length === 0) return 'every-run';
  return gate ?? (timesMade(session) >= LEAST_RECORDINGS ? 'shift' : 'every-run');
}

/** How often runs have recorded the turn that they recorded least. */
function timesMade({ pin, turns }: ScopedSession): number {
  const counts = turns.map((turn) => recordingsMade(pin.session.turns[turn - 1] ?? {}).length);
  return counts.length === 0 ? 0 : Math.min(...counts);
}

/** When its recordings were made, and by which models; undefined where no run made any. */
export function recordingsOf({ pin, turns }: ScopedSession): SessionResult['recordings'] {
  const made = turns.flatMap((turn) => recordingsMade(pin.session.turns[turn - 1] ?? {}).map((each) => each.made));
  const times = made.map(({ at }) => at).sort((a, b) => Date.parse(a) - Date.parse(b));
  const [oldest, newest] = [times[0], times.at(-1)];
  if (oldest === undefined || newest === undefined) return undefined;
  return { oldest, newest, models: [...new Set(made.flatMap(({ models = [] }) => models))].sort() };
}

/** What the sessions are judged by, and why; undefined where that goes without saying. */
export function gatesTold(sessions: readonly ScopedSession[], settings: Pick<RunSettings, 'gate'>): string | undefined {
  const own = sessions.filter(({ turns, quarantine }) => turns.length > 0 && quarantine === undefined);
  const byShift = own.filter((session) => gateOfSession(session, settings) === 'shift');
  const chosen = byShift.filter((session) => timesMade(session) === 0).length;
  return gatesCounted({ byShift: byShift.length, runByRun: own.length - byShift.length, chosen }, settings);
}

/** @param counts.chosen of those by shift, sessions of which there is nothing but the original */
export function gatesCounted(
  { byShift, runByRun, chosen = 0 }: { byShift: number; runByRun: number; chosen?: number },
  { gate }: Pick<RunSettings, 'gate'>,
): string | undefined {
  const count = (of: number) => counted(of, 'session');
  if (gate === 'every-run') return `${count(runByRun)} run by run (gate: every-run is set).`;
  if (byShift === 0) return undefined;
  if (gate === undefined) {
    const others = runByRun === 0 ? '' : `, ${runByRun} run by run (fewer than ${LEAST_RECORDINGS})`;
    return `${count(byShift)} by shift (runs made ${LEAST_RECORDINGS} or more recordings)${others}.`;
  }
  const note =
    chosen === 0
      ? ''
      : ` Of ${chosen} of them there is only the original, which somebody chose: it can tell a shift of all sessions together at most. Make recordings: agent-replay pin --runs 10.`;
  return `${count(byShift)} by shift (gate: shift is set).${note}`;
}
