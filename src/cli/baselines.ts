import path from 'node:path';
import { RecordedTurn } from '../compare/index.ts';
import type { Config } from '../config/index.ts';
import { counted } from '../counted.ts';
import { type Plan, recordBaselines, startLifetime } from '../job/index.ts';
import { recordingsMade, type Session, savePin } from '../session/index.ts';
import { printLine, printLines } from './lines.ts';
import { INDENT } from './pinned.ts';
import { fail, printError } from './print.ts';
import { ProgressView } from './progress.ts';
import { isAgreed, openQuestions } from './question.ts';

export type Keeping = Parameters<typeof recordBaselines>[1]['keeping'];
type RecordedPin = Awaited<ReturnType<typeof recordBaselines>>['pins'][number];

/**
 * `agent-replay pin --runs N`: replays pins and keeps the behaviour of each replay beside the original.
 * @param files pins, relative to the root
 * @param options.canAsk whether somebody can confirm that tools may act for real
 */
export async function writeBaselines(
  files: readonly string[],
  config: Config,
  { keeping, canAsk }: { readonly keeping: Keeping; readonly canAsk: boolean },
): Promise<void> {
  using lifetime = startLifetime(printError);
  using view = new ProgressView();
  const recorded = await recordBaselines(config, {
    patterns: files,
    keeping,
    signal: lifetime.signal,
    ...(canAsk && { mayGoOn: (plan, tools) => mayGoOn(plan, { ...tools, signal: lifetime.signal }) }),
    on: (event) => view.take(event),
  }).catch((error: unknown) => {
    // Nothing is kept of an interrupted recording, so there is nothing more to say.
    if (lifetime.exitCode === undefined) throw error;
    return undefined;
  });
  view[Symbol.dispose]();
  for (const problem of recorded?.problems ?? []) fail(problem);
  for (const each of recorded?.pins ?? []) await write(each, config).catch(fail);
  process.exitCode = lifetime.exitCode ?? process.exitCode;
}

/** Number of tools that a question names. */
const NAMED_TOOLS = 5;

type WritingTools = Parameters<NonNullable<Parameters<typeof recordBaselines>[1]['mayGoOn']>>[1];

interface Asked extends WritingTools {
  readonly signal: AbortSignal;
}

async function mayGoOn({ calls, cost }: Plan, { names, areDeclared, signal }: Asked): Promise<boolean> {
  const named = names.slice(0, NAMED_TOOLS).join(', ');
  const more = names.length > NAMED_TOOLS ? ` and ${names.length - NAMED_TOOLS} more` : '';
  const why = areDeclared ? 'may write' : 'none is declared mutating or readOnly';
  printLines(`${counted(calls, 'call')}, ${cost.words}. Tools act for real: ${named}${more} (${why}).`);
  using questions = openQuestions(signal);
  const goesOn = await isAgreed(questions.ask, 'Go on?');
  if (!goesOn) printLines('Nothing was called.');
  return goesOn;
}

async function write({ pin, session, problems }: RecordedPin, config: Config): Promise<void> {
  const { root, runs } = config;
  for (const problem of problems) fail(problem);
  if (session === undefined) {
    printLine(`left     ${pin.path}: not every replay could be recorded`);
    return;
  }
  const place = { root, dir: path.dirname(pin.path), name: path.basename(pin.path), overwrite: true };
  const counts = session.turns.map((turn) => recordingsMade(turn).length);
  const all = Math.max(...counts) > runs ? ` (${Math.max(...counts)} in all)` : '';
  printLine(`recorded ${await savePin(session, place)}: ${counted(runs, 'recording')} beside the original${all}`);
  for (const line of agreementOf(session, config)) printLine(`${INDENT}${line}`);
}

/** How many recordings of each turn do as its original. */
function agreementOf({ turns }: Session, { compare, tracing }: Config): string[] {
  const hasTraces = tracing.source !== 'none';
  return turns.flatMap((turn, index) => {
    const made = recordingsMade(turn);
    if (made.length === 0) return [];
    const comparison = new RecordedTurn({ request: turn.request, recorded: turn.recorded }, compare, {
      hasTraces,
    }).start(made.length);
    for (const [run, recording] of made.entries()) comparison.add(run + 1, recording);
    const { figures } = comparison.result();
    const where = turns.length === 1 ? '' : `turn ${index + 1}: `;
    const alike = `${where}${figures.asRecorded} of ${made.length} do as the original`;
    const ways = figures.behaviours > 1 ? `, in ${figures.behaviours} different ways` : '';
    return [`${alike}${ways}`];
  });
}
