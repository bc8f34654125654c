import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { endingIn, within } from '../bounded/index.ts';
import { AgentReplayError } from '../errors.ts';
import { isLocal } from '../http/index.ts';
import { duration } from '../text/index.ts';
import { agentEnvironment, type Environment, withoutVitest } from './agent-environment.ts';
import { type AgentOptions, agentOptions } from './agent-options.ts';
import { answeredByOther, commandNotFound, exitedEarly, notReady, portInUse } from './failures.ts';
import { holderOf, portsOf } from './listener.ts';
import { AgentOutput, echoLine, type OutputLog } from './output.ts';
import { freePort, leavesPortOpen, withPort } from './port.ts';
import { endLeftovers, type ProcessExit, ProcessTree } from './process-tree.ts';
import { addressInUse, answers, isProven, portOf, type StartProof, urlWithoutSecrets } from './readiness.ts';

/**
 * How we know that the program at the address is the agent. `listener`: one of its processes is seen to listen there.
 * `proof`: it proved that we started it. `life`: only that it lives, and would end or fail without its port. `said`: the
 * configuration says so, for an agent that we did not start, that is on another machine, or that is `external`.
 */
export type KnownBy = 'listener' | 'proof' | 'life' | 'said';

/** The customer's agent, ready to be called. Disposing of it stops it. */
export interface RunningAgent extends AsyncDisposable {
  /** The target URL. */
  readonly url: string;
  /** The process id, which is also that of its process group; undefined for an agent that we did not start. */
  readonly pid: number | undefined;
  /** Resolves when the command has ended for any reason; never for an agent that we did not start. */
  readonly exited: Promise<ProcessExit>;
  readonly output: AgentOutput;
  readonly knownBy: KnownBy;
  /** Whether we have begun to end it, so that its end is no crash. */
  isStopping(): boolean;
  /**
   * Ends every process that the command left, and resolves when they are gone: the configured signal first, SIGKILL after
   * `graceMs` (default `gracefulShutdown.timeout`). Another call can shorten that: `graceMs: 0` kills at once.
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}

interface StartContext {
  /** Added to the environment, such as tracing variables. The user's own `env` wins. */
  readonly env?: Environment;
  /** With it the replay endpoint proves that it runs in the agent started here. */
  readonly proof?: StartProof;
  readonly log?: OutputLog;
  /** Called each second, from the third on, with what it waits for: `GET http://127.0.0.1:3000/: status 500, asked again …`. */
  readonly onAwaited?: (missing: string) => void;
  /** Cancels the start: what was started is ended within {@link CANCELLED_GRACE_MS}, then its reason is thrown. */
  readonly signal?: AbortSignal;
}

/** The grace of whatever is cancelled: CI gives a cancelled job 7.5 s for everything, and at a terminal somebody waits. */
export const CANCELLED_GRACE_MS = 2_000;
/** After this time people wonder why the agent is not ready. */
const SAID_AFTER_MS = 2_000;
const SAID_EVERY_MS = 1_000;
/** The kernel accepts no longer argument (Linux: 128 KiB including the final NUL). */
const MAX_COMMAND_BYTES = 128 * 1024 - 1;
/** The last output of an ended command may still be arriving, but a child of it can hold the pipe open. */
export const LAST_WORDS_MS = 200;

/**
 * Starts the customer's agent and resolves once it is ready; without `command`, waits until it answers. If the start fails,
 * nothing of it is left. On a second Ctrl-C during a start the caller exits, which kills the agent at once.
 * @throws AgentReplayError `CONFIG_INVALID`, `TARGET_INVALID`, `AGENT_COMMAND_EMPTY`, `AGENT_COMMAND_NOT_FOUND`,
 * `AGENT_PORT_IN_USE`, `AGENT_EXITED` or `AGENT_NOT_READY`; the reason of `signal` when cancelled
 */
export async function startAgent(
  options: z.input<typeof agentOptions>,
  context: StartContext = {},
): Promise<RunningAgent> {
  const settings = await withItsPort(agentOptions.parse(options));
  const target = targetUrl(settings);
  const command = checkedCommand(settings);
  const cwd = checkedDirectory(settings);
  context.signal?.throwIfAborted();
  if (command !== undefined) await clearAway(cwd, context.log);

  if (command === undefined) {
    await untilReady(settings, target, undefined, context);
    return agentElsewhere(target);
  }
  const taken = await addressInUse(target);
  if (taken !== undefined) throw portInUse(target, taken);

  const { timeout: graceMs } = settings.gracefulShutdown;
  const tree = await launched(settings, command, context);
  const agent = { ...startedAgent(settings, tree, context.log), url: target.href };
  const cancel = () => agent.stop({ graceMs: Math.min(graceMs, CANCELLED_GRACE_MS) });
  if (context.signal?.aborted) cancel();
  // This also speeds up the clean-up of a failed start.
  context.signal?.addEventListener('abort', cancel);
  try {
    await untilReady(settings, target, { tree, output: agent.output }, context);
    return { ...agent, knownBy: settings.external ? 'said' : await identified(target, tree, context) };
  } catch (error) {
    await agent.stop();
    throw error;
  } finally {
    context.signal?.removeEventListener('abort', cancel);
  }
}

