import { learnablePaths } from '../../compare/index.ts';
import { forTerminal } from '../../untrusted.ts';
import { sessionName } from '../outputs/words.ts';
import type { Report, TurnResult } from '../schema.ts';

/** A rule for a place that tools fill with generated values, with its evidence in one line. */
export interface Learned {
  readonly path: string;
  readonly evidence: string;
}

/**
 * Rules that may be added to the ignore file: places proposed as volatile, in turns that would have been reproduced without
 * them. Nothing is learned from an interrupted run, from a turn that lost a run or was stopped early, or if anything else
 * that counts differs too.
 */
export function learnedRules({ results, evidence }: Report): Learned[] {
  if (evidence.interruptedBy !== undefined) return [];
  const learned = new Map<string, string>();
  for (const session of results.sessions) {
    for (const turn of session.turns) {
      const paths = learnablePaths(turn.comparison);
      for (const { path, runs, examples } of turn.comparison.noise) {
        if (!paths.has(path) || learned.has(path)) continue;
        const values = examples.map((each) => JSON.stringify(each)).join(', ');
        learned.set(
          path,
          forTerminal(`${runs} runs of ${sessionName(session)}, turn ${turn.turn}, among them ${values}`),
        );
      }
    }
  }
  return [...learned].map(([path, evidence]) => ({ path, evidence }));
}

/** Places that vary from run to run: `tool:search/result/id varies in 5 runs ("a1", "b2"), looks generated`. */
export function noiseLines(turn: TurnResult): string[] {
  const learnable = learnablePaths(turn.comparison);
  return turn.comparison.noise.map(({ path, kind, runs, examples }) => {
    const values = examples.map((each) => JSON.stringify(each)).join(', ');
    const advice = learnable.has(path)
      ? 'it looks generated: --write-ignore ignores it'
      : kind === 'volatile'
        ? 'it looks generated, and other things differ too'
        : 'unstable: it is not a generated value, so it counts';
    return `${path} varies in ${runs} runs (${values}); ${advice}`;
  });
}
