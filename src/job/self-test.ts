import { selfTest, type Trial } from '../compare/index.ts';
import type { Config } from '../config/index.ts';
import type { AgentReplayError } from '../errors.ts';
import { loadPins } from '../session/index.ts';
import { responseOnly } from './finding.ts';
import { patternsOf, type Selection } from './plan.ts';

/** One change made to a copy of a pin, and whether the comparison took it as it should. */
export interface PinTrial extends Trial {
  /** The pin's path, relative to the root. */
  readonly pin: string;
  readonly session: string;
  /** From 1. */
  readonly turn: number;
}

export interface SelfTest {
  readonly trials: readonly PinTrial[];
  /** Pins that could not be read. */
  readonly problems: readonly AgentReplayError[];
}

/** Tries the comparison, under the user's own rules, on changed copies of the user's own pins. No agent is needed. */
export async function selfTestPins(config: Config, selection: Selection = {}): Promise<SelfTest> {
  const { pins, problems } = await loadPins(patternsOf(config, selection), {
    root: config.root,
    grep: selection.grep,
    allowEmpty: config.allowEmpty,
  });
  const hasTraces = config.tracing.source !== 'none';
  const trials = pins.flatMap(({ path: pin, session }) =>
    session.turns.flatMap(({ recorded, baselines = [], request }, index) => {
      const turn = index + 1;
      if (selection.turn !== undefined && selection.turn !== turn) return [];
      return [recorded, ...baselines]
        .map((recording) => (hasTraces ? recording : responseOnly(recording.output)))
        .flatMap((recording) => selfTest(recording, config.compare, { request }))
        .map((trial) => ({ ...trial, pin, session: session.id, turn }));
    }),
  );
  return { trials, problems };
}
