import { isAsRecorded, RecordedTurn } from '../compare/index.ts';
import { addToIgnoreFile, type Config } from '../config/index.ts';
import { AgentReplayError } from '../errors.ts';
import {
  configuredAgents,
  type Keeping,
  planBaselines,
  planRun,
  type RecordedPin,
  recordBaselines,
  startLifetime,
} from '../job/index.ts';
import { learnedIn, whereAndWhat } from '../report/index.ts';
import { recordingsMade, replacePin, type Session } from '../session/index.ts';
import { counted } from '../text/index.ts';
import { printLine, printLines } from './lines.ts';
import { INDENT } from './pinned.ts';
import { fail, printError, printWarning } from './print.ts';
import { ProgressView } from './progress.ts';
import { canAsk, isAgreed, openQuestions } from './question.ts';

/** Fewer recordings show nothing about how an agent varies. */
const FIRST_RUNS = 5;
/** Of many sessions, so many show it. */
const SAMPLE = 10;
export const RUNS_HELP = `replay each pin this many times, and keep every replay as a recording beside the original; by default ${FIRST_RUNS} times on a terminal (of many pins the first ${SAMPLE}), with 0 never`;

/**
 * What `record` and `pin` end with, so that it is known from the first minute on how the agent varies.
 * @param files pins, relative to the root
 * @param options.yes nobody is asked
 */
export async function replayAtOnce(
  files: readonly string[],
  config: Config,
  { runs, yes }: { readonly runs: number | undefined; readonly yes: boolean },
): Promise<void> {
  if (files.length === 0 || runs === 0) return;
  if (runs !== undefined) return writeBaselines(files, config, { runs, keeping: 'none', yes });
  if (!canAsk({ yes }) && !yes) return printLine(`${INDENT}does it vary? ${makeRecordings(files)}`);
  const isStarted = (config.agent ?? config.agents) && configuredAgents(config).every(({ options }) => options.command);
  if (!isStarted)
    return printLine(`${INDENT}not replayed: no agent.command is configured; later: ${makeRecordings(files)}`);
  const [sample, rest] = [files.slice(0, SAMPLE), files.slice(SAMPLE)];
  await writeBaselines(sample, config, { runs: FIRST_RUNS, keeping: 'none', yes, isExtra: true });
  if (rest.length > 0) printLine(`${INDENT}the other ${rest.length}: ${makeRecordings(rest)}`);
}

/** The command that does so later. */
export function makeRecordings(files: readonly string[]): string {
  return `npx agent-replay pin --runs ${FIRST_RUNS} ${files.join(' ')}`;
}

interface BaselineOptions {
  readonly runs: number;
  readonly keeping: Keeping;
  /** Tools may act for real, and nobody is asked. */
  readonly yes: boolean;
  /** Somebody was asked whether tools may act. */
  readonly isAgreed?: boolean;
  /** Nobody asked for it: the pins are there, whatever comes of it. */
  readonly isExtra?: boolean;
}

/**
 * `agent-replay pin --runs N`: replays pins and keeps the behaviour of each replay beside the original.
 * @param files pins, relative to the root
 */
export async function writeBaselines(
  files: readonly string[],
  given: Config,
  { runs, keeping, yes, isAgreed: isAskedAlready = yes, isExtra = false }: BaselineOptions,
): Promise<void> {
  const config = { ...given, runs };
  const tell = isExtra ? printWarning : fail;
  using lifetime = startLifetime(printError);
  const view = new ProgressView();
  const { signal } = lifetime;
  const recorded = await (isAskedAlready ? Promise.resolve(true) : mayRecord(config, signal, files))
    .then((goesOn) =>
      goesOn
        ? recordBaselines(config, { patterns: files, keeping, signal, on: (event) => view.take(event) })
        : undefined,
    )
    .catch((error: unknown) => {
      // Nothing is kept of an interrupted recording, so there is nothing more to say.
      if (lifetime.exitCode === undefined) throw error;
      return undefined;
    })
    .finally(() => view[Symbol.dispose]());
  for (const problem of recorded?.problems ?? []) tell(problem);
  const compared: Compared[] = [];
  for (const each of recorded?.pins ?? []) {
    for (const problem of each.problems) tell(problem);
    compared.push(...((await write(each, config).catch(fail)) ?? []));
  }
  if (compared.length > 0 && lifetime.exitCode === undefined) await conclude(compared, files, config, yes);
  process.exitCode = lifetime.exitCode ?? process.exitCode;
}

