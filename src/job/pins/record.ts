import { once } from 'node:events';
import path from 'node:path';
import {
  type AgentOptions,
  agentOptions,
  CANCELLED_GRACE_MS,
  type LaunchedAgent,
  launchAgent,
  onPort,
  type ProcessExit,
} from '../../agent/index.ts';
import { sleep } from '../../bounded/index.ts';
import type { Config } from '../../config/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { isInside, outside } from '../../session/index.ts';
import { platformCredentials, type Receiver, startReceiver } from '../../tracing/index.ts';
import { identityOf } from '../running/live-agent.ts';
import { namedAgents } from '../running/plan.ts';
import { notForwarded, readsFrom, withoutLogs } from '../running/tracing.ts';
import { RecordedSessions, type RecordedTurnEvent } from './recorded-sessions.ts';

export interface RecordOptions {
  /** Starts the agent, instead of the configured command. */
  readonly command?: string;
  /** Which of several configured agents; passed on as SVC_AGENT_ID. */
  readonly agentId?: string;
  /** The agent is told it as it is told the port of `{port}`. */
  readonly port?: number;
  /** Folder of the pins, relative to the configuration's root. */
  readonly dir: string;
  /** Name of the file, instead of the first words; further sessions get a number. */
  readonly name?: string;
  /** Replaces pins of sessions that were recorded before. */
  readonly update: boolean;
  readonly turns?: number;
  readonly signal: AbortSignal;
  readonly on: (event: RecordEvent) => void;
}

export type RecordEvent =
  | { readonly kind: 'started' }
  | { readonly kind: 'listening'; readonly url: string }
  /** A line of the agent, ready to print. */
  | { readonly kind: 'agent-output'; readonly line: string }
  | { readonly kind: 'stopping' }
  | { readonly kind: 'not-forwarded'; readonly error: AgentReplayError }
  | RecordedTurnEvent;

export interface Recorded {
  readonly turns: number;
  /** The written pins, relative to the root. */
  readonly files: readonly string[];
  /** How the agent ended, if it ended by itself. */
  readonly exit: ProcessExit | undefined;
  /** The end of its log. */
  readonly log: readonly string[];
}

/** Many agents send nothing when stopped: their SDK exports the last turn at its next flush interval. */
const LAST_EXPORT_MS = 500;
const LOOK_MS = 100;
const KEPT_LOG_LINES = 10;

/**
 * Starts the agent as usual, with its tracing pointed at a receiver on this machine, and pins its turns until it ends or is
 * stopped. Each finished turn is written to its session's pin at once.
 * @throws AgentReplayError `USAGE`, `AGENT_*`, `PLATFORM_NOT_CONFIGURED`, `RECEIVER_UNREACHABLE`
 */
export async function recordSessions(config: Config, options: RecordOptions): Promise<Recorded> {
  const { on, signal } = options;
  // Before anything is asked: what the agent did for a turn is done, and nobody asks it again.
  const dir = path.resolve(config.root, options.dir);
  if (!isInside(dir, config.root)) throw outside(dir, config.root);
  const agent = agentToRecord(config, options);
  const enough = new AbortController();
  const sessions = new RecordedSessions(config, {
    ...options,
    on: (event) => {
      on(event);
      if (options.turns !== undefined && sessions.turns >= options.turns) enough.abort();
    },
  });
  let defect: AgentReplayError | undefined;
  const onDefect = (error: AgentReplayError) => {
    defect ??= error;
    enough.abort();
  };
  const receiver = await openReceiver(config, sessions, { signal, onDefect });
  let ended: Pick<Recorded, 'exit' | 'log'>;
  try {
    ended = await recordFrom(agent, receiver, config, { on, over: AbortSignal.any([signal, enough.signal]) });
    receiver.endTurns();
    await sessions.written();
  } finally {
    await receiver[Symbol.asyncDispose]();
  }
  if (defect !== undefined) throw defect;
  const forwarded = await receiver.forwarded;
  const error = forwarded && notForwarded(forwarded);
  if (error !== undefined) on({ kind: 'not-forwarded', error });
  return { turns: sessions.turns, files: sessions.files, ...ended };
}

