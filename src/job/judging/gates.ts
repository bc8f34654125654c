import { looksFrom } from '../../config/index.ts';
import { type GateKind, LEAST_RECORDINGS } from '../../shift/index.ts';
import { counted } from '../../text/index.ts';
import type { Gate, GateSettings, GateUnit } from '../records/extension-points.ts';
import { type PlannedSession, runNumbers } from '../records/run-scope.ts';
import type { RunSettings } from '../records/run-settings.ts';
import { againstBase } from './base-gate.ts';
import { everyRun } from './every-run.ts';
import { byRecordings, timesMade } from './shift-gate.ts';

/** The first that takes a session judges it. */
export const GATES: readonly Gate[] = [againstBase, byRecordings, everyRun];

/** @param settings of all sessions */
export function gateFor(session: PlannedSession, settings: GateSettings, gates: readonly Gate[] = GATES): Gate {
  return gates.find((gate) => unitsBy(gate, session, settings) !== undefined) ?? everyRun;
}

/** Empty if each run is judged by itself. @param settings of all sessions */
export function unitsOf(session: PlannedSession, settings: GateSettings, gates?: readonly Gate[]): readonly GateUnit[] {
  return unitsBy(gateFor(session, settings, gates), session, settings) ?? [];
}

function unitsBy(gate: Gate, session: PlannedSession, settings: GateSettings): readonly GateUnit[] | undefined {
  const { gate: kind, base, context, looks } = settings;
  const own = session.own?.runs === undefined ? looks : looksFrom(session.own.runs);
  return gate.units(session, { base, context, looks: own, gate: session.own?.gate ?? kind ?? session.gate });
}

/** @param settings of all sessions */
export function firstRunsOf(
  session: Omit<PlannedSession, 'runs'>,
  settings: GateSettings & Pick<RunSettings, 'runs'>,
  gates?: readonly Gate[],
): number[] {
  const [unit] = unitsOf({ ...session, runs: [] }, settings, gates);
  return runNumbers(unit?.first ?? session.own?.runs ?? settings.runs);
}

/** The gate of a session by its recordings, as settings name it. */
export function gateOfSession(session: PlannedSession, settings: Omit<GateSettings, 'base'>): GateKind {
  return unitsOf(session, { ...settings, base: undefined }).length > 0 ? 'shift' : 'every-run';
}

/** Which gate judges the sessions by their recordings, and why; undefined if that is obvious. */
export function gatesTold(
  sessions: readonly PlannedSession[],
  settings: Omit<GateSettings, 'base'> & Pick<RunSettings, 'offline'>,
): string | undefined {
  if (settings.offline) return undefined;
  const tested = sessions.filter(({ turns, quarantine }) => turns.length > 0 && quarantine === undefined);
  const general = tested.filter(({ own }) => own?.gate === undefined);
  const byShift = general.filter((session) => gateOfSession(session, settings) === 'shift');
  const chosen = byShift.filter((session) => timesMade(session) === 0).length;
  const own = tested.flatMap((session) => session.own?.gate ?? []);
  const steady = general.filter((session) => session.gate === 'every-run').length;
  const runByRun = general.length - byShift.length;
  return gatesCounted({ byShift: byShift.length, runByRun, steady, chosen, own }, settings);
}

/** The same for sessions that are judged against a base. */
export function baseTold(base: string, sessions: number): string {
  return `${counted(sessions, 'session')} against the base ${base}: two agents run side by side, and share whatever databases and queues they use.`;
}

interface GateCounts {
  readonly byShift: number;
  readonly runByRun: number;
  /** Number of those judged run by run because their agent does the same each time. */
  readonly steady: number;
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
  { byShift, runByRun, steady, chosen = 0 }: GateCounts,
  { gate }: Pick<RunSettings, 'gate'>,
): string | undefined {
  if (byShift + runByRun === 0) return undefined;
  if (gate === 'every-run') return `${count(runByRun)} run by run (gate: every-run is set).`;
  if (byShift + steady === 0) return undefined;
  if (gate === undefined) {
    const few = runByRun - steady;
    const others = few === 0 ? '' : `, ${few} run by run (fewer than ${LEAST_RECORDINGS})`;
    if (steady > 0) {
      const varying = byShift === 0 ? '' : `, ${byShift} by shift, whose own recordings differ`;
      return `every run, the agent is steady (recordings alike in ${steady} of ${count(steady + byShift)})${varying}${others}.`;
    }
    return `${count(byShift)} by shift (whether replays differ from ${LEAST_RECORDINGS} or more recordings by more than chance)${others}.`;
  }
  const note =
    chosen === 0
      ? ''
      : ` ${chosen} of them ${chosen === 1 ? 'has' : 'have'} only the original, which somebody chose: such a session cannot shift by itself, only together with all others. Make recordings: \`agent-replay pin --runs 10\`.`;
  return `${count(byShift)} by shift (gate: shift is set).${note}`;
}
