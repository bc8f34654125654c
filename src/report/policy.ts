import { z } from 'zod';
import {
  COMPARED_ASPECTS,
  type ComparedAspect,
  isAsRecorded,
  isDiverged,
  isDoubt,
  type Outcome,
  outcome,
  type TurnComparison,
  turnComparison,
} from '../compare/index.ts';
import type { TurnShift } from '../shift/index.ts';
import { gateKind, isTestedBy } from './gate-kind.ts';
import { type Level, level } from './schema.ts';

const { cause } = turnComparison.shape.divergence.unwrap().shape;
const softLevel = level.exclude(['off']);

/** The outcomes of an aspect that can fail a run. */
const failing = z.array(outcome.extract(['changed', 'varies']));

const byAspect = (aspect: string) =>
  failing.optional().meta({
    description: `Which outcomes of what the agent ${aspect} fail a run. Default: changed and varies; changed alone where the gate is shift.`,
  });

const failOn = z.strictObject({
  did: byAspect('did'),
  said: byAspect('said'),
  path: byAspect('did on its way (path)'),
  cost: z
    .array(outcome.extract(['changed']))
    .default([])
    .meta({
      description: 'Whether replays that cost more than the recordings (changed) fail a run. Default: they warn.',
    }),
  drift: z.boolean().default(false).meta({
    description: 'Whether a drift over nights fails a run. By default it warns. It is told where there is a history.',
  }),
  couldNotTell: softLevel
    .default('error')
    .meta({ description: 'How "could not tell" counts: error, or warn. It is always reported.' }),
  cause: z.partialRecord(cause.shape.kind, softLevel).default({}).meta({
    description: 'Levels by cause. They replace those above if all differences that count have such a cause.',
  }),
});

const replays = z.int().min(1).max(100);

/** What fails a run: the top-level policy of the configuration. */
export const gatePolicy = z.strictObject({
  failOn: failOn
    .prefault({})
    .meta({ description: 'What fails the run: outcomes by aspect, could not tell, levels by cause.' }),
  minAgreement: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .meta({ description: 'A turn that varies passes if at least this share of its conclusive runs is as recorded.' }),
  gate: gateKind.optional().meta({
    description:
      'What a session is judged by: every run as recorded (every-run), or whether behaviour has shifted (shift). If it is not set: shift for a session with five or more recordings of each turn that runs made, unless the recordings of nine of ten sessions of its agent are alike; otherwise every-run.',
  }),
  looks: z
    .strictObject({ least: replays.default(2), most: replays.default(20) })
    .prefault({})
    .refine(({ least, most }) => least <= most, { error: 'least is more than most' })
    .meta({
      description:
        'From how many replays to how many a session is looked at by gate: shift. It ends as soon as what it did says enough. Where only runs is set: from so many.',
    }),
  alpha: z
    .number()
    .gt(0)
    .max(0.2)
    .default(0.01)
    .meta({ description: 'The chance that the tests of gate: shift fail a run of an unchanged agent.' }),
  minShift: z.number().min(0).default(0.03).meta({
    description:
      'The smallest shift of all sessions together that fails a run. .03 means that replays are 3 % further from the recordings than these are from each other.',
  }),
});
export type GatePolicy = z.infer<typeof gatePolicy> & { readonly allowEmpty?: boolean };

/** What a turn is judged by. */
interface GatedTurn {
  readonly comparison: TurnComparison;
  readonly shift?: TurnShift;
}

/** The outcomes of an aspect that fail a run. */
export function failingIn(
  aspect: ComparedAspect,
  { failOn }: Pick<GatePolicy, 'failOn'>,
  gate?: string,
): readonly Outcome[] {
  return failOn[aspect] ?? (isTestedBy(gate) ? ['changed'] : ['changed', 'varies']);
}

/**
 * The aspects that decide on a turn. Where a test decides, what is said and the path do so through the turn's test, or where the user
 * names that they vary.
 */
export function gatedAspects(
  shift: TurnShift | undefined,
  policy: Pick<GatePolicy, 'failOn'>,
  gate?: string,
): ComparedAspect[] {
  const decides = (aspect: ComparedAspect) =>
    !isTestedBy(gate) || aspect === 'did' || shift?.state === 'shifted' || policy.failOn[aspect]?.includes('varies');
  return COMPARED_ASPECTS.filter((aspect) => failingIn(aspect, policy, gate).length > 0 && decides(aspect));
}

/** The cause of a divergence decides before the outcome. Of several divergences the strictest level decides. */
export function levelOf({ comparison, shift }: GatedTurn, policy: GatePolicy, gate?: string): Level {
  const { failOn, minAgreement } = policy;
  const { aspects, verdict, clusters, divergence, figures } = comparison;
  if (isDoubt(verdict)) return failOn.couldNotTell;
  if (isAsRecorded(verdict)) return isTolerated(aspects, gate) ? 'warn' : 'off';
  const gated = gatedAspects(shift, policy, gate);
  const isFailing = gated.some((aspect) => failingIn(aspect, policy, gate).includes(aspects[aspect].outcome));
  const plain = isFailing ? 'error' : isTolerated(aspects, gate) ? 'warn' : 'off';
  if (!isDiverged(verdict)) return plain;
  const isEnough = minAgreement !== undefined && figures.asRecorded / figures.n >= minAgreement;
  if (verdict === 'varies' && isEnough) return 'off';
  const diverged = clusters.filter((cluster) => !cluster.recorded && cluster.runs.length > 0);
  const explained = diverged.length > 0 ? diverged.map((cluster) => cluster.divergence) : [divergence];
  if (explained.every((each) => each === null)) return plain;
  const causes = explained.flatMap((each) => [each, ...(each?.others ?? [])]).map((each) => each?.cause);
  return hardest(
    causes.flatMap((cause) => {
      const level = failOn.cause[cause?.kind ?? 'unknown'] ?? plain;
      // A cause that explains only part of the difference can make the level stricter, but not milder.
      return cause?.partial === true ? [level, plain] : [level];
    }),
  );
}

/** Whether something differs that the policy lets pass. Words and paths of a live agent always vary. */
function isTolerated(aspects: TurnComparison['aspects'], gate: string | undefined): boolean {
  return isTestedBy(gate)
    ? isDiverged(aspects.did.outcome)
    : COMPARED_ASPECTS.some((each) => isDiverged(aspects[each].outcome));
}

const HARDEST_FIRST: readonly Level[] = level.options;

export function hardest(levels: readonly Level[]): Level {
  return HARDEST_FIRST.find((level) => levels.includes(level)) ?? 'off';
}

/** Whether this turn alone would fail the run. */
export function failsRun(comparison: TurnComparison, policy: GatePolicy): boolean {
  return !isDoubt(comparison.verdict) && levelOf({ comparison }, policy) === 'error';
}
