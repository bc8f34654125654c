import { type Difference, MAX_DIFFERENCES, pathOf } from '../../compare/index.ts';
import { forTerminal } from '../../untrusted.ts';
import { sessionName } from '../outputs/words.ts';
import type { Report, TurnResult } from '../schema.ts';

/** A place that tools fill with generated values, as a rule to ignore it, and what it was learned from, in one line. */
export interface Learned {
  readonly path: string;
  readonly evidence: string;
}

/**
 * Rules that may be written to the ignore file: places that are proposed as volatile, of turns that would have been
 * reproduced without them. Nothing is learned of an interrupted run, of a turn that lost a run or was stopped early,
 * or where anything else that counts differs as well.
 */
export function learnedRules({ results, evidence }: Report): Learned[] {
  if (evidence.interruptedBy !== undefined) return [];
  const learned = new Map<string, string>();
  for (const session of results.sessions) {
    for (const turn of session.turns) {
      const paths = learnablePaths(turn);
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

/** Of a turn's proposals those that explain all of its divergences together; none when something else is left. */
export function learnablePaths({ comparison }: TurnResult): ReadonlySet<string> {
  const { noise, clusters, requested, conclusive, stopped } = comparison;
  const proposed = new Set(noise.filter(({ kind }) => kind === 'volatile').map(({ path }) => path));
  const replayed = clusters.filter(({ runs }) => runs.length > 0);
  const isComplete = conclusive === requested && stopped === null;
  const isListed = replayed.every(({ differences }) => differences.length < MAX_DIFFERENCES);
  if (!isComplete || !isListed) return new Set();
  const counting = replayed.flatMap(({ differences }) =>
    differences.filter(({ severity }) => severity === 'behaviour'),
  );
  const isExplained = counting.every((each) => {
    const path = placeOf(each);
    return path !== undefined && proposed.has(path);
  });
  return isExplained ? proposed : new Set();
}

/** Places that vary from run to run: `tool:search/result/id varies in 5 runs ("a1", "b2"), looks generated`. */
export function noiseLines(turn: TurnResult): string[] {
  const learnable = learnablePaths(turn);
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

/**
 * The rule that would ignore a difference. What tools and their keys are called is not ours: a name that would make
 * the rule a wider one, or more lines than one, has none.
 */
function placeOf({ kind, tool, pointer = '', byModel }: Difference): string | undefined {
  if (kind !== 'result' || byModel === true || tool === undefined) return undefined;
  if (tool.includes('/') || tool === '*' || pointer.split('/').includes('*')) return undefined;
  const path = pathOf({ kind: 'result', name: tool }, pointer);
  return /\p{C}|\s$/u.test(path) ? undefined : path;
}
