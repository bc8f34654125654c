import { constants } from 'node:os';
import { AgentReplayError } from '../errors.ts';
import { cut, firstOf } from '../text/index.ts';
import type { AgentOptions } from './agent-options.ts';
import { type AgentOutput, echoLine, type OutputStream, plainLine } from './output.ts';
import type { ProcessExit } from './process-tree.ts';
import { urlWithoutSecrets } from './readiness.ts';

const MAX_SHOWN_COMMAND = 200;
const SHOWN_LINES = 20;
const NAMED_CALLS = 5;

/** @param asked what it had not answered */
export function agentCrashed(exit: ProcessExit, output: AgentOutput, asked: readonly string[] = []): AgentReplayError {
  return new AgentReplayError('AGENT_CRASHED', `The agent ${describeExit(exit)} while it was in use.`, {
    evidence: [
      ...firstOf(asked, NAMED_CALLS, (call) => `in flight: ${call}`, 'more calls in flight'),
      ...lastLines(output),
    ],
    hint: exitHint(exit, output) ?? 'Its last lines are above; run the start command by hand to see the rest.',
  });
}

const OPEN_PORT = 'Write {port} for the port in agent.url, and a free one is taken each time.';

export function portInUse(target: URL, address: string): AgentReplayError {
  return new AgentReplayError('AGENT_PORT_IN_USE', `The agent's address ${address} is already in use.`, {
    evidence: [`target: ${urlWithoutSecrets(target)}`],
    hint: `${OPEN_PORT} Or end the process that listens there, or leave out agent.command to replay against it.`,
  });
}

/** The agent has started, and somebody else answers at its address. */
export function answeredByOther(target: URL, who: string): AgentReplayError {
  return new AgentReplayError('AGENT_PORT_IN_USE', `Another program answers at the agent's address: ${who}.`, {
    evidence: [`target: ${urlWithoutSecrets(target)}`, 'no call was sent'],
    hint: `${OPEN_PORT} If that program serves the agent, as a daemon of containers does, set agent.external.`,
  });
}

/** The shell could not be started, or could not start the command. */
export function commandNotFound(command: string, evidence: readonly string[], cause?: unknown): AgentReplayError {
  return new AgentReplayError('AGENT_COMMAND_NOT_FOUND', 'The start command was not found or could not be run.', {
    evidence: [commandLine(command), ...evidence],
    hint: 'Check agent.command and agent.cwd, and that what it runs is installed, executable and on the PATH.',
    cause,
  });
}

/** A POSIX shell's exit codes for a command that cannot be run, and for one that does not exist. */
const NOT_RUN = [126, 127];

/** The command ended before the agent was ready, with whatever exit code. */
export function exitedEarly(
  settings: AgentOptions,
  exit: ProcessExit,
  output: AgentOutput,
  left: readonly number[],
): AgentReplayError {
  if (NOT_RUN.includes(exit.code ?? 0)) {
    return commandNotFound(settings.command!, [`exit code: ${exit.code}`, ...lastLines(output, 'stderr')]);
  }
  const daemon = left.length > 0 || exit.code === 0;
  return new AgentReplayError('AGENT_EXITED', `The agent ${describeExit(exit)} before it was ready.`, {
    evidence: [
      commandLine(settings.command!),
      ...(left.length > 0 ? [`still running, so it was ended: process ${left.join(', ')}`] : []),
      ...lastLines(output),
    ],
    hint:
      exitHint(exit, output) ??
      (daemon
        ? 'The command must stay in the foreground for as long as the agent serves: start it without "&" and not as a daemon.'
        : 'Run the start command by hand in the same directory; its last lines are above.'),
  });
}

interface NotReady {
  readonly url: URL;
  /** What it answered last. */
  readonly seen: string;
  /** On which it listens, but for that of the target. */
  readonly ports: readonly number[];
  readonly output: AgentOutput | undefined;
}

/** The time for becoming ready is over. */
export function notReady(settings: AgentOptions, { url, seen, ports, output }: NotReady): AgentReplayError {
  const answered = seen.startsWith('status');
  return new AgentReplayError('AGENT_NOT_READY', `The agent was not ready after ${settings.timeout / 1_000} s.`, {
    evidence: [
      ...(settings.command === undefined ? [] : [commandLine(settings.command)]),
      `GET ${urlWithoutSecrets(url)}: ${seen}`,
      ...ports.map((port) => `the agent listens on port ${port}`),
      ...(output === undefined ? [] : lastLines(output)),
    ],
    hint: answered
      ? 'It answers, but not with a status that means ready: set agent.wait.url to a page that does, or list the status in agent.wait.status.'
      : settings.command === undefined
        ? 'No start command is given, so the agent must already run there: set agent.command, or correct agent.url.'
        : ports.length > 0
          ? 'Have it listen on the PORT that it is given, or set agent.url to the port on which it does.'
          : 'Check that the agent listens where agent.url says; if it only needs longer, raise agent.timeout.',
  });
}

/** Whether somebody asked it to end: a Ctrl-C or a cancelled job reaches the agent as well as us. */
export function endedBySignal(exit: ProcessExit): boolean {
  return ['SIGINT', 'SIGTERM', 'SIGHUP'].includes(exit.signal ?? signalOfCode(exit.code) ?? '');
}

function describeExit({ code, signal }: ProcessExit): string {
  if (signal !== null) return `was ended by ${signal}`;
  const name = signalOfCode(code);
  return `exited with code ${code}${name === undefined ? '' : ` (${name})`}`;
}

function exitHint(exit: ProcessExit, output: AgentOutput): string | undefined {
  if ((exit.signal ?? signalOfCode(exit.code)) === 'SIGKILL') {
    return 'SIGKILL that nobody sent usually means out of memory: give the machine more of it, or the agent less to hold.';
  }
  if (tellsOfPortInUse(output.tail(SHOWN_LINES))) {
    return 'A port that the agent wants is already in use: end the process that listens there.';
  }
  const [missing] = output.tail(SHOWN_LINES).flatMap((line) => MISSING.exec(line)?.[1] ?? []);
  if (missing === undefined) return undefined;
  return /^[./]|^\w:/.test(missing)
    ? `Correct the import of ${missing}, or add the file.`
    : `Install the package ${missing}, or correct its import.`;
}

/** Whether an agent printed that somebody else listens where it wants to. */
export function tellsOfPortInUse(lines: readonly string[]): boolean {
  return lines.some((line) => /EADDRINUSE|address already in use/i.test(line));
}

/** What Node, Bun and Python say of a module that is not there. */
const MISSING = /(?:Cannot find (?:module|package)|No module named) ['"]?([^'"\s]+)/;

/** A shell's exit code 128 + n means that signal n ended the command. */
function signalOfCode(code: number | null): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number + 128 === code)?.[0];
}

function lastLines(output: AgentOutput, stream?: OutputStream): string[] {
  const lines = output.tail(SHOWN_LINES, stream).map(echoLine);
  return lines.length > 0 ? lines : [`the agent printed nothing${stream === undefined ? '' : ` to ${stream}`}`];
}

function commandLine(command: string): string {
  return `command: ${cut(plainLine(command), MAX_SHOWN_COMMAND)}`;
}
