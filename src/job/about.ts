import { release } from 'node:os';
import { z } from 'zod';
import { shownTarget } from '../agent/index.ts';
import { compareRules } from '../compare/index.ts';
import { type Config, config } from '../config/index.ts';
import { replayOptions } from '../replay/index.ts';
import { gatePolicy, type Report, shard } from '../report/index.ts';
import { VERSION } from '../version.ts';
import type { Revision } from './revision.ts';
import type { RunPlan } from './shard.ts';

/** What findings are compared and judged by: those made under other settings cannot be pooled. */
export const runSettings = z.object({
  compare: compareRules,
  ...gatePolicy.shape,
  /** Version of the judge, whose answers stand in the findings as well. */
  judge: z.string().optional(),
  runs: replayOptions.shape.runs,
  base: config.shape.base,
  baseRequired: z.boolean().optional(),
  stopEarly: config.shape.stopEarly,
  /** Turns that go on from each other are judged as one. */
  context: replayOptions.shape.context,
  traceSource: z.string(),
});
export type RunSettings = z.infer<typeof runSettings>;

export function settingsOf(config: Config): RunSettings {
  const { failOn, minAgreement, gate, alpha, minShift, runs, base, baseRequired, stopEarly, context, tracing } = config;
  // What a function forbids stands in the findings: it cannot be written down.
  const { judge, ...rules } = config.compare;
  const compare = { ...rules, forbid: rules.forbid.filter((rule) => typeof rule === 'string') };
  const judged = { compare, failOn, minAgreement, gate, alpha, minShift };
  return {
    ...judged,
    judge: judge?.version,
    runs,
    base,
    baseRequired,
    stopEarly,
    context,
    traceSource: tracing.source,
  };
}

/** What a run is made with and against: known before it begins. */
export const runAbout = z.object({
  /** Version of agent-replay. */
  tool: z.string(),
  startedAt: z.iso.datetime(),
  commit: z.string().optional(),
  branch: z.string().optional(),
  command: z.string(),
  /** The configuration, when it was named by hand. */
  config: z.string().optional(),
  target: z.string(),
  environment: z.record(z.string(), z.string()),
  /** The part of the run that this is; undefined: all of it. */
  shard: shard.optional(),
});
export type RunAbout = z.infer<typeof runAbout>;

export interface AboutOptions {
  readonly revision?: Revision | undefined;
  /** The command line, and the configuration named on it. */
  readonly command?: string | undefined;
  readonly configFile?: string | undefined;
}

export function aboutRun({ agents, part }: Pick<RunPlan, 'agents' | 'part'>, options: AboutOptions = {}): RunAbout {
  const { revision, command = '', configFile } = options;
  return {
    tool: VERSION,
    startedAt: new Date().toISOString(),
    ...revision,
    command,
    ...(configFile === undefined ? {} : { config: configFile }),
    target: agents.map(({ options: { url } }) => (url === undefined ? '' : shownTarget(url))).join(', '),
    environment: { node: process.version, platform: `${process.platform} ${process.arch}`, os: release() },
    ...(part && { shard: part.shard }),
  };
}

/** The part of a report's evidence that is known so far. */
export function evidenceOf(
  { tool, ...about }: RunAbout,
  { traceSource }: RunSettings,
): Pick<Report['evidence'], 'tool' | 'startedAt' | 'command' | 'traceSource' | 'environment'> {
  return { tool: { name: 'agent-replay', version: tool }, ...about, traceSource };
}