/**
 * Makes sure, before any call, that no stranger answers instead of the agent.
 * @throws AgentReplayError `AGENT_PORT_IN_USE`; the reason of the signal when cancelled
 */
async function identified(target: URL, tree: ProcessTree, { proof, signal }: StartContext): Promise<KnownBy> {
  if (!isLocal(target)) return 'said';
  const holder = holderOf(portOf(target), () => tree.survivors(), tree.pid);
  if (holder === 'agent') return 'listener';
  if (holder !== 'unknown') throw answeredByOther(target, holder.stranger);
  const isOurs = proof && (await isProven(endpointsAt(target), proof, signal));
  if (isOurs === false) throw answeredByOther(target, 'its replay endpoint was not started by this run');
  return isOurs ? 'proof' : 'life';
}

/** The URLs that may be the endpoint; for a base URL also the one below it. */
function endpointsAt(target: URL): URL[] {
  if (/\/replay\/?$/.test(target.pathname)) return [target];
  return [new URL(`${target.pathname.replace(/\/$/, '')}/replay${target.search}`, target), target];
}

/** An agent that nobody waited for. It need not have an address. */
export interface LaunchedAgent extends Omit<RunningAgent, 'url' | 'knownBy'> {
  /** Its configured origin, with the port it was given; undefined without one. */
  readonly origin: string | undefined;
  /** Ports that its processes listen on now; empty if unknown (outside Linux). */
  ports(): number[];
}

/**
 * Resolves at once: the agent need not be a server.
 * @throws AgentReplayError `CONFIG_INVALID`, `AGENT_COMMAND_EMPTY`, `AGENT_COMMAND_NOT_FOUND`
 */
export async function launchAgent(
  options: z.input<typeof agentOptions> & { readonly command: string },
  context: StartContext = {},
): Promise<LaunchedAgent> {
  const settings = await withItsPort(agentOptions.parse(options));
  const origin = settings.url && new URL(settings.url).origin;
  await clearAway(checkedDirectory(settings), context.log);
  const tree = await launched(settings, checkedCommand(settings) as string, context);
  return { ...startedAgent(settings, tree, context.log), origin, ports: () => portsOf(tree.survivors()) };
}

async function launched(settings: AgentOptions, command: string, context: StartContext): Promise<ProcessTree> {
  const cwd = checkedDirectory(settings);
  const env = agentEnvironment(withoutVitest(process.env), context.env, settings.env);
  const { signal, timeout: graceMs } = settings.gracefulShutdown;
  return ProcessTree.launch(command, { cwd, env, signal, graceMs }).catch((error: Error) => {
    throw commandNotFound(command, [`error: ${error.message}`], error);
  });
}

/** Ends what an earlier run could not end itself: it would hold the port, or answer instead of the agent. */
async function clearAway(cwd: string, log: OutputLog | undefined): Promise<void> {
  const left = await endLeftovers(cwd);
  if (left.length > 0)
    log?.(echoLine(`(ended now: process ${left.join(', ')}, left by a run that was killed)`), 'stderr');
}

function startedAgent(
  settings: AgentOptions,
  tree: ProcessTree,
  log: OutputLog | undefined,
): Omit<RunningAgent, 'url' | 'knownBy'> {
  const output = new AgentOutput({
    stdout: { readable: tree.stdout, log: settings.stdout === 'pipe' ? log : undefined },
    stderr: { readable: tree.stderr, log: settings.stderr === 'pipe' ? log : undefined },
  });
  let stopped: Promise<void> | undefined;
  let isStopping = false;
  const stop: RunningAgent['stop'] = ({ graceMs = settings.gracefulShutdown.timeout } = {}) => {
    isStopping = true;
    const ended = tree.end(graceMs);
    stopped ??= ended.then(async (left) => {
      if (left.length > 0)
        log?.(echoLine(`(still running, and not ours to end: process ${left.join(', ')})`), 'stderr');
      else await within(LAST_WORDS_MS, output.ended);
      output.close();
    });
    return stopped;
  };
  const shown = { pid: tree.pid, exited: tree.exited, output };
  return { ...shown, isStopping: () => isStopping, stop, [Symbol.asyncDispose]: () => stop() };
}