/** Says what the recordings show, and mends what they show to be in the way. */
async function conclude(
  compared: readonly Compared[],
  files: readonly string[],
  config: Config,
  yes: boolean,
): Promise<void> {
  const isSteady = compared.every(({ comparison }) => comparison.figures.asRecorded === comparison.requested);
  const { gates } = await planRun(config, { patterns: files });
  const gate = gates === undefined ? 'a run is red when one replay does otherwise' : `gate: ${gates}`;
  const isAlike = compared.every(({ comparison }) => comparison.figures.behaviours === 1);
  const isOther = compared.some(({ comparison: { figures } }) => figures.asRecorded === 0);
  const isOnlyAlike = compared.some(({ comparison: { aspects } }) =>
    Object.values(aspects).some(({ outcome }) => !isAsRecorded(outcome)),
  );
  const same = `does the same each time${isOnlyAlike && !isOther ? ', in words or by ways that vary' : ''}`;
  const asWhen = isOther
    ? ", but never does what it did when a turn was recorded: if tools are why, let the recording answer (tools: 'recorded', docs/tools.md) or give them a sandbox (docs/endpoint.md), and record again"
    : '';
  printLine(`The agent ${isSteady || isAlike ? same : 'varies'}${asWhen}; ${gate}`);
  const learned = learnedIn(compared, { areAsked: true });
  if (learned.length === 0 || config.ignoreFile === undefined) return;
  printLines(
    `agent-replay.ignore, as these values vary and nothing uses them:\n${learned.map(({ path: rule }) => `+ ${rule}`).join('\n')}`,
  );
  using lifetime = startLifetime(printError);
  using questions = canAsk({ yes }) ? openQuestions(lifetime.signal) : undefined;
  if (questions === undefined) return printLine(`${INDENT}add these lines to it if they mean nothing`);
  if (await isAgreed(questions.ask, 'Add them?')) await addToIgnoreFile(config.ignoreFile, learned);
}

/** Number of tools that a question names. */
const NAMED_TOOLS = 5;

/**
 * Asks before pins are replayed whose tools may act for real.
 * @param read what is in no file yet
 * @throws AgentReplayError `USAGE` where nobody can be asked
 */
export async function mayRecord(
  config: Config,
  signal: AbortSignal,
  files: readonly string[],
  read?: Parameters<typeof planBaselines>[2],
): Promise<boolean> {
  const {
    plan: { calls, cost },
    tools: { names, areDeclared },
  } = await planBaselines(config, files, read);
  if (names.length === 0) return true;
  const named = names.slice(0, NAMED_TOOLS).join(', ');
  const more = names.length > NAMED_TOOLS ? ` and ${names.length - NAMED_TOOLS} more` : '';
  const why = areDeclared ? 'may write' : 'none is declared mutating or readOnly';
  const price = cost.money === null ? '' : `, ${cost.words}`;
  const said = `${counted(calls, 'call')}${price}. Tools act for real: ${named}${more} (${why}).`;
  if (!canAsk({ yes: false })) {
    throw new AgentReplayError('USAGE', 'Nobody is here to be asked whether tools may act for real.', {
      evidence: [said],
      hint: 'Give --yes if they may, or let the recording answer for them (`tools` of the configuration, docs/tools.md).',
    });
  }
  printLines(said);
  using questions = openQuestions(signal);
  const goesOn = await isAgreed(questions.ask, 'Go on?');
  if (!goesOn) printLines('Nothing was called or written.');
  return goesOn;
}

/** A turn with its recordings, compared as replays would be. */
type Compared = Parameters<typeof learnedIn>[0][number];

async function write({ pin, session }: RecordedPin, config: Config): Promise<Compared[]> {
  const { root, runs } = config;
  if (session === undefined) {
    printLine(`left     ${pin.path}: not every replay could be recorded`);
    return [];
  }
  const counts = session.turns.map((turn) => recordingsMade(turn).length);
  const all = Math.max(...counts) > runs ? ` (${Math.max(...counts)} in all)` : '';
  const file = await replacePin(session, pin.path, root);
  const compared = comparedTurns(session, config);
  const varying = compared.filter(({ comparison: { figures, requested } }) => figures.asRecorded < requested);
  const alike = varying.length === 0 ? ', and all do the same' : '';
  printLine(`recorded ${file}: ${counted(runs, 'recording')} beside the original${all}${alike}`);
  for (const { index, comparison } of varying) {
    const where = session.turns.length === 1 ? '' : `turn ${index + 1}: `;
    const { figures, requested } = comparison;
    const ways = figures.behaviours > 1 ? `, in ${figures.behaviours} different ways` : '';
    const first = comparison.divergence === null ? '' : `; ${whereAndWhat(comparison.divergence)}`;
    printLine(`${INDENT}${where}${figures.asRecorded} of ${requested} do as the original${ways}${first}`);
  }
  return compared;
}

function comparedTurns({ id, turns }: Session, { compare, tracing }: Config) {
  const hasTraces = tracing.source !== 'none';
  return turns.flatMap((turn, index) => {
    const made = recordingsMade(turn);
    if (made.length === 0) return [];
    const recorded = new RecordedTurn({ request: turn.request, recorded: turn.recorded }, compare, { hasTraces });
    return [{ index, place: `${id}, turn ${index + 1}`, comparison: recorded.compare(...made) }];
  });
}
