import { judgePairs, selfTest } from '../../compare/index.ts';
import { type Config, ownSettingsOf, redactionOf, withOwn } from '../../config/index.ts';
import type { AgentReplayError } from '../../errors.ts';
import type { Json } from '../../json/index.ts';
import { failsRun } from '../../report/index.ts';
import { loadPins, type Pin } from '../../session/index.ts';
import { responseOnly } from '../../trace/index.ts';
import { AskedJudge, type Judged } from '../judging/judge.ts';
import { patternsOf, type Selection } from '../running/plan.ts';

type JudgePair = ReturnType<typeof judgePairs>[number];
type Trial = ReturnType<typeof selfTest>[number];

/** One change made to a copy of a pin, and whether the gate took it as it should. */
export interface PinTrial extends Trial {
  /** The pin's path, relative to the root. */
  readonly pin: string;
  readonly session: string;
  /** From 1. */
  readonly turn: number;
}

/**
 * What the trials come to.
 * - `passed`: changes of calls or answers fail the run, none was missed, nothing harmless does.
 * - `missed`: a change was missed, or a harmless one fails the run.
 * - `blind`: no change of a call or an answer fails the run, so that nothing an agent does can.
 * - `untried`: there was nothing to change.
 */
export type SelfTestStatus = 'passed' | 'missed' | 'blind' | 'untried';

export interface SelfTest {
  readonly status: SelfTestStatus;
  readonly trials: readonly PinTrial[];
  /** Where the configuration has a judge. */
  readonly judge?: JudgeTest | undefined;
  /** Pins that could not be read. */
  readonly problems: readonly AgentReplayError[];
}

/** Two answers that the user's judge was asked about, what they mean, and what it said. */
export interface JudgeTrial extends JudgePair, Pick<Judged, 'session' | 'turn' | 'said' | 'why'> {
  /** The pin's path, relative to the root. */
  readonly pin: string;
}

export interface JudgeTest {
  readonly version: string;
  readonly trials: readonly JudgeTrial[];
}

/**
 * Tries the comparison and the gate, under the user's own rules and policy, on changed copies of the user's own pins, and
 * the user's judge on what it would be asked of them. No agent is needed, and nobody but the judge is asked anything.
 */
export async function selfTestPins(config: Config, selection: Selection = {}): Promise<SelfTest> {
  const { pins, problems } = await loadPins(patternsOf(config, selection), {
    root: config.root,
    grep: selection.grep,
    allowEmpty: config.allowEmpty,
  });
  const hasTraces = config.tracing.source !== 'none';
  const trials = pins.flatMap(({ path: pin, session }) => {
    const own = withOwn(config, ownSettingsOf(config, pin));
    return session.turns.flatMap(({ recorded, baselines = [], request }, index) => {
      const turn = index + 1;
      if (selection.turn !== undefined && selection.turn !== turn) return [];
      return [recorded, ...baselines]
        .map((recording) => (hasTraces ? recording : responseOnly(recording.output)))
        .flatMap((recording) =>
          selfTest(recording, own.compare, { request, isRed: (comparison) => failsRun(comparison, own) }),
        )
        .map((trial) => ({ ...trial, pin, session: session.id, turn }));
    });
  });
  return { status: statusOf(trials), trials, problems, judge: await judgeTest(pins, config, selection) };
}

/** What the judge says of the same texts is kept, as in a run, and its limits are those of a run. */
async function judgeTest(pins: readonly Pin[], config: Config, selection: Selection): Promise<JudgeTest | undefined> {
  const { judge } = config.compare;
  if (judge === undefined) return undefined;
  const { text: redact } = redactionOf(config);
  const asked = spread(pins.flatMap((pin) => pairsOf(pin, config, selection)));
  const texts = asked.map(({ change: _, means: __, pin: ___, ...pair }) => ({
    ...pair,
    recorded: redact(pair.recorded),
    replayed: redact(pair.replayed),
    runs: [],
  }));
  const judged = await new AskedJudge(judge, { root: config.root, redact }).ask(texts);
  const trials = judged.map(({ runs: _, ...told }, index): JudgeTrial => {
    const { change, means, pin } = asked[index] as PinPair;
    return { change, means, pin, ...told };
  });
  return { version: judge.version, trials };
}

interface PinPair extends JudgePair, Pick<JudgeTrial, 'pin' | 'session' | 'turn'> {
  readonly request: Json;
}

function pairsOf({ path: pin, session }: Pin, config: Config, selection: Selection): PinPair[] {
  const { compare } = withOwn(config, ownSettingsOf(config, pin));
  return session.turns.flatMap(({ recorded, baselines = [], request }, index) => {
    const turn = index + 1;
    if (selection.turn !== undefined && selection.turn !== turn) return [];
    const pairs = judgePairs([recorded, ...baselines], compare, { request });
    return pairs.map((pair) => ({ ...pair, pin, session: session.id, turn, request: (request ?? null) as Json }));
  });
}

/** One of each change after the other: where not all may be asked, some of each are. */
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
