import { z } from 'zod';
import { compareRules } from '../../compare/index.ts';
import { type Config, configSchema } from '../../config/index.ts';
import { replayOptions } from '../../replay/index.ts';
import { gatePolicy } from '../../report/index.ts';

/** The settings that findings are compared and judged by. Findings made under other settings cannot be pooled. */
export const runSettings = z.object({
  compare: compareRules,
  ...gatePolicy.shape,
  /** Version of the judge, whose answers are part of the findings. */
  judge: z.string().optional(),
  runs: replayOptions.shape.runs,
  allowEmpty: configSchema.shape.allowEmpty,
  base: configSchema.shape.base,
  baseRequired: z.boolean().optional(),
  offline: z.boolean().optional(),
  /** Whether turns build on each other, and so are judged as one. */
  context: replayOptions.shape.context,
  traceSource: z.string(),
  prices: configSchema.shape.prices,
});
export type RunSettings = z.infer<typeof runSettings>;

export function settingsOf(config: Config): RunSettings {
  const { allowEmpty, failOn, minAgreement, gate, looks, alpha, minShift } = config;
  const { runs, base, baseRequired, offline, context, tracing, prices } = config;
  // Functions cannot be written down; what they forbid is part of the findings.
  const { judge, ...rules } = config.compare;
  const compare = { ...rules, forbid: rules.forbid.filter((rule) => typeof rule === 'string') };
  const judged = { compare, allowEmpty, failOn, minAgreement, gate, looks, alpha, minShift };
  return {
    ...judged,
    judge: judge?.version,
    runs,
    // Offline the recordings judge, and the base only shows what its model is asked.
    base: offline ? undefined : base,
    baseRequired,
    ...(offline && { offline }),
    context,
    traceSource: tracing.source,
    prices: Object.fromEntries(Object.entries(prices).filter(([, { from }]) => from === undefined)),
  };
}
