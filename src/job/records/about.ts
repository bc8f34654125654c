import { z } from 'zod';
import { type Report, report } from '../../report/index.ts';
import type { RunSettings } from './run-settings.ts';

/** The circumstances of a run, known before it begins. */
export const runAbout = z.object({
  /** Version of agent-replay. */
  tool: z.string(),
  startedAt: z.iso.datetime(),
  commit: z.string().optional(),
  branch: z.string().optional(),
  command: z.string(),
  language: report.shape.evidence.shape.language,
  /** The configuration file, if it was named on the command line. */
  config: z.string().optional(),
  target: z.string(),
  environment: z.record(z.string(), z.string()),
  /** Undefined for a whole run. */
  shard: report.shape.evidence.shape.shard,
});
export type RunAbout = z.infer<typeof runAbout>;

/** The evidence of a report that is known so far. */
export function evidenceOf(
  { tool, ...about }: RunAbout,
  { traceSource, offline }: RunSettings,
): Pick<Report['evidence'], 'tool' | 'startedAt' | 'command' | 'traceSource' | 'environment' | 'offline'> {
  return { tool: { name: 'agent-replay', version: tool }, ...about, traceSource, ...(offline && { offline }) };
}
