import { release } from 'node:os';
import { z } from 'zod';
import { targetWithoutSecrets } from '../../agent/index.ts';
import type { Language } from '../../language.ts';
import { type Report, report } from '../../report/index.ts';
import { VERSION } from '../../version.ts';
import type { RunSettings } from '../judging/run-settings.ts';
import type { JobOptions } from './job-events.ts';
import type { Revision } from './revision.ts';
import type { RunPlan } from './shard.ts';

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
  /** Which shard this run is; undefined for a whole run. */
  shard: report.shape.evidence.shape.shard,
});
export type RunAbout = z.infer<typeof runAbout>;

export interface AboutOptions extends Pick<JobOptions, 'command' | 'configFile'> {
  readonly revision?: Revision | undefined;
  readonly language?: Language | undefined;
}

export function aboutRun({ agents, part }: Pick<RunPlan, 'agents' | 'part'>, options: AboutOptions = {}): RunAbout {
  const { revision, command = '', configFile, language } = options;
  return {
    tool: VERSION,
    startedAt: new Date().toISOString(),
    ...revision,
    command,
    ...(language && { language }),
    ...(configFile === undefined ? {} : { config: configFile }),
    target: agents.map(({ options: { url } }) => (url === undefined ? '' : targetWithoutSecrets(url))).join(', '),
    environment: { node: process.version, platform: `${process.platform} ${process.arch}`, os: release() },
    ...(part && { shard: part.shard }),
  };
}

/** The evidence of a report that is known so far. */
export function evidenceOf(
  { tool, ...about }: RunAbout,
  { traceSource }: RunSettings,
): Pick<Report['evidence'], 'tool' | 'startedAt' | 'command' | 'traceSource' | 'environment'> {
  return { tool: { name: 'agent-replay', version: tool }, ...about, traceSource };
}
