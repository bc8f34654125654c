import { RecordedTurn, type StepMeasurement } from '../../compare/index.ts';
import { type Config, withOwn } from '../../config/index.ts';
import { AgentReplayError } from '../../errors.ts';
import type { ModelRun, RecordedModel } from '../../proxy/index.ts';
import type { Report } from '../../report/index.ts';
import { callOf, type Finding, findingOf, superseding } from '../judging/finding.ts';
import { measuredWords, withMeasuredCause } from '../judging/measured-cause.ts';
import { type PlannedSession, runNumbers } from '../records/run-scope.ts';
import { Conductor } from './conductor.ts';
import { addressesOf, asPinnedIn, checkStarted, heldIn, modelUnseen } from './live-model.ts';
import { type PlannedAgent, planJob, sessionNamed } from './plan.ts';
import { replayRounds } from './rounds.ts';
import { checkReachable } from './tracing.ts';

interface ForkOptions {
  /** Id of a pinned session, or the path of its pin from the root. */
  readonly session: string;
  /** From 1. */
  readonly turn: number;
  /** From 1, as reports number the steps of the recording. */
  readonly step: number;
  readonly runs: number;
  readonly signal?: AbortSignal | undefined;
  /** Lines of the agent's output, redacted. */
  readonly onOutput?: ((line: string) => void) | undefined;
  readonly onRun?: ((run: number) => void) | undefined;
}

/** The result of asking a model for one step again. */
export interface Fork extends StepMeasurement {
  readonly session: string;
  /** For who reads `fork --json`. */
  readonly pin: string;
  readonly turn: number;
  readonly step: number;
  /** All steps that this answer of the model decides. */
  readonly decided: readonly number[];
  /** What the model did in the recording: `calls refund_order`. */
  readonly recorded: string;
  /** Requests that the recording answers in each replay. */
  readonly answered: number;
  readonly models: readonly string[];
  /** Replays that say nothing about the step, and why. */
  readonly without: readonly { readonly run: number; readonly reason: string }[];
  readonly told: string;
  /** See {@link withMeasuredCause}. */
  amended(report: Report): Report | undefined;
}

/**
 * Measures how often a model takes a step as recorded, when all of its input is as recorded: replays one turn with the
 * model's answers from the recording up to that step, and from the model itself from there on. Replays run one after
 * another.
 * @throws AgentReplayError `NO_SESSIONS`, `USAGE`, `CONFIG_INVALID`, `FORK_NOT_POSSIBLE`, why the agent did not start, and
 * `FORK_UNSEEN` if none of its requests arrived
 */
export async function forkStep(config: Config, options: ForkOptions): Promise<Fork> {
  const { agent, session } = await found(config, options);
  const addresses = addressesOf(config, agent.options);
  const own = withOwn(config, session.own);
  const settings: Config = { ...own, runs: options.runs, workers: 1, offline: false };
  const planned = { ...session, turns: turnsBefore(session, config, options.turn), runs: runNumbers(options.runs) };
  await using conductor = new Conductor(settings, {
    sessions: () => [planned],
    on: (event) => {
      if (event.kind === 'agent-output') options.onOutput?.(event.line);
    },
  });
  const { limits, redaction } = conductor;
  const point = pointOf(session, config, options, redaction.text);
  const seen = new Map<number, ModelRun[]>();
  const defect = new AbortController();
  const findings = new Map<string, Finding>();
  await using live = await conductor.start(agent, {
    signal: options.signal,
    model: {
      addresses,
      recorded: ({ turn }) => point.recordedModel(turn),
      begun: ({ run }, asked) => seen.set(run, [...(seen.get(run) ?? []), asked]),
    },
    onCrash: (crash) => {
      if (crash.code === 'INTERNAL') defect.abort(crash);
    },
  });
  const replays = replayRounds([live], [planned], {
    settings,
    signal: options.signal === undefined ? defect.signal : AbortSignal.any([options.signal, defect.signal]),
    limits,
    redact: redaction.text,
  });
  for await (const result of replays) {
    if (result.turn !== options.turn) continue;
    const finding = findingOf(result, session.pin, redaction.text, settings);
    findings.set(callOf(result), superseding([...findings.values()], finding));
    if (result.late === undefined) options.onRun?.(result.run);
  }
  defect.signal.throwIfAborted();
  return concluded(point, [...findings.values()], seen, { planned: session, config: own, ...options });
}

type Point = ReturnType<typeof pointOf>;

/** @throws AgentReplayError `NO_SESSIONS`, `USAGE`, `FORK_NOT_POSSIBLE` */
async function found(
  config: Config,
  { session: wanted, turn }: ForkOptions,
): Promise<{ agent: PlannedAgent; session: PlannedSession }> {
  const plan = await planJob(config);
  const session = sessionNamed(plan.sessions, wanted);
  const agent = plan.agents.find(({ sessions }) => sessions.includes(session)) as PlannedAgent;
  if (!session.turns.includes(turn)) {
    throw new AgentReplayError('USAGE', `Session "${wanted}" has no turn ${turn} that can be replayed.`, {
      evidence: [`there are: ${session.turns.join(', ')}`],
      hint: 'Correct --turn.',
    });
  }
  checkStarted(agent.options, 'FORK_NOT_POSSIBLE');
  checkReachable(config, agent.options);
  return { agent, session };
}

