import type { BehaviourView } from '../../src/report/view/view-shapes.ts';

/** Longer lists of runs are told by their count, and in full on hover. */
const MAX_RUNS_CHARS = 16;
/** Of a longer name its end is kept, too: names of tools begin alike. */
const TAIL_CHARS = 6;

/** `runs 1-3`, or `12 runs` where they make a long list. */
export function shortRuns({ runs, count }: Pick<BehaviourView, 'runs' | 'count'>): string {
  return runs.length > MAX_RUNS_CHARS ? `${count} runs` : runs;
}

/** A name of at most so many characters, its middle left out: `check_refun…policy`. */
export function shortName(name: string, most: number): string {
  if (name.length <= most) return name;
  return `${name.slice(0, most - TAIL_CHARS - 1).toWellFormed()}…${name.slice(-TAIL_CHARS).toWellFormed()}`;
}

/** Parts of a label, between which it may be broken: after what joins the words of a name. */
export function joints(label: string): string[] {
  return label.split(/(?<=[\p{L}\p{N}][_./:-])(?=[^\s_./:-])/u);
}
