import { registerHooks } from 'node:module';
import { endGroup, info, startGroup } from '@actions/core';
import {
  AgentReplayError,
  type Config,
  declaredIn,
  type JobEvent,
  joinSettings,
  linesForTerminal,
  linesOf,
  loadConfig,
  type Plan,
  parseConfig,
  type Report,
  runJob,
  secretsOf,
} from '../src/rims.ts';
import { notice, type PlannedPin } from './announce.ts';
import { PRIVILEGED_EVENTS, type Step, type WorkflowEvent } from './event.ts';
import { type Inputs, inputFor } from './inputs.ts';
import { type Declared, maskSecrets, maskVariables, namesIn } from './masks.ts';
import { put, showAll, tellPending, throughNights, withProblem } from './tell.ts';

export async function replay(step: Step): Promise<number> {
  const { inputs, signal } = step;
  // The configuration is code that may print.
  const known = secretsOf(parseConfig({}, { folder: inputs.workingDirectory }), process.env);
  maskSecrets([...inputs.tokens, ...known]);
  const config = await configFor(step);
  maskSecrets(secretsOf(config, process.env));
  const named: Declared = new Map(namedIn(inputs));
  const declared: Declared = new Map(declaredIn(config).filter(([name]) => !named.has(name)));
  maskVariables(declared);
  const unmasked = maskVariables(named);
  if (unmasked.length > 0) notice(`Not masked, because too short or an ordinary word: ${unmasked.join(', ')}.`);
  using deadline = startDeadline(inputs.timeoutMs);
  let pending: Promise<void> | undefined;
  let pins: PlannedPin[] = [];
  const onPlan = ({ sessions }: Plan) => {
    pins = sessions.map(({ pin }) => pin);
    for (const pin of pins) {
      const text = JSON.stringify(pin.session);
      const notes = [
        [namesIn(named, text), 'masked: a change of it there is not seen'],
        [namesIn(declared, text), 'masked in the log'],
      ] as const;
      for (const [names, how] of notes)
        if (names.length > 0)
          printLines(linesForTerminal(`note: ${pin.path} holds the value of ${names.join(', ')}, which is ${how}`));
    }
    const agents = pins.flatMap(({ session }) => session.agentId ?? []);
    // Only the job that merges reports what a shard found.
    if (config.shard === undefined) pending = tellPending(agents, step);
  };
  const replayed = replayAll(config, step, {
    // A value of agent.env may be a word that a verdict needs: only the log, which GitHub masks, is without it.
    secrets: [...inputs.tokens, ...named.values()],
    signal: AbortSignal.any([signal, deadline.signal]),
    onPlan,
  });
  // Also when it throws, so that what it tells then is the last word.
  const report = await replayed.finally(() => pending);
  return showAll(report, step, config.root, pins);
}

/** The variables that the input names. */
function namedIn({ mask }: Inputs): [name: string, value: string][] {
  for (const name of mask)
    if (process.env[name] === undefined) notice(`The input "mask" names ${name}, which is not set.`);
  return mask.map((name) => [name, process.env[name] ?? '']);
}

/** Ends the run before the job's own time limit, which would end everything without a report. */
function startDeadline(ms: number | undefined): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const expire = () => {
    const message = `The step was still running after its timeout of ${(ms ?? 0) / 60_000} minutes.`;
    controller.abort(
      new AgentReplayError('TOTAL_TIMEOUT', message, {
        hint: 'Raise the input "timeout", which has to stay below timeout-minutes of the job, or spread the sessions over shards.',
      }),
    );
  };
  const timer = ms === undefined ? undefined : setTimeout(expire, ms);
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

const NO_JUDGE =
  'note: compare.judge is not asked on a fork, where it has no key: answers in other words are not judged';

async function configFor({ inputs, event, pull }: Step): Promise<Config> {
  resolvePackageName();
  const settings = joinSettings(inputs.settings, inputs.set, { own: inputFor, set: 'input "set"' });
  const cwd = inputs.workingDirectory;
  const config = await loadConfig({ cwd, file: inputs.config, options: settings, nameOf: inputFor });
  const redact = { ...config.redact, env: [...config.redact.env, ...inputs.mask] };
  const { judge, ...compare } = config.compare;
  const isUnjudged = pull?.isFork === true && judge !== undefined;
  if (isUnjudged) info(NO_JUDGE);
  return { ...config, compare: isUnjudged ? compare : config.compare, redact, base: baseOn(event, config) };
}

/** Runs the job in the same way as the command does. */
async function replayAll(
  config: Config,
  step: Step,
  { onPlan, ...how }: { secrets: readonly string[]; signal: AbortSignal; onPlan: (plan: Plan) => void },
): Promise<Report> {
  const { config: configFile, outputDir } = step.inputs;
  let isGroup = false;
  let unwritten: AgentReplayError | undefined;
  const follow = (event: JobEvent) => {
    if (event.kind === 'planned') {
      isGroup = true;
      onPlan(event.plan);
      startGroup('Replays');
    }
    if (event.kind === 'not-written') unwritten = event.error;
    printLines(eventLines(event));
  };
  let report: Report;
  try {
    const made = await runJob(config, { ...how, outputDir, configFile, command: 'GitHub Action', on: follow });
    report = await throughNights(made, step);
  } finally {
    if (isGroup) endGroup();
  }
  const written = await put(report, outputDir);
  return written === report && unwritten !== undefined ? withProblem(report, unwritten) : written;
}

/** Safe to print. */
function eventLines(event: JobEvent): string[] {
  switch (event.kind) {
    case 'planned': {
      const { gates } = event.plan;
      return [...linesOf(event), ...(gates === undefined ? [] : [`gate: ${gates}`])].flatMap(linesForTerminal);
    }
    case 'agent':
      return linesForTerminal(`the agent ${event.agent.id ?? ''} is ${event.state}`.replace('  ', ' '));
    case 'agent-output':
      return [event.line];
    case 'session-done':
      return linesForTerminal(`done: ${event.session}`);
    default:
      return linesOf(event).flatMap(linesForTerminal);
  }
}

function printLines(lines: readonly string[]): void {
  for (const line of lines) info(line);
}

/** Follows the name, as in git (`main...`): the last commit in common with the checked-out one. */
const COMMON = '...';

/**
 * Decides which commit a run is judged against. The workflow names the branch. The event only selects the commit: on a
 * pull request the last one in common, in a merge queue the one that the queue builds on, on a schedule none.
 */
export function baseOn(
  { name, mergeGroup, dispatchedFor }: Pick<WorkflowEvent, 'name' | 'mergeGroup' | 'dispatchedFor'>,
  { base }: Pick<Config, 'base'>,
): string | undefined {
  // On a schedule nothing has changed, and elsewhere a stranger's code would be started with the secrets.
  if (base === undefined || name === 'schedule' || PRIVILEGED_EVENTS.has(name)) return undefined;
  if (name === 'merge_group') return mergeGroup?.base ?? base;
  const isOfPull = name === 'pull_request' || dispatchedFor !== undefined;
  return isOfPull && !base.endsWith(COMMON) ? base + COMMON : base;
}

/** All that a configuration uses of the package. */
const STAND_IN = 'data:text/javascript,export const defineConfig = (config) => config;';

/**
 * Lets a configuration import `defineConfig` from `agent-replay` in a project that uses the action and has not
 * installed the package. An installed package takes precedence.
 */
function resolvePackageName(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        if (specifier !== 'agent-replay') throw error;
        return { url: STAND_IN, format: 'module', shortCircuit: true };
      }
    },
  });
}
