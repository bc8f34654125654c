import { measuredAt, RecordedTurn, type StepMeasurement } from '../../compare/index.ts';
import { type Config, withOwn } from '../../config/index.ts';
import { AgentReplayError } from '../../errors.ts';
import type { ModelRun } from '../../proxy/index.ts';
import type { Pin } from '../../session/index.ts';
import type { Recording } from '../../trace/index.ts';
import { type Finding, findingOf } from '../judging/finding.ts';
import { type PlannedSession, runNumbers } from '../records/run-scope.ts';
import { Conductor } from './conductor.ts';
import { addressesOf, asPinnedIn, heldIn, modelUnseen } from './live-model.ts';
import { type PlannedAgent, planJob, sessionNamed } from './plan.ts';
import { replayRounds } from './rounds.ts';

interface ForkOptions {
  /** Id of a pinned session, or the path of its pin from the root. */
  readonly session: string;
  /** Turn and step, from 1, as reports number the steps of the recording. */
  readonly at: (pin: Pick<Pin, 'path' | 'session'>) => Pick<Fork, 'turn' | 'step'>;
  readonly runs: number;
  readonly signal?: AbortSignal;
  readonly onRun?: (run: number) => void;
}

/** The result of asking a model for one step again. */
export interface Fork extends StepMeasurement {
  readonly session: string;
  readonly turn: number;
  readonly step: number;
  /** What the model did in the recording: `calls refund_order`. */
  readonly recorded: string;
  /** Requests that the recording answers in each replay. */
  readonly answered: number;
  /** Replays that say nothing about the step, and why. */
  readonly without: readonly { readonly run: number; readonly reason: string }[];
}

/**
 * Measures how often a model takes a step as recorded, when all of its input is as recorded: replays one turn with the
 * model's answers from the recording up to that step, and from the model itself from there on. Replays run one after
 * another.
 * @throws AgentReplayError `NO_SESSIONS`, `USAGE`, those of `at`, `CONFIG_INVALID`, `AGENT_ELSEWHERE`, why the agent did not start, and
 * `MODEL_UNSEEN` if none of its requests arrived
 */
export async function forkStep(config: Config, options: ForkOptions): Promise<Fork> {
  const { signal } = options;
  const plan = await planJob(config);
  const session = sessionNamed(plan.sessions, options.session);
  const place = options.at(session.pin);
  const agent = plan.agents.find(({ sessions }) => sessions.includes(session)) as PlannedAgent;
  const addresses = addressesOf(config, agent.options);
  const settings: Config = { ...withOwn(config, session.own), runs: options.runs, workers: 1, offline: false };
  const { alone, call, from, answers } = pointOf(session, settings, place);
  const planned = { ...session, turns: [...answers.keys()], runs: runNumbers(options.runs) };
  await using conductor = new Conductor(settings, { sessions: () => [planned] });
  const { limits, redaction } = conductor;
  const asPinned = asPinnedIn(session.pin, redaction.text);
  const seen = new Map<number, ModelRun[]>();
  const findings = new Map<number, Finding['outcome']>();
  let defect: AgentReplayError | undefined;
  await using live = await conductor.start(agent, {
    signal,
    model: {
      addresses,
      recorded: ({ turn }) => ({
        answers: answers.get(turn) ?? [],
        from: turn === place.turn ? from : undefined,
        otherwise: 'model',
        asPinned,
      }),
      begun: ({ run }, asked) => seen.set(run, [...(seen.get(run) ?? []), asked]),
    },
    onCrash: (crash) => {
      if (crash.code === 'INTERNAL') defect = crash;
    },
  });
  for await (const result of replayRounds([live], [planned], { settings, signal, limits, redact: redaction.text })) {
    if (result.turn !== place.turn) continue;
    findings.set(result.run, findingOf(result, session.pin, redaction.text, settings).outcome);
    if (result.late === undefined) options.onRun?.(result.run);
  }
  if (defect !== undefined) throw defect;
  const came = [...seen.values()].flat();
  if (findings.size > 0 && came.every((run) => run.answered === 0 && !run.isAsked && run.notHeld.length === 0))
    throw modelUnseen(config, `replays: ${findings.size}`);
  const asked: Recording[] = [];
  const without: { run: number; reason: string }[] = [];
  for (const run of planned.runs) {
    const outcome = findings.get(run);
    const models = seen.get(run) ?? [];
    if (outcome?.kind === 'replayed' && models.some(({ isAsked }) => isAsked)) asked.push(outcome.recording);
    else without.push({ run, reason: whyNot(outcome, models) });
  }
  return {
    session: session.pin.session.id,
    ...place,
    recorded: alone.labelOf(place.step),
    answered: [...answers.values()].flat().length,
    without,
    ...measuredAt(call, alone.compare(...asked)),
  };
}

/**
 * The model call that decides the step, with what the recording answers before it in each turn that is replayed.
 * @throws AgentReplayError `USAGE`
 */
function pointOf(
  { pin, turns }: PlannedSession,
  { compare, context }: Config,
  { turn, step }: Pick<Fork, 'turn' | 'step'>,
) {
  if (!turns.includes(turn)) {
    throw new AgentReplayError('USAGE', `Session "${pin.session.id}" has no turn ${turn} that can be replayed.`, {
      evidence: [`there are: ${turns.join(', ')}`],
      hint: 'Correct --turn.',
    });
  }
  // What the agent did other times is no excuse for a step of the original.
  const aloneAt = (each: number) =>
    new RecordedTurn(
      { ...(pin.session.turns[each - 1] as (typeof pin.session.turns)[number]), baselines: [] },
      compare,
    );
  const alone = aloneAt(turn);
  const calls = alone.modelCalls();
  const at = calls.findIndex(({ steps }) => steps.includes(step));
  const call = calls[at];
  if (call === undefined) {
    throw new AgentReplayError('USAGE', `Step ${step} of turn ${turn} is not decided by a model.`, {
      evidence: alone
        .stepsOf(alone.recordings[0])
        .map(({ kind, name = '' }, index) => `step ${index + 1}: ${kind} ${name}`.trimEnd()),
      hint: `Steps that are: ${calls.flatMap(({ steps }) => steps).join(', ') || 'none'}.`,
    });
  }
  // If turns build on the replay's own answers, the turns before this one are replayed first.
  const replayed = context === 'sequence' ? turns.filter((each) => each <= turn) : [turn];
  const before = (each: number) => (each === turn ? calls.slice(0, at) : aloneAt(each).modelCalls());
  const answers = new Map(replayed.map((each) => [each, heldIn(before(each))]));
  // A client asks again after a call that failed, and so does a fork.
  const [from] = heldIn([{ ...call, isFailed: false }]);
  return { alone, call, from, answers };
}

function whyNot(outcome: Finding['outcome'] | undefined, seen: readonly ModelRun[]): string {
  const [first] = seen.flatMap(({ notHeld }) => notHeld);
  const failed = seen.findLast((run) => run.failed !== undefined)?.failed;
  if (failed !== undefined) return `the model answered HTTP ${failed}`;
  if (first !== undefined) return `the recording does not hold a request before the step: its ${first.part} differs`;
  if (outcome?.kind === 'unverified') return `${outcome.error.message} (${outcome.error.code})`;
  return 'the step was not asked for';
}