async function recordFrom(
  { command, ...settings }: CommandedAgent,
  receiver: Receiver,
  config: Config,
  { on, over }: Pick<RecordOptions, 'on'> & { readonly over: AbortSignal },
): Promise<Pick<Recorded, 'exit' | 'log'>> {
  const theirs = { ...process.env, ...settings.env };
  await using agent = await launchAgent(
    { ...settings, command, stdout: 'pipe', stderr: 'pipe' },
    {
      env: { ...withoutLogs(receiver.environment(theirs), theirs), ...identityOf(settings, config) },
      log: (line) => on({ kind: 'agent-output', line }),
    },
  );
  on({ kind: 'started' });
  const exit = await untilOver(agent, over, on);
  if (exit === undefined) {
    on({ kind: 'stopping' });
    await sleep(LAST_EXPORT_MS);
  }
  await receiver.takeLast(agent.stop({ graceMs: CANCELLED_GRACE_MS }));
  return { exit, log: agent.output.tail(KEPT_LOG_LINES) };
}

type CommandedAgent = AgentOptions & { readonly command: string };

/** Only reachable from this machine, even if runs use another address: it receives keys and content of real use. */
function openReceiver(
  config: Config,
  sessions: RecordedSessions,
  { signal, onDefect }: { readonly signal: AbortSignal; readonly onDefect: (defect: AgentReplayError) => void },
): Promise<Receiver> {
  return startReceiver({
    identifiers: config.identifiers,
    onTurn: (turn) => sessions.take(turn),
    onDefect,
    readsFrom: readsFrom(config, process.env),
    forward: config.tracing.forward ? { ...platformCredentials(process.env, config), signal } : undefined,
  });
}

/** @returns how the agent ended, if it ended by itself */
async function untilOver(
  agent: LaunchedAgent,
  over: AbortSignal,
  on: RecordOptions['on'],
): Promise<ProcessExit | undefined> {
  let exit: ProcessExit | undefined;
  const ended = new AbortController();
  void agent.exited.then((how) => {
    exit = how;
    ended.abort();
  });
  const signal = AbortSignal.any([over, ended.signal]);
  let told = process.platform === 'linux' ? undefined : agent.origin;
  while (!signal.aborted && told === undefined) {
    const [port] = agent.ports();
    if (port === undefined) await sleep(LOOK_MS, signal).catch(() => {});
    else told = `http://127.0.0.1:${port}`;
  }
  if (told !== undefined) on({ kind: 'listening', url: told });
  if (!signal.aborted) await once(signal, 'abort');
  return exit;
}

/** @throws AgentReplayError `USAGE` */
function agentToRecord({ agent, agents, root }: Config, { command, agentId, port }: RecordOptions): CommandedAgent {
  const known = namedAgents({ agent, agents });
  const [, configured] = known.length === 1 ? known[0]! : (known.find(([id]) => id === agentId) ?? []);
  const id = agentId ?? (known.length === 1 ? known[0]?.[0] : undefined);
  const started = command ?? configured?.command;
  if (started !== undefined) {
    const settings = configured ?? agentOptions.parse({});
    const own = { ...settings, id, command: started, cwd: path.resolve(root, settings.cwd ?? '.') };
    return port === undefined ? own : onPort(own, port);
  }
  const ids = known.map(([name]) => name).join(', ');
  throw new AgentReplayError('USAGE', 'No command is configured that starts the agent.', {
    hint:
      known.length > 1
        ? `Name the agent with --agent-id (${ids}), or give the command: \`agent-replay record -- node server.js\``
        : 'Give the command after two dashes: `agent-replay record -- node server.js`',
  });
}
