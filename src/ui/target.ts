import { isSameServer, targetWithoutSecrets, withPort } from '../agent/index.ts';
import type { Config } from '../config/index.ts';
import {
  PLATFORM_TRACE_MS,
  parseConfig,
  readSavedTargets,
  recordedAt,
  savedName,
  saveTarget,
} from '../config/index.ts';
import { AgentReplayError } from '../errors.ts';
import { own } from '../json/index.ts';
import { parseTarget } from '../replay/index.ts';
import { placeOf } from '../tracing/index.ts';
import type { RunSettings, TargetState } from './api-shapes.ts';

/**
 * The saved URL, or else the configured one. An agent that the configuration starts is only started for its own URL.
 * @param once a URL that wins over both
 * @returns also the configuration of that agent's runs; undefined without a target URL
 * @throws AgentReplayError `TARGET_INVALID` if `once` is not a target
 */
export async function targetFor(
  config: Config,
  agentId: string | undefined,
  once?: string,
): Promise<{ readonly state: TargetState; readonly config: Config | undefined }> {
  const name = savedName(config, agentId);
  const configured = config.agents === undefined ? config.agent : own(config.agents, name);
  const saved = (await readSavedTargets(config.root)).get(name);
  if (once !== undefined) parseTarget(withPort(once));
  const url = once ?? saved ?? configured?.url;
  const base = configured ?? parseConfig({ agent: {} }, { folder: config.root }).agent ?? undefined;
  if (url === undefined || base === undefined) {
    return { state: { agentId: name, url: '', from: 'none', source: '' }, config: undefined };
  }
  const isStarted = base.command !== undefined && (base.url === undefined || isSameServer(base.url, url));
  const { command, ...elsewhere } = base;
  const agent = { ...(isStarted ? base : elsewhere), ...(name === '' ? {} : { id: name }), url };
  const { source, ...change } = sourceOf(config, isStarted);
  const { headers, note } = headersFor(config, { url, own: configured?.url ?? saved });
  return {
    state: { agentId: name, url, from: saved === undefined ? 'configured' : 'saved', source: `${source}${note}` },
    config: { ...config, ...change, headers, agents: undefined, agent },
  };
}

/**
 * The configured headers, which can contain a key, only for the server they were meant for.
 * @param target.own the configured URL, or else the saved one
 */
function headersFor(
  { headers }: Config,
  { url, own }: { url: string; own: string | undefined },
): { headers: Config['headers']; note: string } {
  if (Object.keys(headers).length === 0 || (own !== undefined && isSameServer(own, url))) return { headers, note: '' };
  const meant = own === undefined ? 'another server' : targetWithoutSecrets(own);
  return { headers: {}, note: ` The configured headers are not sent there: they are for ${meant}.` };
}

/** The configuration of a run with its own settings. */
export function varied(
  config: Config,
  { tools, gate = config.gate }: { tools?: 'live' | 'recorded'; gate?: Config['gate'] },
): Config {
  return { ...config, gate, ...(tools !== undefined && { tools: toolsAs(config, tools) }) };
}

/** The same for all tools, except those that must not run, which never do. */
function toolsAs({ tools, compare }: Config, others: 'live' | 'recorded'): Config['tools'] {
  const isDear = (name: string) => compare.tools[name]?.mutating === true || compare.tools[name]?.critical === true;
  const never = [
    ...Object.keys(tools.named).filter((name) => tools.named[name] === 'never'),
    ...(tools.others === 'live' ? [] : Object.keys(compare.tools).filter(isDear)),
  ];
  return { ...tools, others, named: Object.fromEntries(never.map((name) => [name, 'never'])) };
}

/** Where the results of the agent's tools come from, as configured. */
export function toolsOf({ tools: { others, named } }: Config): RunSettings['tools'] {
  const own = others === 'live' ? 'live' : 'recorded';
  return Object.values(named).every((each) => (each === 'live') === (own === 'live')) ? own : 'mixed';
}

