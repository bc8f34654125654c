import { selfTest, type Trial } from '../../compare/index.ts';
import { type Config, ownSettingsOf, withOwn } from '../../config/index.ts';
import type { AgentReplayError } from '../../errors.ts';
import { failsRun } from '../../report/index.ts';
import { loadPins } from '../../session/index.ts';
import { responseOnly } from '../judging/finding.ts';
import { patternsOf, type Selection } from '../running/plan.ts';

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
  /** Pins that could not be read. */
  readonly problems: readonly AgentReplayError[];
}

/**
 * Tries the comparison and the gate, under the user's own rules and policy, on changed copies of the user's own pins.
 * No agent is needed.
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
  return { status: statusOf(trials), trials, problems };
}

function statusOf(trials: readonly PinTrial[]): SelfTestStatus {
  if (trials.some(({ isRight }) => !isRight)) return 'missed';
  const planted = trials.filter(({ harmless }) => !harmless);
  if (planted.length === 0) return 'untried';
  return planted.some(({ touches, outcome }) => touches !== 'result' && outcome === 'red') ? 'passed' : 'blind';
}
