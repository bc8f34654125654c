import type { Cluster, NumberedStep, PairRow, ShownStep } from '../compare/index.ts';
import { forHtmlText } from '../untrusted.ts';
import { cut } from './cut.ts';
import type { LaidPair, LaidStep } from './schema.ts';

/** Behaviours of a turn that are laid beside the recording: more of them nobody reads. */
const MAX_PAIRS = 3;
/** Rows of one pair. */
const MAX_ROWS = 200;
/** Longest value of a step. */
const MAX_TEXT_CHARS = 600;

/**
 * Lays the largest behaviours that are not as recorded beside the recording, bounded for a report.
 * @param rowsOf of a cluster by its id; undefined when its behaviour was not kept
 */
export function laidPairs(
  clusters: readonly Cluster[],
  rowsOf: (cluster: number) => readonly PairRow[] | undefined,
): LaidPair[] {
  return clusters
    .filter(({ recorded, runs }) => !recorded && runs.length > 0)
    .toSorted((a, b) => b.runs.length - a.runs.length || a.id - b.id)
    .slice(0, MAX_PAIRS)
    .flatMap(({ id }): LaidPair[] => {
      const rows = rowsOf(id);
      if (rows === undefined) return [];
      const listed = rows.slice(0, MAX_ROWS).map(({ recorded, replayed, same }) => ({
        left: laid(recorded),
        right: laid(replayed),
        same,
      }));
      return [{ cluster: id, rows: listed, more: rows.length - listed.length }];
    });
}

/** The steps of one run as text that is safe to be shown, bounded like the rows of a pair. */
export function laidSteps(steps: readonly ShownStep[]): { steps: LaidStep[]; more: number } {
  const listed = steps.slice(0, MAX_ROWS).flatMap((step, index) => laid({ ...step, number: index + 1 }) ?? []);
  const shown = listed.map(({ name, text, ...rest }) => ({
    ...rest,
    ...(name === undefined ? {} : { name: forHtmlText(name) }),
    ...(text === undefined ? {} : { text: forHtmlText(text) }),
  }));
  return { steps: shown, more: steps.length - shown.length };
}

function laid(step: NumberedStep | null): LaidStep | null {
  if (step === null) return null;
  const { number, kind, name, value } = step;
  const text = value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value);
  return {
    number,
    kind,
    ...(name === undefined ? {} : { name }),
    ...(text === undefined ? {} : { text: cut(text, MAX_TEXT_CHARS) }),
  };
}
