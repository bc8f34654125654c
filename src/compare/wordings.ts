import { canonical } from '../json/index.ts';
import { type ExplainContext, explain } from './explain/explain.ts';
import type { Variant } from './keys/behaviour.ts';
import { type Cluster, type Difference, type DifferenceKind, MAX_TEXTS, type SeenDifference } from './shapes/result.ts';
import type { JudgedTexts } from './text/judged.ts';
import { remembered } from './values/remembered.ts';

/** What a variant is compared with: a recording, or its stand-in. */
type Anchor = Pick<Variant, 'exact' | 'steps'>;

/**
 * Every distinct text of a cluster's runs that differs from the recorded one, whether or not it counts: answers first, then
 * by number of runs.
 */
export function wordingsOf(
  anchor: Anchor,
  variants: readonly Variant[],
  context: ExplainContext,
): Pick<Cluster, 'texts' | 'moreTexts'> {
  const byText = new Map<string, SeenDifference>();
  for (const variant of variants) {
    if (variant.runs.length === 0) continue;
    for (const difference of textsOf(anchor, variant, context)) {
      const key = keyOf(difference, variant);
      remembered(byText, key, () => ({ ...difference, runs: [] })).runs.push(...variant.runs);
    }
  }
  const texts = [...byText.values()].map((each) => ({ ...each, runs: [...new Set(each.runs)].sort((a, b) => a - b) }));
  texts.sort(
    (a, b) => PLACES.indexOf(a.kind) - PLACES.indexOf(b.kind) || b.runs.length - a.runs.length || firstOf(a, b),
  );
  return { texts: texts.slice(0, MAX_TEXTS), moreTexts: Math.max(0, texts.length - MAX_TEXTS) };
}

/**
 * Runs of a cluster that say in other words what each of its recordings says.
 * @param unrecorded what they are compared with in a cluster without recordings
 */
export function rewordedIn(variants: readonly Variant[], context: ExplainContext, unrecorded?: Anchor): number[] {
  const recorded = variants.filter(({ recordings }) => recordings.length > 0);
  const anchors = recorded.length > 0 || unrecorded === undefined ? recorded : [unrecorded];
  return variants
    .filter((variant) => anchors.every((anchor) => textsOf(anchor, variant, context).some(isReworded)))
    .flatMap(({ runs }) => runs)
    .sort((a, b) => a - b);
}

/** Other words with the same forms, where words are compared; also if a judge says that the meaning differs. */
export function isReworded({ kind, severity, text }: Difference): boolean {
  return (severity === 'wording' || text?.because === 'judge') && kind !== 'text';
}

/** Two texts that have not been judged yet, and the runs that say the second one. */
export interface OpenTexts {
  readonly recorded: string;
  readonly replayed: string;
  /** Where they stand: `output`, `tool:send_mail/args/body`. */
  readonly place: string;
  readonly runs: readonly number[];
}

/** What runs say in other words, with what a recording says, each pair once. */
export function openTextsOf(
  variants: readonly Variant[],
  reworded: readonly number[],
  context: ExplainContext,
): OpenTexts[] {
  const anchors = variants.filter(({ recordings }) => recordings.length > 0);
  const open = new Map<string, Omit<OpenTexts, 'runs'> & { readonly runs: Set<number> }>();
  for (const variant of variants.filter(({ runs }) => runs.some((run) => reworded.includes(run)))) {
    const judged: JudgedTexts = (recorded, replayed, place = '') => {
      const key = JSON.stringify([recorded, replayed]);
      const known = remembered(open, key, () => ({ recorded, replayed, place, runs: new Set<number>() }));
      for (const run of variant.runs) known.runs.add(run);
      return context.judged?.(recorded, replayed);
    };
    for (const anchor of anchors) explain(anchor.steps, variant.steps, { ...context, ...TEXTS_ALONE, judged });
  }
  return [...open.values()].map(({ runs, ...texts }) => ({ ...texts, runs: [...runs].sort((a, b) => a - b) }));
}

const PLACES: readonly DifferenceKind[] = ['final-text', 'final-structure', 'argument', 'text'];

function firstOf(a: SeenDifference, b: SeenDifference): number {
  const places = (each: SeenDifference) => [each.runs[0] ?? 0, each.recordedStep ?? 0, each.replayedStep ?? 0];
  const [x, y] = [places(a), places(b)];
  const at = x.findIndex((place, index) => place !== y[index]);
  if (at !== -1) return (x[at] as number) - (y[at] as number);
  return canonical([a.pointer ?? '', a.replayed ?? null]) < canonical([b.pointer ?? '', b.replayed ?? null]) ? -1 : 1;
}

/** Equal for the same text at the same place. What a difference shows may be cut: the step tells such texts apart. */
function keyOf({ kind, recordedStep, replayedStep, pointer, replayed }: Difference, { steps }: Variant): string {
  const isWhole = typeof replayed === 'string' && !replayed.endsWith('…');
  const text = isWhole ? replayed : steps.find(({ number }) => number === replayedStep)?.exact;
  return canonical([kind, recordedStep, recordedStep === null ? replayedStep : null, pointer ?? '', text ?? null]);
}

/** The other fields of a pair do not matter to a text. */
const TEXTS_ALONE = { isSameAgent: () => false, ranAtOnce: () => false };

/** How one run differs from another, as far as their steps alone show. */
export function explainAlone(
  from: Anchor['steps'],
  to: Anchor['steps'],
  context: ExplainContext,
): readonly Difference[] {
  return explain(from, to, { ...context, ...TEXTS_ALONE }).differences;
}

const found = new WeakMap<Variant, Map<string, readonly Difference[]>>();

/** Differences of texts. What is learned of tools moves none of them, so that they are looked for once. */
function textsOf(anchor: Anchor, variant: Variant, context: ExplainContext): readonly Difference[] {
  if (anchor.exact === variant.exact) return [];
  const known = remembered(found, variant, () => new Map<string, readonly Difference[]>());
  return remembered(known, anchor.exact, () =>
    explainAlone(anchor.steps, variant.steps, context).filter(
      (each) => each.kind === 'text' || each.kind === 'final-text' || isReworded(each),
    ),
  );
}
