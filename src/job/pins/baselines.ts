import type { Config } from '../../config/index.ts';
import { AgentReplayError, asAgentReplayError } from '../../errors.ts';
import { redactError } from '../../redaction/index.ts';
import type { ReplayResult } from '../../replay/index.ts';
import { type PinnedTurn, type RecordingMade, recordingsMade, type Session } from '../../session/index.ts';
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

/** Which earlier recordings by runs stay; with `newest` the oldest make room for as many new ones. */
export type Keeping = 'none' | 'all' | 'newest';

export interface RecordedPin {
  readonly pin: PlannedSession['pin'];
  /** Undefined if a replay cannot be used as a recording. */
  readonly session: Session | undefined;
  readonly problems: readonly AgentReplayError[];
}

export interface RecordedPins {
  readonly pins: readonly RecordedPin[];
  readonly problems: readonly AgentReplayError[];
}

export interface RecordOptions {
  readonly patterns: readonly string[];
  readonly keeping?: Keeping | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly on?: ((event: JobEvent) => void) | undefined;
  /** Asked once, if tools that may write act for real. With false, nothing is called. */
  readonly mayGoOn?: ((plan: Plan, tools: WritingTools) => Promise<boolean>) | undefined;
}

/**
 * Replays pins in passes over all of them, `config.runs` times, to keep every replay as a recording. Writes nothing.
 * @throws AgentReplayError `CONFIG_INVALID`, `RECEIVER_UNREACHABLE`, `PLATFORM_NOT_CONFIGURED`, `USAGE`, before
 * anything is started or sent; the reason of an aborted `signal`
 */
export async function recordBaselines(config: Config, options: RecordOptions): Promise<RecordedPins> {
  checkRuns(config.runs);
  // Nothing is judged here.
  const overrides = config.overrides.map(({ gate: _, ...own }) => own);
  const plan = await planJob({ ...config, overrides, gate: 'every-run' }, { patterns: options.patterns });
  checkCost(config, plan.cost);
  await using conductor = new Conductor(config, { sessions: () => plan.sessions, on: options.on });
  for (const agent of plan.agents) checkReachable(config, agent.options);
  if (config.tracing.source === 'none') checkResponses(plan.sessions);
  const tools = writingTools(plan, config);
  if (tools.names.length > 0 && (await options.mayGoOn?.(plan, tools)) === false) return { pins: [], problems: [] };
  conductor.tell({ kind: 'planned', plan: { ...plan, gates: undefined } });
  const { commit } = await revisionOf(config.root, process.env);
  const about = { at: new Date().toISOString(), ...(commit !== undefined && { commit }) };
  const { keeping = 'none' } = options;
  const takes = new Map(
    plan.sessions.map((planned) => [planned.pin.session.id, new Takes(planned, config, { about, keeping })]),
  );
  const problems = [...plan.problems];
  for (const agent of plan.agents) {
    try {
      problems.push(...(await recordWith(agent, conductor, takes, options.signal)));
    } catch (error) {
      problems.push(asAgentReplayError(error));
    }
    options.signal?.throwIfAborted();
  }
  const notReplayed = plan.notReplayed.map((session) => ({ ...session, session: undefined }));
  return { pins: [...[...takes.values()].map((each) => each.recorded()), ...notReplayed], problems };
}

/** @returns how the agent crashed, if it did */
async function recordWith(
  planned: PlannedAgent,
  conductor: Conductor,
  takes: ReadonlyMap<string, Takes>,
  signal: AbortSignal | undefined,
): Promise<AgentReplayError[]> {
  const { limits, redaction } = conductor;
  const redact = redaction.text;
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
    takes.get(result.session)?.take(result, redact);
    conductor.tell({ kind: result.late === undefined ? 'replayed' : 'revised', result });
  }
  return crashes;
}

/** @throws AgentReplayError `USAGE`: a recording without steps would differ from those with steps */
function checkResponses(sessions: readonly PlannedSession[]): void {
  const traced = sessions.find(({ pin }) => pin.session.turns.some(({ recorded }) => recorded.observations.length > 0));
  if (traced === undefined) return;
  throw new AgentReplayError('USAGE', 'Without traces nothing can be recorded beside a recording that has steps.', {
    location: { file: traced.pin.path },
    hint: 'Record with tracing: embedded or platform.',
  });
}

class Takes {
  readonly #planned: PlannedSession;
  readonly #config: Config;
  readonly #about: Omit<RecordingMade['made'], 'run' | 'models'>;
  readonly #keeping: Keeping;
  /** A late finding replaces the earlier one. */
  readonly #outcomes = new Map<string, Pick<Finding, 'turn' | 'run' | 'outcome' | 'usage'>>();

  constructor(
    planned: PlannedSession,
    config: Config,
    { about, keeping }: { about: Omit<RecordingMade['made'], 'run' | 'models'>; keeping: Keeping },
  ) {
    this.#planned = planned;
    this.#config = config;
    this.#about = about;
    this.#keeping = keeping;
  }

  take(result: ReplayResult, redact: (text: string) => string): void {
    const { turn, run, outcome, usage } = findingOf(result, this.#planned.pin, redact, this.#config);
    this.#outcomes.set(callOf(result), { turn, run, outcome, usage });
  }

  /** All or nothing: a pin whose turns are recorded unequally often would not show that. */
  recorded(): RecordedPin {
    const { pin, turns, problems } = this.#planned;
    const byTurn = Map.groupBy(
      [...this.#outcomes.values()].sort((a, b) => a.run - b.run),
      ({ turn }) => turn,
    );
    const recordingsOf = (turn: number) =>
      (byTurn.get(turn) ?? []).flatMap(({ run, outcome, usage }): RecordingMade[] => {
        if (outcome.kind === 'unverified') return [];
        const models = usage?.models;
        return [{ ...outcome.recording, made: { ...this.#about, run, ...(models && { models }) } }];
      });
    const isWhole = turns.every((turn) => recordingsOf(turn).length === this.#config.runs);
    const session: Session = {
      ...pin.session,
      turns: pin.session.turns.map((turn, index) =>
        byTurn.has(index + 1) ? { ...turn, baselines: keptOf(turn, recordingsOf(index + 1), this.#keeping) } : turn,
      ),
    };
    // A failure usually repeats in most runs, so only the first is reported.
    const failures = new Map<string, AgentReplayError>();
    for (const { outcome } of this.#outcomes.values()) {
      if (outcome.kind === 'unverified' && !failures.has(outcome.error.code))
        failures.set(outcome.error.code, outcome.error);
    }
    return { pin, session: isWhole ? session : undefined, problems: [...problems, ...failures.values()] };
  }
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
