import { looksFrom } from '../../config/index.ts';
import type { SessionResult } from '../../report/index.ts';
import { counted } from '../../text/index.ts';
import type { Gate, GateSettings, GateUnit } from '../records/extension-points.ts';
import { type PlannedSession, runNumbers } from '../records/run-scope.ts';
import type { RunSettings } from '../records/run-settings.ts';
import { againstBase } from './base-gate.ts';
import { everyRun } from './every-run.ts';
import { byRecordings } from './shift-gate.ts';

/** The first that takes a session judges it. */
export const GATES: Gate[] = [againstBase, byRecordings, everyRun];

/** @param settings of all sessions */
export function gateFor(session: PlannedSession, settings: GateSettings): Gate {
  return GATES.find((gate) => unitsBy(gate, session, settings) !== undefined) ?? everyRun;
}

/** Empty if each run is judged by itself. @param settings of all sessions */
export function unitsOf(session: PlannedSession, settings: GateSettings): readonly GateUnit[] {
  return unitsBy(gateFor(session, settings), session, settings) ?? [];
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
): number[] {
  const [unit] = unitsOf({ ...session, runs: [] }, settings);
  return runNumbers(unit?.first ?? session.own?.runs ?? settings.runs);
}

/** By its recordings, whatever base there is. */
export function gateOfSession(session: PlannedSession, settings: Omit<GateSettings, 'base'>): Gate {
  return gateFor(session, { ...settings, base: undefined });
}

/** The gate of sessions whose agent does the same each time. */
export const STEADY: Pick<PlannedSession, 'gate'> = { gate: everyRun.name };

/** Which gates judge sessions by their recordings, and why; undefined if that is obvious. */
export function gatesTold(
  sessions: readonly PlannedSession[],
  settings: Omit<GateSettings, 'base'> & Pick<RunSettings, 'offline'>,
): string | undefined {
  if (settings.offline) return undefined;
  const judged = sessions
    .filter(({ turns, quarantine }) => turns.length > 0 && quarantine === undefined)
    .map((session) => {
      const gate = gateOfSession(session, settings);
      return { session, own: session.own, gate: gate === everyRun ? session.gate : gate.name };
    });
  const note = (gate: Gate) => {
    const those = judged.filter(({ own, gate: name }) => own?.gate === undefined && name === gate.name);
    return gate.note?.(those.map(({ session }) => session)) ?? '';
  };
  return gatesCounted(judged, settings, note);
}

/** The same for sessions that are judged against a base. */
export function baseTold(base: string, sessions: number): string {
  return `${counted(sessions, 'session')} against the base ${base}: two agents run side by side, and share whatever databases and queues they use.`;
}

/** A session, planned or in a result. */
interface Judged {
  /** A gate that is named runs it: {@link everyRun} by name is that of a steady agent. */
  readonly gate?: string;
  readonly own?: Pick<NonNullable<SessionResult['own']>, 'gate'>;
}

/** @param noteOf what is to be said where the setting names a gate */
export function gatesCounted(
  sessions: readonly Judged[],
  settings: Pick<RunSettings, 'gate'>,
  noteOf: (gate: Gate) => string = () => '',
): string | undefined {
  const general = sessions.filter(({ own }) => own?.gate === undefined);
  const own = byGate(sessions.flatMap((session) => session.own?.gate ?? []));
  const parts = own.map(({ gate, count }) => `${count} ${gate.how}`);
  const told = [
    generalTold(general, settings, noteOf) ?? [],
    parts.length === 0 ? [] : `${parts.join(', ')} (a gate of their own).`,
  ].flat();
  return told.length === 0 ? undefined : told.join(' ');
}

/** Gates by name, and how often each is named, in the order of {@link GATES}. */
function byGate(names: readonly string[]): { readonly gate: Gate; readonly count: number }[] {
  const gates = new Map(GATES.map((gate) => [gate.name, gate]));
  return [...gates.values()].flatMap((gate) => {
    const count = names.filter((name) => name === gate.name).length;
    return count === 0 ? [] : { gate, count };
  });
}

function generalTold(
  sessions: readonly Judged[],
  settings: Pick<RunSettings, 'gate'>,
  noteOf: (gate: Gate) => string,
): string | undefined {
  const steady = sessions.filter(({ gate }) => gate === everyRun.name).length;
  const others = sessions.flatMap(({ gate }) => (gate === everyRun.name ? [] : (gate ?? everyRun.name)));
  const judged = byGate(others);
  const isObvious = settings.gate === undefined && judged.every(({ gate }) => gate === everyRun);
  if (sessions.length === 0 || (isObvious && steady === 0)) return undefined;
  const often = judged.reduce((sum, { gate, count }) => (gate === everyRun ? sum : sum + count), steady);
  const parts =
    steady === 0
      ? []
      : [`every run, the agent is steady (recordings alike in ${steady} of ${counted(often, 'session')})`];
  for (const { gate, count } of judged) {
    const why = gate.name === settings.gate ? ` (gate: ${gate.name} is set)` : gate.why(steady > 0);
    parts.push(`${parts.length === 0 ? counted(count, 'session') : count} ${gate.how}${why}`);
  }
  const named = judged.find(({ gate }) => gate.name === settings.gate);
  return `${parts.join(', ')}.${named === undefined ? '' : noteOf(named.gate)}`;
}