/**
 * Saves the target URL of an agent.
 * @param agentId as in {@link TargetState}
 * @throws AgentReplayError `TARGET_INVALID`, `OUTPUT_NOT_WRITABLE`
 */
export async function setTarget({ root }: Config, agentId: string, url: string): Promise<void> {
  if (parseTarget(withPort(url.trim())).authorization !== undefined) {
    throw new AgentReplayError(
      'TARGET_INVALID',
      'The target URL holds a user name or a password, which would be saved as they are.',
      {
        hint: 'Run with it and do not save it, or put it in agent.url of the configuration, from an environment variable.',
      },
    );
  }
  const saved = saving.then(() => saveTarget(root, agentId, url.trim()));
  saving = saved.catch(() => {});
  await saved;
}

/** One after another, so that two pages that save at once keep both. */
let saving: Promise<void> = Promise.resolve();

/** As configured, unless the agent cannot be told the receiver's address: then the platform, or only responses. */
function sourceOf(
  config: Config,
  isStarted: boolean,
): Pick<TargetState, 'source'> & Partial<Pick<Config, 'tracing' | 'timeouts'>> {
  const { tracing, timeouts } = config;
  switch (tracing.source) {
    case 'platform':
      return { source: `Traces are read from ${platformUrl(config) ?? 'the platform, whose keys are not set'}.` };
    case 'files':
      return { source: `Traces are read from ${tracing.files.join(', ')}.` };
    case 'command':
      return { source: `Traces are read from what ${tracing.command.join(' ')} answers.` };
    case 'none':
      return { source: 'No traces are read: responses only are compared, as configured.' };
    case 'embedded': {
      const { host = '127.0.0.1', port } = tracing.receiver;
      if (isStarted) {
        return { source: 'agent-replay starts the agent, and receives its traces itself.' };
      }
      if (port !== undefined) {
        return { source: `agent-replay receives the traces at ${host}:${port}, where the agent has to send them.` };
      }
      const url = platformUrl(config);
      if (url === undefined) {
        return {
          source:
            'No traces are read: responses only are compared, because the agent is not started by agent-replay and no platform is set.',
          tracing: { ...tracing, source: 'none' },
        };
      }
      return {
        source: `Traces are read from ${url}, because the agent is not started by agent-replay.`,
        tracing: { ...tracing, source: 'platform' },
        timeouts: { ...timeouts, trace: Math.max(timeouts.trace, PLATFORM_TRACE_MS) },
      };
    }
  }
}

/** @throws AgentReplayError if the environment does not say where sessions are recorded */
export function platformPlace(config: Config): ReturnType<typeof placeOf> {
  return placeOf(recordedAt(config), { ...config.tracing, ...config, environment: process.env });
}

/** Where sessions are recorded, in words. @throws AgentReplayError as {@link platformPlace} */
export function recordingPlace(config: Config): string {
  const place = platformPlace(config);
  if ('host' in place) return place.host;
  return 'paths' in place ? place.paths.join(', ') : place.command.join(' ');
}

/** The same; undefined if the environment does not say. */
function platformUrl(config: Config): string | undefined {
  try {
    return recordingPlace(config);
  } catch (error) {
    if (error instanceof AgentReplayError) return undefined;
    throw error;
  }
}

/** The address of a trace, on platforms whose addresses need only its id; otherwise empty. */
export function linkTo(config: Config): (traceId: string) => string {
  const { source, forward } = config.tracing;
  const isThere = source === 'platform' || forward;
  return (traceId) => (isThere ? placeOnPlatform(config, traceId) : '');
}

/** The address of a platform's trace; empty if no platform is configured. */
export function placeOnPlatform(config: Config, traceId: string): string {
  const host = platformUrl(config);
  return host === undefined ? '' : `${host}/trace/${encodeURIComponent(traceId)}`;
}
