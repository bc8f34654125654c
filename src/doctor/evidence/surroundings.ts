import path from 'node:path';
import { type Config, loadConfig, type OptionValues, recordedAt } from '../../config/index.ts';
import { asAgentReplayError } from '../../errors.ts';
import { configuredAgents, planJob, selfTestPins, unknownToolsNote } from '../../job/index.ts';
import { calledTools } from '../../trace/index.ts';
import { openPlatform, placeOf, turnHabits } from '../../tracing/index.ts';
import type { PlatformCheck, Surroundings, WalkedWorkflow } from './evidence.ts';
import { type Replayed, walkWorkflow } from './walk.ts';
import { readWorkflows } from './workflow.ts';

interface SurroundingsOptions {
  readonly cwd: string;
  readonly file: string | undefined;
  readonly settings: OptionValues | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Checks everything that needs no agent. A problem becomes evidence, and does not stop other checks. */
export async function lookAround({ cwd, file, settings, signal }: SurroundingsOptions): Promise<Surroundings> {
  const nothing = {
    config: undefined,
    pins: { sessions: 0, turns: 0, tools: [], unknownTools: [], endsWithinMs: 0, problems: [] },
    gate: undefined,
    platform: undefined,
  };
  let config: Config;
  let agents: ReturnType<typeof configuredAgents>;
  try {
    config = await loadConfig({ cwd, file, options: settings });
    agents = configuredAgents(config);
  } catch (error) {
    return { ...nothing, configProblem: asAgentReplayError(error), workflows: await walkedWorkflows(cwd) };
  }
  const { files, ...pins } = await pinsOf(config);
  return {
    config,
    configProblem: undefined,
    pins,
    gate: pins.turns > 0 ? await selfTestPins(config) : undefined,
    workflows: await walkedWorkflows(cwd, {
      agents: agents.map(({ options: { command, cwd: folder = config.root, env } }) => ({ command, folder, env })),
      files: [config.source?.file ?? [], ...files].flat().map((each) => path.resolve(config.root, each)),
    }),
    platform: await platformOf(config, signal),
  };
}

/** The workflows of the repository around a folder that run agent-replay, and what they meet. */
export async function walkedWorkflows(cwd: string, replayed?: Replayed): Promise<WalkedWorkflow[]> {
  const workflows = await readWorkflows(cwd);
  return Promise.all(workflows.map(async (each) => ({ ...each, walk: await walkWorkflow(cwd, each, replayed) })));
}

async function pinsOf(config: Config): Promise<Surroundings['pins'] & { readonly files: readonly string[] }> {
  const plan = await planJob(config);
  const { sessions } = plan;
  const ends = sessions.flatMap(({ pin }) =>
    pin.session.turns.map(({ recorded, baselines = [] }) => turnHabits([recorded, ...baselines]).endsWithinMs),
  );
  return {
    files: sessions.map(({ pin }) => pin.path),
    sessions: sessions.length,
    turns: sessions.reduce((sum, { turns }) => sum + turns.length, 0),
    tools: [
      ...new Set(
        sessions.flatMap(({ pin }) => calledTools(pin.session.turns.flatMap(({ recorded }) => recorded.observations))),
      ),
    ],
    unknownTools: unknownToolsNote(
      config,
      sessions.map(({ pin }) => pin),
    ),
    endsWithinMs: ends.reduce((most, ms) => Math.max(most, ms), 0),
    problems: [
      ...plan.problems,
      ...sessions.flatMap(({ problems }) => problems),
      ...plan.notReplayed.flatMap(({ problems }) => problems),
    ],
  };
}

/** Whether replay traces are read from a platform or files, rather than only sessions. */
export function isPlatformNeeded({ tracing: { source } }: Config): boolean {
  return source !== 'embedded' && source !== 'none';
}

/** Also checked if traces are read elsewhere, because sessions are pinned from it. */
async function platformOf(config: Config, signal: AbortSignal | undefined): Promise<PlatformCheck | undefined> {
  const { tracing, identifiers } = config;
  const { receiver, recorded } = tracing;
  const isOptional = !isPlatformNeeded(config) && recorded === undefined;
  // Then the environment's keys are those of the fixed receiver.
  if (isOptional && receiver.port !== undefined) return undefined;
  try {
    const place = placeOf(recordedAt(config), { ...tracing, ...config, environment: process.env });
    await using platform = await openPlatform({ ...place, identifiers, signal });
    return { host: platform.url, api: platform.api };
  } catch (error) {
    signal?.throwIfAborted();
    const problem = asAgentReplayError(error);
    return problem.code === 'PLATFORM_NOT_CONFIGURED' && isOptional ? undefined : { problem };
  }
}
