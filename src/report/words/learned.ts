import { learnablePaths } from '../../compare/index.ts';
import { counted, forTerminal } from '../../text/index.ts';
import type { Report, TurnResult } from '../schema.ts';
import { exampleWords, sessionName } from './words.ts';

/** A rule for a place that tools fill with generated values, with its evidence in one line. */
export interface Learned {
  readonly path: string;
  readonly evidence: string;
}

/**
 * Places proposed as volatile, in turns that would have been as recorded without them. Nothing is learned from an interrupted
 * run, from a turn that lost a run, or if anything else that counts differs too.
 */
export function learnedRules({ results, evidence }: Report): Learned[] {
  if (evidence.interruptedBy !== undefined) return [];
  return learnedIn(
    results.sessions.flatMap((session) =>
      session.turns.map(({ turn, comparison }) => ({ place: `${sessionName(session)}, turn ${turn}`, comparison })),
    ),
  );
}

/** The same of turns that no report holds. @param options as of `learnablePaths` */
export function learnedIn(
  turns: readonly { readonly place: string; readonly comparison: TurnResult['comparison'] }[],
  options?: Parameters<typeof learnablePaths>[1],
): Learned[] {
  const learned = new Map<string, string>();
  for (const { place, comparison } of turns) {
    const paths = learnablePaths(comparison, options);
    for (const { path, runs, examples } of comparison.noise) {
      if (!paths.has(path) || learned.has(path)) continue;
      const values = examples.map((each) => JSON.stringify(each)).join(', ');
      learned.set(path, forTerminal(`${runs} runs of ${place}, among them ${values}`));
    }
  }
  return [...learned].map(([path, evidence]) => ({ path, evidence }));
}

/** Places that vary from run to run: `tool:search/result/id varies in 5 runs ("a1", "b2"), looks generated`. */
export function noiseLines(turn: TurnResult): string[] {
  if (turn.shift !== undefined) return [];
  const { noise, verdict, divergence } = turn.comparison;
  const learnable = learnablePaths(turn.comparison);
  // Another result that is the reason of a change is told as that, unless all of it looks generated.
  const reason = verdict === 'changed' && divergence?.kind === 'result' ? `tool:${divergence.tool}/result` : undefined;
  const told = noise.filter(
    ({ path }) => reason === undefined || learnable.has(path) || !`${path}/`.startsWith(`${reason}/`),
  );
  return told.map(({ path, kind, runs, examples }) => {
    const values = exampleWords(examples);
    const advice = learnable.has(path)
      ? 'it looks generated: --write-ignore ignores it'
      : kind === 'volatile'
        ? 'it looks generated, and other things differ too'
        : `it is no generated value, so it counts: where it means nothing, add ${JSON.stringify(path)} to compare.ignore`;
    return `${path} varies in ${counted(runs, 'run')} (${values}); ${advice}`;
  });
}
