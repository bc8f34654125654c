import { counted } from '../../counted.ts';
import type { SessionResult } from '../../report/index.ts';
import { recordingsMade } from '../../session/index.ts';
import type { GateKind } from '../../shift/index.ts';
import type { PlannedSession } from './run-scope.ts';
import type { RunSettings } from './run-settings.ts';

/** Fewer recordings show nothing about how an agent varies. */
const LEAST_RECORDINGS = 5;

/** The gate of a session: the configured one, or by how often runs recorded each of its turns. */
export function gateOfSession(session: PlannedSession, settings: Pick<RunSettings, 'gate'>): GateKind {
  if (session.turns.length === 0) return 'every-run';
  return session.own?.gate ?? settings.gate ?? (timesMade(session) >= LEAST_RECORDINGS ? 'shift' : 'every-run');
}

/** How often runs recorded the turn that they recorded least often. */
function timesMade({ pin, turns }: PlannedSession): number {
  const counts = turns.map((turn) => recordingsMade(pin.session.turns[turn - 1] ?? {}).length);
  return counts.length === 0 ? 0 : Math.min(...counts);
}

/** When its recordings were made, and with which models; undefined if no run made any. */
export function recordingsOf({ pin, turns }: PlannedSession): SessionResult['recordings'] {
  const made = turns.flatMap((turn) => recordingsMade(pin.session.turns[turn - 1] ?? {}).map((each) => each.made));
  const times = made.map(({ at }) => at).sort((a, b) => Date.parse(a) - Date.parse(b));
  const [oldest, newest] = [times[0], times.at(-1)];
  if (oldest === undefined || newest === undefined) return undefined;
  return { oldest, newest, models: [...new Set(made.flatMap(({ models = [] }) => models))].sort() };
}

/** Which gate judges the sessions, and why; undefined if that is obvious. */
export function gatesTold(
  sessions: readonly PlannedSession[],
  settings: Pick<RunSettings, 'gate'>,
): string | undefined {
  const tested = sessions.filter(({ turns, quarantine }) => turns.length > 0 && quarantine === undefined);
  const general = tested.filter(({ own }) => own?.gate === undefined);
  const byShift = general.filter((session) => gateOfSession(session, settings) === 'shift');
  const chosen = byShift.filter((session) => timesMade(session) === 0).length;
  const own = tested.flatMap((session) => session.own?.gate ?? []);
  return gatesCounted({ byShift: byShift.length, runByRun: general.length - byShift.length, chosen, own }, settings);
}

interface GateCounts {
  readonly byShift: number;
  readonly runByRun: number;
  /** Number of sessions judged by shift that have only the original. */
  readonly chosen?: number;
  /** Gates of the sessions with a gate of their own, which the other counts leave out. */
  readonly own: readonly GateKind[];
}

export function gatesCounted(counts: GateCounts, settings: Pick<RunSettings, 'gate'>): string | undefined {
  const told = [generalTold(counts, settings) ?? [], ownTold(counts.own)].flat();
  return told.length === 0 ? undefined : told.join(' ');
}

/** `1 by shift, 2 run by run (a gate of their own).` */
function ownTold(own: readonly GateKind[]): string[] {
  const byShift = own.filter((gate) => gate === 'shift').length;
  const runByRun = own.length - byShift;
  const parts = [...(byShift > 0 ? [`${byShift} by shift`] : []), ...(runByRun > 0 ? [`${runByRun} run by run`] : [])];
  return parts.length === 0 ? [] : [`${parts.join(', ')} (a gate of their own).`];
}

function count(of: number): string {
  return counted(of, 'session');
}

function generalTold(
  { byShift, runByRun, chosen = 0 }: GateCounts,
  { gate }: Pick<RunSettings, 'gate'>,
): string | undefined {
  if (byShift + runByRun === 0) return undefined;
  if (gate === 'every-run') return `${count(runByRun)} run by run (gate: every-run is set).`;
  if (byShift === 0) return undefined;
  if (gate === undefined) {
    const others = runByRun === 0 ? '' : `, ${runByRun} run by run (fewer than ${LEAST_RECORDINGS})`;
    return `${count(byShift)} by shift (${LEAST_RECORDINGS} or more recordings made by runs)${others}.`;
  }
  const note =
    chosen === 0
      ? ''
      : ` ${chosen} of them ${chosen === 1 ? 'has' : 'have'} only the original, which somebody chose: such a session cannot shift by itself, only together with all others. Make recordings: agent-replay pin --runs 10.`;
  return `${count(byShift)} by shift (gate: shift is set).${note}`;
}
