import type { BehaviourView } from '../../../report/view/view-shapes.ts';

/** Longer lists of runs are shown as a number, and in full on hover. */
const MAX_RUNS_CHARS = 16;
/** Longer names keep their end too, because names of tools start alike. */
const TAIL_CHARS = 6;

/** `runs 1-3`, or `12 runs` for a long list. */
export function shortRuns({ runs, count }: Pick<BehaviourView, 'runs' | 'count'>): string {
  return runs.length > MAX_RUNS_CHARS ? `${count} runs` : runs;
}

/** A name of at most this many characters, with its middle left out: `check_refun…policy`. */
export function shortName(name: string, most: number): string {
  if (name.length <= most) return name;
  return `${name.slice(0, most - TAIL_CHARS - 1).toWellFormed()}…${name.slice(-TAIL_CHARS).toWellFormed()}`;
}

/** Parts of a label that may break apart: after the signs that join the words of a name. */
export function joints(label: string): string[] {
  return label.split(/(?<=[\p{L}\p{N}][_./:-])(?=[^\s_./:-])/u);
}
