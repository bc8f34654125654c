import { cut } from '../../cut.ts';
import { textOrJson } from '../../json/index.ts';
import type { Observation, Recording } from '../../trace/index.ts';
import { forHtmlText } from '../../untrusted.ts';
import { MAX_SAME_CHARS, type NumberedStep } from '../laid.ts';
import type { ObservationView, TraceView } from './view-shapes.ts';

/** A step that a report shows cut, or the observation that it was made from. */
export interface KeptStep {
  readonly number: number;
  readonly observationId?: string | undefined;
  /** The whole text, if a report cuts it. */
  readonly text?: string | undefined;
}

/** What a run did, as kept beside a report. */
export interface KeptRun {
  readonly recording: Recording;
  readonly steps?: readonly KeptStep[] | undefined;
}

/** Observations of one run that are listed. */
const MAX_OBSERVATIONS = 2_000;
/** Of one input or output. */
const MAX_VALUE_CHARS = 20_000;
/** Of all inputs and outputs of one run; later ones are cut shorter. */
const MAX_TOTAL_CHARS = 1_000_000;
const MAX_SHORT_CHARS = 300;
/** Of the text of an expanded step. */
const MAX_TEXT_CHARS = 400_000;
/** Titles and ids are texts of the user. */
const MAX_NAME_CHARS = 500;

/** Steps as kept beside a report: the observation each was made from, and the whole text of long ones. */
export function keptSteps(steps: readonly NumberedStep[]): KeptStep[] {
  return steps.flatMap(({ number, value, observationId }) => {
    const text = textOrJson(value) ?? '';
    const isCut = text.length > MAX_SAME_CHARS;
    if (observationId === undefined && !isCut) return [];
    return { number, ...(observationId === undefined ? {} : { observationId }), ...(isCut && { text }) };
  });
}

/**
 * One run as the pages show it: a tree of observations with times, tokens and cost, in texts that are safe to show.
 * @param link where to look at the trace; empty if unknown
 */
export function traceView({ recording, steps = [] }: KeptRun, link = ''): TraceView {
  const all = inOrder(recording.observations);
  const starts = all.map(({ observation }) => Date.parse(observation.startTime));
  const start = starts.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
  const end = all.reduce(
    (most, { observation }) => Math.max(most, Date.parse(observation.endTime ?? observation.startTime)),
    start,
  );
  const numbers = Map.groupBy(steps, ({ observationId }) => observationId);
  let left = MAX_TOTAL_CHARS;
  const shownOf = (value: Observation['input']) => {
    const text = textOrJson(value) ?? '';
    const shown = cut(text, left > 0 ? MAX_VALUE_CHARS : MAX_SHORT_CHARS);
    left -= shown.length;
    return { text: forHtmlText(shown), whole: shown.length < text.length ? text.length : undefined };
  };
  const observations = all.slice(0, MAX_OBSERVATIONS).map(({ observation, depth }): ObservationView => {
    const { id, type, name, startTime, endTime, model = '', usage, cost, level, statusMessage = '' } = observation;
    const input = shownOf(observation.input);
    const output = shownOf(observation.output);
    return {
      id: nameText(id),
      depth,
      type,
      name: nameText(name),
      startMs: Date.parse(startTime) - start,
      durationMs: endTime === null ? null : Date.parse(endTime) - Date.parse(startTime),
      model: nameText(model),
      inputTokens: usage?.input ?? null,
      outputTokens: usage?.output ?? null,
      cost: costOf(cost),
      isError: level === 'ERROR',
      message: nameText(statusMessage),
      input: input.text,
      output: output.text,
      whole: {
        ...(input.whole !== undefined && { input: input.whole }),
        ...(output.whole !== undefined && { output: output.whole }),
      },
      steps: (numbers.get(id) ?? []).map(({ number }) => number),
    };
  });
  return {
    traceId: nameText(recording.traceId ?? ''),
    link,
    startedAt: Number.isFinite(start) ? new Date(start).toISOString() : '',
    durationMs: Number.isFinite(start) ? end - start : 0,
    observations,
    more: all.length - observations.length,
    cut: observations.reduce((sum, { whole }) => sum + Object.keys(whole).length, 0),
    texts: steps.flatMap(({ number, text }) =>
      text === undefined ? [] : { number, text: forHtmlText(cut(text, MAX_TEXT_CHARS)) },
    ),
  };
}

type Placed = { readonly observation: Recording['observations'][number]; readonly depth: number };

/** Parents first, then their children, by time. A child of a missing parent stands alone. */
function inOrder(observations: Recording['observations']): Placed[] {
  const known = new Set(observations.map(({ id }) => id));
  const sorted = observations.toSorted((a, b) => Date.parse(a.startTime) - Date.parse(b.startTime));
  const children = Map.groupBy(sorted, ({ parentId }) => (parentId !== null && known.has(parentId) ? parentId : null));
  const placed: Placed[] = [];
  const seen = new Set<string>();
  const open = (children.get(null) ?? []).map((observation) => ({ observation, depth: 0 })).reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    // Two observations may name each other as parent.
    if (seen.has(next.observation.id)) continue;
    seen.add(next.observation.id);
    placed.push(next);
    const { depth } = next;
    const own = children.get(next.observation.id) ?? [];
    open.push(...own.map((observation) => ({ observation, depth: depth + 1 })).reverse());
  }
  return placed;
}

function costOf(cost: Observation['cost']): number | null {
  if (cost === undefined) return null;
  return cost.total ?? Object.values(cost).reduce((sum, each) => sum + each, 0);
}

export function nameText(text: string): string {
  return forHtmlText(cut(text, MAX_NAME_CHARS));
}
