import type { Command } from 'commander';
import { EXIT, expectEnd } from '../exit.ts';
import { VERSION } from '../version.ts';

interface CommandFile {
  readonly define: (command: Command) => void;
}

/** The commands and their files. Only the called one is loaded. */
const COMMANDS: Readonly<Record<string, readonly [summary: string, load: () => Promise<CommandFile>]>> = {
  demo: ['replay an example agent that is part of the package, with an edited prompt', () => import('./demo.ts')],
  init: ['set a project up', () => import('./init.ts')],
  record: ['start the agent and pin what it is asked', () => import('./record.ts')],
  run: ['replay pinned sessions against the agent, compare, and report', () => import('./run.ts')],
  sessions: ['list recorded sessions of the tracing platform, the newest first', () => import('./sessions.ts')],
  pin: ['pin recorded sessions as *.session.json files', () => import('./pin.ts')],
  accept: ['make the replayed behaviour the new original of the pins', () => import('./accept.ts')],
  fork: ['ask the model again for one step, with all before it as recorded', () => import('./fork.ts')],
  merge: ['make one report of the shards of a run', () => import('./merge.ts')],
  ui: ['serve the Reproducibility page', () => import('./ui.ts')],
  history: ['show how sessions did over time', () => import('./history.ts')],
  'tools-proxy': ['answer the tools of an MCP server from the recording', () => import('./tools-proxy.ts')],
  mcp: ['serve coding agents over MCP: sessions, the last report, reruns', () => import('./mcp.ts')],
  doctor: ["check an agent's endpoint and traces, rule by rule", () => import('./doctor.ts')],
  help: ['show a page of the documentation', () => import('./help.ts')],
};

const VERSION_FLAGS = ['-V', '--version'];
const HELP_FLAGS = ['-h', '--help'];

/** Runs one command, and ends the process with its exit code. */
export async function main(args: readonly string[]): Promise<void> {
  surviveLostOutput();
  // Scripts and tools ask this again and again, so nothing is loaded for it.
  if (args.length === 1 && VERSION_FLAGS.includes(args[0] as string)) {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  // Nor for this, which a Node that is too old for the rest shows, too.
  if (args.length === 1 && HELP_FLAGS.includes(args[0] as string)) {
    process.stdout.write((await programFor(args)).helpInformation());
    return;
  }
  const end = expectEnd();
  const { leaksPrevented, sealStreams, secretsIn } = await import('../redaction/index.ts');
  sealStreams(secretsIn({ environments: [process.env] }));
  try {
    await checkFolder();
    const program = await programFor(args);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = await exitCodeFor(error);
  }
  if (leaksPrevented().length > 0) process.exitCode = await exitCodeAfterLeak(leaksPrevented());
  for (const stream of [process.stdout, process.stderr]) await new Promise((written) => stream.write('', written));
  end.over();
  // A timer or connection left open by the user's code must not keep a job alive.
  process.exit();
}

async function checkFolder(): Promise<void> {
  try {
    process.cwd();
  } catch (cause) {
    const hint = 'Change into a folder that exists.';
    const { AgentReplayError } = await import('../errors.ts');
    throw new AgentReplayError('USAGE', 'The current folder does not exist any more.', { hint, cause });
  }
}

async function exitCodeFor(error: unknown): Promise<number> {
  const { code, exitCode } = error as { code?: unknown; exitCode?: number };
  // The parser has already printed the mistake; help and version are not mistakes.
  if (typeof code === 'string' && code.startsWith('commander.')) return exitCode === 0 ? 0 : EXIT.error;
  const { printError } = await import('./print.ts');
  printError(error);
  return EXIT.error;
}

/** A divergence stays one. */
async function exitCodeAfterLeak(sinks: readonly string[]): Promise<number | string> {
  const { printError } = await import('./print.ts');
  const { leakPrevented } = await import('../errors.ts');
  printError(leakPrevented(sinks));
  return process.exitCode || EXIT.error;
}

/** The parser of the command line. It loads the command that `args` calls. */
export async function programFor(args: readonly string[]): Promise<Command> {
  const { Command } = await import('commander');
  const program = new Command('agent-replay')
    .description("Replay your agent's recorded sessions, and fail when the agent stops behaving the same.")
    .version(VERSION, VERSION_FLAGS.join(', '))
    .showSuggestionAfterError()
    .showHelpAfterError('(agent-replay --help, agent-replay <command> --help, or agent-replay help <topic>)')
    .helpCommand(false)
    .exitOverride();
  const called = args.find((arg) => !arg.startsWith('-'));
  for (const [name, [summary, load]] of Object.entries(COMMANDS)) {
    const command = program.command(name).summary(summary).description(summary);
    command.copyInheritedSettings(program);
    if (name === called) (await load()).define(command);
  }
  return program;
}

/**
 * A reader that is gone (`| head`) is no reason to fail. A full disk is: a pass that could not be printed is no pass.
 */
function surviveLostOutput(): void {
  let isTold = false;
  const onError = ({ code }: NodeJS.ErrnoException) => {
    if (isTold || code === 'EPIPE' || code === 'EIO') return;
    isTold = true;
    process.once('exit', () => (process.exitCode ||= EXIT.error));
    process.stderr.write(`error: The output could not be written (${code}). (OUTPUT_NOT_WRITABLE)\n`);
  };
  for (const stream of [process.stdout, process.stderr]) stream.on('error', onError);
}