/** If turns build on the replay's own answers, the turns before this one are replayed first. */
function turnsBefore({ turns }: PlannedSession, { context }: Config, turn: number): number[] {
  return context === 'sequence' ? turns.filter((each) => each <= turn) : [turn];
}

/** @throws AgentReplayError `USAGE`, `FORK_NOT_POSSIBLE` */
function pointOf(
  session: PlannedSession,
  config: Config,
  { turn, step }: ForkOptions,
  redact: (text: string) => string,
) {
  const { compare: rules } = withOwn(config, session.own);
  const { turns } = session.pin.session;
  const turnAt = (number: number) => new RecordedTurn(turns[number - 1] as (typeof turns)[number], rules);
  const recordedTurn = turnAt(turn);
  const steps = recordedTurn.stepsOf(recordedTurn.recordings[0]);
  const recorded = steps[step - 1];
  if (recorded === undefined) {
    throw new AgentReplayError('USAGE', `Turn ${turn} has no step ${step}.`, {
      evidence: steps.map(({ kind, name = '' }, index) => `step ${index + 1}: ${kind} ${name}`.trimEnd()),
      hint: 'Give the number of a step of the recording, as reports number them.',
    });
  }
  const own = recordedTurn.modelCalls();
  const at = own.findIndex((each) => each.steps.includes(step));
  const call = own[at];
  if (call === undefined) {
    throw new AgentReplayError('USAGE', `Step ${step} is not decided by a model.`, {
      evidence: [`step ${step}: ${recorded.kind} ${recorded.name ?? ''}`.trimEnd()],
      hint: `Steps that are: ${own.flatMap(({ steps: decided }) => decided).join(', ') || 'none'}.`,
    });
  }
  const earlier = new Map(
    turnsBefore(session, config, turn).flatMap((each) =>
      each < turn ? [[each, heldIn(turnAt(each).modelCalls())]] : [],
    ),
  );
  const before = heldIn(own.slice(0, at));
  const [from] = heldIn([{ ...call, isFailed: false }]);
  const asPinned = asPinnedIn(session.pin, redact);
  return {
    recordedModel: (of: number): RecordedModel =>
      of === turn
        ? { answers: before, from, otherwise: 'model', asPinned }
        : { answers: earlier.get(of) ?? [], otherwise: 'model', asPinned },
    answered: [...earlier.values(), before].flat().length,
    call,
    recorded: recordedTurn.labelOf(step),
  };
}

function concluded(
  { answered, call, recorded }: Point,
  findings: readonly Finding[],
  seen: ReadonlyMap<number, readonly ModelRun[]>,
  { planned, config, turn, step, runs }: ForkOptions & { planned: PlannedSession; config: Config },
): Fork {
  const came = [...seen.values()].flat();
  if (findings.length > 0 && came.every((run) => run.answered === 0 && !run.isAsked && run.notHeld.length === 0))
    throw modelUnseen('FORK_UNSEEN', config, `replays: ${findings.length}`);
  const asked = findings.flatMap(({ run, outcome }) =>
    outcome.kind === 'replayed' && seen.get(run)?.some(({ isAsked }) => isAsked)
      ? [{ run, recording: outcome.recording }]
      : [],
  );
  const isAsked = new Set(asked.map(({ run }) => run));
  const without = runNumbers(runs)
    .filter((run) => !isAsked.has(run))
    .map((run) => ({
      run,
      reason: whyNot(
        findings.find((each) => each.run === run),
        seen.get(run) ?? [],
      ),
    }));
  const measured = call.measure(asked);
  const fork = {
    session: planned.pin.session.id,
    pin: planned.pin.path,
    turn,
    step,
    decided: call.steps,
    recorded,
    answered,
    models: [...new Set(came.flatMap(({ model }) => model ?? []))].sort(),
    without,
    told: measuredWords(measured),
    ...measured,
  };
  return { ...fork, amended: (report) => withMeasuredCause(report, fork) };
}

function whyNot(finding: Finding | undefined, seen: readonly ModelRun[]): string {
  const [first] = seen.flatMap(({ notHeld }) => notHeld);
  const failed = seen.findLast((run) => run.failed !== undefined)?.failed;
  if (failed !== undefined) return `the model answered HTTP ${failed}`;
  if (first !== undefined) return `the recording does not hold a request before the step: its ${first.part} differs`;
  if (finding?.outcome.kind === 'unverified') return `${finding.outcome.error.message} (${finding.outcome.error.code})`;
  return 'the step was not asked for';
}