function agentElsewhere(target: URL): RunningAgent {
  const stop = async () => {};
  const output = new AgentOutput();
  const shown = { url: target.href, pid: undefined, exited: new Promise<never>(() => {}), output };
  return { ...shown, knownBy: 'said', isStopping: () => false, stop, [Symbol.asyncDispose]: stop };
}

/** Resolves once the agent answers. Rejects if it exits, the time is over or the start is cancelled. */
async function untilReady(
  settings: AgentOptions,
  target: URL,
  started: { tree: ProcessTree; output: AgentOutput } | undefined,
  { signal, onAwaited }: StartContext,
): Promise<void> {
  const over = new AbortController();
  const deadline = endingIn(settings.timeout);
  let exit: ProcessExit | undefined;
  started?.tree.exited.then((ended) => {
    exit = ended;
    over.abort();
  });
  const { wait = {} } = settings;
  const url = wait.url === undefined ? new URL('/', target) : new URL(wait.url);
  let seen = 'not seen';
  const startedAt = performance.now();
  const telling = setInterval(() => {
    if (performance.now() - startedAt >= SAID_AFTER_MS)
      onAwaited?.(`GET ${urlWithoutSecrets(url)}: ${seen}, asked again for up to ${duration(settings.timeout)}`);
  }, SAID_EVERY_MS);
  try {
    await answers(url, {
      accepts: (status) => wait.status?.includes(status) ?? status < 500,
      seen: (what) => {
        seen = what;
      },
      signal: AbortSignal.any([over.signal, deadline, ...(signal ? [signal] : [])]),
    });
    if (exit === undefined) return;
  } catch (error) {
    signal?.throwIfAborted();
    if (exit === undefined && !deadline.aborted) throw error;
    if (exit === undefined) {
      const ports = portsOf(started?.tree.survivors() ?? []).filter((port) => port !== portOf(target));
      throw notReady(settings, { url, seen, ports, output: started?.output });
    }
  } finally {
    clearInterval(telling);
    over.abort();
  }
  await within(LAST_WORDS_MS, started!.output.ended);
  throw exitedEarly(settings, exit, started!.output, started!.tree.survivors());
}

function targetUrl({ url }: AgentOptions): URL {
  if (url !== undefined) return new URL(url);
  throw new AgentReplayError('TARGET_INVALID', 'No target URL is given.', {
    hint: 'Set agent.url (--url) to the full URL of the replay endpoint, such as http://127.0.0.1:3000/replay.',
  });
}

/** If the URL leaves the port open: puts a free one into the URLs and the agent's environment. */
async function withItsPort(settings: AgentOptions): Promise<AgentOptions> {
  const { url, wait, command } = settings;
  if (!leavesPortOpen(url) && !leavesPortOpen(wait?.url)) return settings;
  if (command === undefined) {
    throw new AgentReplayError('TARGET_INVALID', 'agent.url leaves the port open, and no command starts the agent.', {
      hint: 'Write the port on which the agent listens in place of {port}, or set agent.command (--start).',
    });
  }
  return onPort(settings, await freePort());
}

/** In place of `{port}`; the agent is told it as PORT. */
export function onPort<Settings extends AgentOptions>({ url, wait, ...agent }: Settings, port: number) {
  return {
    ...agent,
    ...(url !== undefined && { url: withPort(url, port) }),
    wait: wait?.url === undefined ? wait : { ...wait, url: withPort(wait.url, port) },
    env: { ...agent.env, PORT: String(port) },
  };
}

function checkedCommand({ command }: AgentOptions): string | undefined {
  if (command === undefined) return undefined;
  const bytes = Buffer.byteLength(command);
  const mistake =
    command.trim() === ''
      ? 'is blank'
      : command.includes('\0')
        ? 'holds a NUL character'
        : bytes > MAX_COMMAND_BYTES
          ? `is ${bytes} bytes long, and a command can have ${MAX_COMMAND_BYTES}`
          : undefined;
  if (mistake === undefined) return command;
  throw new AgentReplayError('AGENT_COMMAND_EMPTY', `The start command agent.command (--start) ${mistake}.`, {
    hint: 'Give the command that starts the agent, such as "node server.js", or leave it out for an agent that already runs.',
  });
}

function checkedDirectory({ cwd = '.' }: AgentOptions): string {
  const directory = resolve(cwd);
  if (existsSync(directory)) return directory;
  throw new AgentReplayError('CONFIG_INVALID', 'The directory of the agent does not exist.', {
    evidence: [`agent.cwd: ${directory}`],
    hint: 'Correct agent.cwd; it is taken from the current directory.',
  });
}
