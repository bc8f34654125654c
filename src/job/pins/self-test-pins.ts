import { judgePairs, RecordedTurn, selfTest, type TurnComparison } from '../../compare/index.ts';
import { type Config, ownSettingsOf, redactionOf, withOwn } from '../../config/index.ts';
import type { AgentReplayError } from '../../errors.ts';
import type { Json } from '../../json/index.ts';
import { failsRun } from '../../report/index.ts';
import type { Pin } from '../../session/index.ts';
import { AskedJudge, type Judged } from '../judging/judge.ts';
import { meantPins, type Selection } from '../running/plan.ts';

type JudgePair = ReturnType<typeof judgePairs>[number];
type Trial = ReturnType<typeof selfTest>[number];

/** One change to a copy of a pin, and whether the gate treated it correctly. */
export interface PinTrial extends Trial {
  /** The pin's path, relative to the root. */
  readonly pin: string;
  /** From 1. */
  readonly turn: number;
}

/**
 * `missed`: the comparison missed a change, or a harmless one fails the run. `blind`: no change of a call or an answer fails
 * the run, so nothing that an agent does can. `untried`: there was nothing to change.
 */
export type SelfTestStatus = 'passed' | 'missed' | 'blind' | 'untried';

export interface SelfTest {
  readonly status: SelfTestStatus;
  readonly trials: readonly PinTrial[];
  /** Present if the configuration has a judge. */
  readonly judge?: JudgeTest;
  /** Pins that could not be read. */
  readonly problems: readonly AgentReplayError[];
}

/** Two answers with a known relation that the user's judge was asked about, and its answer. */
export interface JudgeTrial extends JudgePair, Pick<Judged, 'session' | 'turn' | 'said' | 'why'> {
  /** The pin's path, relative to the root. */
  readonly pin: string;
}

export interface JudgeTest {
  readonly version: string;
  readonly trials: readonly JudgeTrial[];
}

/**
 * Tests the comparison and the gate, under the user's rules and policy, on changed copies of the user's pins, and the
 * user's judge on questions that such changes lead to. Needs no agent; only the judge is called.
 */
export async function selfTestPins(config: Config, selection: Selection = {}): Promise<SelfTest> {
  const { pins, problems } = await meantPins(config, selection);
  const hasTraces = config.tracing.source !== 'none';
  const turns = pins.flatMap((pin) => turnsOf(pin, config, selection));
  const trials = turns.flatMap(({ pin, turn, pinned, own }) => {
    const { recordings } = new RecordedTurn(pinned, own.compare, { hasTraces });
    const isRed = (comparison: TurnComparison) => failsRun(comparison, own);
    const found = selfTest(recordings, own.compare, { request: pinned.request, isRed });
    return found.map((trial) => ({ ...trial, pin: pin.path, turn }));
  });
  return { status: statusOf(trials), trials, problems, judge: await judgeTest(turns, config) };
}

type PinTurn = ReturnType<typeof turnsOf>[number];

function turnsOf(pin: Pin, config: Config, selection: Selection) {
  const own = withOwn(config, ownSettingsOf(config, pin.path));
  const turns = pin.session.turns.map((pinned, index) => ({ pin, own, pinned, turn: index + 1 }));
  return turns.filter(({ turn }) => selection.turn === undefined || turn === selection.turn);
}

/** The judge's answers are cached, and its limits apply, as in a run. */
async function judgeTest(turns: readonly PinTurn[], config: Config): Promise<JudgeTest | undefined> {
  const { judge } = config.compare;
  if (judge === undefined) return undefined;
  const { text: redact } = redactionOf(config);
  const asked = spread(turns.flatMap(pairsOf));
  const texts = asked.map(({ change: _, means: __, pin: ___, ...pair }) => ({
    ...pair,
    recorded: redact(pair.recorded),
    replayed: redact(pair.replayed),
    place: redact(pair.place),
    runs: [],
  }));
  const judged = await new AskedJudge(judge, { root: config.root, redact }).ask(texts);
  const trials = judged.map(({ runs: _, ...told }, index): JudgeTrial => {
    const { change, means, pin, place } = asked[index] as PinPair;
    return { change, means, pin, ...told, place };
  });
  return { version: judge.version, trials };
}

interface PinPair extends JudgePair, Pick<JudgeTrial, 'pin' | 'session' | 'turn'> {
  readonly request: Json;
}

function pairsOf({ pin: { path: pin, session }, own, pinned, turn }: PinTurn): PinPair[] {
  const { recorded, baselines = [], request } = pinned;
  const pairs = judgePairs([recorded, ...baselines], own.compare, { request });
  return pairs.map((pair) => ({ ...pair, pin, session: session.id, turn, request: (request ?? null) as Json }));
}

/** Takes one of each change in turn, so that a limit still covers every kind. */
function spread(pairs: readonly PinPair[]): PinPair[] {
  const byChange = [...Map.groupBy(pairs, ({ change }) => change).values()];
  const rounds = Math.max(0, ...byChange.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, round) => byChange.flatMap((each) => each[round] ?? [])).flat();
}

function statusOf(trials: readonly PinTrial[]): SelfTestStatus {
  if (trials.some(({ isRight }) => !isRight)) return 'missed';
  const planted = trials.filter(({ harmless }) => !harmless);
  if (planted.length === 0) return 'untried';
  return planted.some(({ touches, outcome }) => touches !== 'result' && outcome === 'red') ? 'passed' : 'blind';
}
