import { byCodeUnit } from '../../json/index.ts';
import type { Behaviour, Group } from '../keys/behaviour.ts';
import type { KeyedStep } from '../keys/keys.ts';
import { jsonOf, nearestTo, numbered, quotes } from '../shapes/excerpt.ts';
import type { Fork, ShownStep } from '../shapes/result.ts';

/** Further places are left out of the fork table. */
const MAX_FORKS = 20;

/** Where the runs part, and which runs go where. */
export function forkTable(groups: readonly Group[], anchor: Behaviour | undefined): Fork[] {
  const paths = groups.map(({ representative }) => representative);
  const isRecorded = (path: number) => (groups[path]?.recordings.length ?? 0) > 0 || paths[path] === anchor;
  return partingsOf(paths.map(({ keys }) => keys))
    .filter(({ branches }) => branches.flat().some((path) => (groups[path]?.runs.length ?? 0) > 0))
    .slice(0, MAX_FORKS)
    .map(({ depth, branches }): Fork => {
      const stepAt = (path: number) => paths[path]?.seen[depth];
      const labels = numbered(branches.map((members) => labelOf(stepAt(members[0] as number), branches, stepAt)));
      return {
        step: Math.min(...branches.flat().map((path) => stepAt(path)?.number ?? Number.POSITIVE_INFINITY)),
        branches: branches
          .map((members, at) => ({
            label: labels[at] as string,
            runs: members.flatMap((path) => groups[path]?.runs ?? []).sort((a, b) => a - b),
            recorded: members.some(isRecorded),
          }))
          .filter(({ runs, recorded }) => runs.length > 0 || recorded)
          .sort((a, b) => b.runs.length - a.runs.length || byCodeUnit(a.label, b.label)),
      };
    })
    .filter(({ branches }) => branches.length > 1);
}

/** A place where paths part. */
interface Parting {
  /** Steps before it. */
  readonly depth: number;
  /** Numbers of the paths that go each way; those that end here come last. */
  readonly branches: readonly (readonly number[])[];
}

/** All places where paths part, by depth and then by first path. Takes time linear in the steps. */
export function partingsOf(paths: readonly (readonly string[])[]): Parting[] {
  const found: Parting[] = [];
  const pending = [{ depth: 0, members: [...paths.keys()] }];
  for (const { depth, members } of pending) {
    const byKey = Map.groupBy(members, (path) => paths[path]?.[depth]);
    const ended = byKey.get(undefined);
    byKey.delete(undefined);
    const ways = [...byKey.values()];
    const branches = ended === undefined ? ways : [...ways, ended];
    if (branches.length > 1) found.push({ depth, branches });
    for (const way of ways) if (way.length > 1) pending.push({ depth: depth + 1, members: way });
  }
  return found;
}

const MAX_LABEL = 60;

/** What a branch does, in a word or two; with its value if another branch does the same with another value. */
function labelOf(
  step: KeyedStep | undefined,
  branches: readonly (readonly number[])[],
  stepAt: (path: number) => KeyedStep | undefined,
): string {
  if (step === undefined) return 'ends';
  const others = branches
    .map((members) => stepAt(members[0] as number))
    .filter((other) => other !== undefined && other !== step && stepLabel(other) === stepLabel(step));
  if (others.length === 0) return stepLabel(step);
  return `${stepLabel(step)} ${valueBeside(step, others as KeyedStep[])}`;
}

/** A step in a word or two: `calls refund_order`. */
export function stepLabel({ kind, name }: Pick<ShownStep, 'kind' | 'name'>): string {
  if (kind === 'call') return `calls ${name}`;
  if (kind === 'result') return `${name} answers`;
  return kind === 'final' ? 'answers' : `${kind}${name ? ` of ${name}` : ''}`;
}

/** With more branches than this, the place of the difference is not searched for. */
const MAX_BESIDE = 20;

/** The start of a value, or the part that differs from another value that starts alike. */
function valueBeside({ value = null }: KeyedStep, others: readonly KeyedStep[]): string {
  const values = others.slice(0, MAX_BESIDE).map((other) => other.value ?? null);
  // What tells it from the nearest one usually tells it from all.
  const nearest = nearestTo(jsonOf(value), values.map(jsonOf));
  return quotes(value, values.find((other) => jsonOf(other) === nearest) ?? value, MAX_LABEL)[0];
}
