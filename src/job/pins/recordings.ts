import type { Config } from '../../config/index.ts';
import { AgentReplayError, asAgentReplayError } from '../../errors.ts';
import { redactError } from '../../redaction/index.ts';
import { type PinnedTurn, type RecordingMade, recordingsMade, replayable, type Session } from '../../session/index.ts';
import { withoutCopies } from '../../trace/index.ts';
import { checkRuns } from '../accepting/accept.ts';
import { callOf, type Finding, findingOf } from '../judging/finding.ts';
import { checkCost } from '../records/cost.ts';
import type { PlannedSession } from '../records/run-scope.ts';
import { Conductor } from '../running/conductor.ts';
import type { JobEvent } from '../running/job-events.ts';
import { type Plan, type PlannedAgent, planJob, type WritingTools, writingTools } from '../running/plan.ts';
import { revisionOf } from '../running/revision.ts';
import { replayRounds } from '../running/rounds.ts';
import { checkReachable } from '../running/tracing.ts';
import { recordingsOf } from './run-recordings.ts';

/** Which earlier recordings by runs stay; with `newest` the oldest make room for as many new ones. */
export type Keeping = 'none' | 'all' | 'newest';

/** A pin, and its new form with every replay as a recording. */
export interface RecordedPin {
  readonly pin: PlannedSession['pin'];
  /** Undefined if a replay of it, or of an earlier turn, cannot be used as a recording. */
  readonly session: Session | undefined;
  readonly problems: readonly AgentReplayError[];
}

interface RecordedPins {
  readonly pins: readonly RecordedPin[];
  /** Problems that belong to no single pin. */
  readonly problems: readonly AgentReplayError[];
}

export interface RecordOptions {
  /** Files or patterns of pins, as in a selection. */
  readonly patterns: readonly string[];
  readonly keeping?: Keeping;
  readonly signal?: AbortSignal;
  readonly on?: (event: JobEvent) => void;
}

/**
 * What recording pins takes, and the tools that it lets act.
 * @param read pins that are in no file yet
 * @throws AgentReplayError `CONFIG_INVALID`, `USAGE`
 */
export async function planBaselines(
  config: Config,
  patterns: readonly string[],
  read?: readonly { readonly session: Session; readonly file: string }[],
): Promise<{ readonly plan: Plan; readonly tools: WritingTools }> {
  checkRuns(config.runs);
  // Nothing is judged here.
  const overrides = config.overrides.map(({ gate: _, ...own }) => own);
  const pins = read?.map(({ session, file: path }) => {
    return { session, path, turns: session.turns.map(replayable), locate: () => undefined };
  });
  const all = pins && { pins, all: pins, problems: [] };
  const plan = await planJob({ ...config, overrides, gate: 'every-run' }, { patterns }, all);
  checkCost(config, plan.cost);
  return { plan, tools: writingTools(plan, config) };
}

/**
 * Replays pins as a run does, `config.runs` times and in passes over all of them, to keep every replay as a recording.
 * Writes nothing.
 * @throws AgentReplayError `CONFIG_INVALID`, `RECEIVER_UNREACHABLE`, `PLATFORM_NOT_CONFIGURED`, `USAGE`, before anything is
 * started or sent; the reason of an aborted `signal`
 */
export async function recordBaselines(config: Config, options: RecordOptions): Promise<RecordedPins> {
  const { plan } = await planBaselines(config, options.patterns);
  await using conductor = new Conductor(config, { sessions: () => plan.sessions, on: options.on });
  for (const agent of plan.agents) checkReachable(config, agent.options);
  if (config.tracing.source === 'none') checkResponses(plan.sessions);
  conductor.tell({ kind: 'planned', plan: { ...plan, gates: undefined } });
  const { commit } = await revisionOf(config.root, process.env);
  const about = { at: new Date().toISOString(), ...(commit !== undefined && { commit }) };
  const findings = new Map(plan.sessions.map(({ pin }) => [pin.session.id, new Map<string, Finding>()]));
  const problems = [...plan.problems];
  for (const agent of plan.agents) {
    try {
      problems.push(...(await recordWith(agent, conductor, findings, options.signal)));
    } catch (error) {
      problems.push(asAgentReplayError(error));
    }
    options.signal?.throwIfAborted();
  }
  const recorded = plan.sessions.map((planned) => {
    const own = [...(findings.get(planned.pin.session.id)?.values() ?? [])];
    return recordedPin(planned, own, recordingsOf(own, about), config, options.keeping);
  });
  const notReplayed = plan.notReplayed.map((session) => ({ ...session, session: undefined }));
  return { pins: [...recorded, ...notReplayed], problems };
}

/** Starts one agent, replays its sessions, and ends it. @returns how it crashed, if it did */
async function recordWith(
  planned: PlannedAgent,
  conductor: Conductor,
  findings: ReadonlyMap<string, Map<string, Finding>>,
  signal: AbortSignal | undefined,
): Promise<AgentReplayError[]> {
  const { config, limits, redaction } = conductor;
  const redact = redaction.text;
  const pins = new Map(planned.sessions.map(({ pin }) => [pin.session.id, pin]));
  const crashes: AgentReplayError[] = [];
  const tellState = (state: 'starting' | 'ready' | 'stopping') =>
    conductor.tell({ kind: 'agent', agent: planned, state });
  tellState('starting');
  await using agent = await conductor.start(planned, {
    signal,
    onCrash: (crash) => crashes.push(redactError(crash, redact)),
  });
  tellState('ready');
  const onStopping = () => tellState('stopping');
  for await (const result of replayRounds([agent], planned.sessions, { byRound: true, redact, onStopping, limits })) {
    // A late finding replaces the earlier one.
    findings.get(result.session)?.set(callOf(result), findingOf(result, pins.get(result.session)!, redact, config));
    if (result.late === undefined) conductor.tell({ kind: 'replayed', result });
  }
  return crashes;
}

/** @throws AgentReplayError `USAGE`: a recording without steps would differ from those that have steps */
function checkResponses(sessions: readonly PlannedSession[]): void {
  const traced = sessions.find(({ pin }) => pin.session.turns.some(({ recorded }) => recorded.observations.length > 0));
  if (traced === undefined) return;
  throw new AgentReplayError('USAGE', 'Without traces nothing can be recorded beside a recording that has steps.', {
    location: { file: traced.pin.path },
    hint: 'Record with tracing: embedded or platform.',
  });
}

/** All or nothing: a pin whose turns are recorded unequally often would not show that. */
function recordedPin(
  { pin, turns, problems }: PlannedSession,
  findings: readonly Finding[],
  recordings: ReadonlyMap<number, readonly RecordingMade[]>,
  { runs }: Config,
  keeping: Keeping = 'none',
): RecordedPin {
  const isWhole = turns.every((turn) => recordings.get(turn)?.length === runs);
  const session: Session = {
    ...pin.session,
    turns: pin.session.turns.map((turn, index) => {
      const added = recordings.get(index + 1);
      return added === undefined ? turn : { ...turn, baselines: keptOf(turn, added, keeping) };
    }),
  };
  // A failure usually repeats in most runs, so only the first is reported.
  const failures = new Map<string, AgentReplayError>();
  for (const { outcome } of findings) {
    if (outcome.kind === 'unverified' && !failures.has(outcome.error.code)) {
      failures.set(outcome.error.code, outcome.error);
    }
  }
  return { pin, session: isWhole ? session : undefined, problems: [...problems, ...failures.values()] };
}

/**
 * Recordings that somebody chose are removed unless all are to stay, because each behaviour must be recorded as often
 * as it was seen.
 */
function keptOf(turn: PinnedTurn, added: readonly RecordingMade[], keeping: Keeping): PinnedTurn['baselines'] {
  switch (keeping) {
    case 'none':
      return [...added];
    case 'all':
      return withoutCopies([...(turn.baselines ?? []), ...added]);
    case 'newest':
      return [...recordingsMade(turn).slice(added.length), ...added];
  }
}
