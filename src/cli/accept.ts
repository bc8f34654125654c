import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { isAsRecorded, isDiverged, isDoubt, OTHER_WORDS, RecordedTurn } from '../compare/index.ts';
import type { Config } from '../config/index.ts';
import { AgentReplayError } from '../errors.ts';
import { type Acceptance, keepPinLock, openAcceptance } from '../job/index.ts';
import { type Report, type SessionResult, whereAndWhat } from '../report/index.ts';
import { loadPins, type Pin, replacePin } from '../session/index.ts';
import { counted } from '../text/index.ts';
import { CONFIG } from './config-options.ts';
import { foundConfig } from './found-config.ts';
import { lastOutput } from './last-output.ts';
import { printLine } from './lines.ts';
import { fail } from './print.ts';
import { readReport } from './read-report.ts';
import { makeRecordings } from './recordings.ts';
import { wholeNumber } from './whole-number.ts';

interface AcceptFlags {
  readonly pin?: string[];
  readonly run?: string;
  readonly all: boolean;
  readonly asRecordings: boolean;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly config?: string;
}

export function define(command: Command): void {
  command
    .argument('[report]', 'report.json of the run, in its output folder; by default that of the last run')
    .option('--pin <files...>', 'only these pins; by default all that are not as recorded')
    .option('--all', 'also what is as recorded, so that the pins hold what the models are asked now', false)
    .option('--run <k>', 'take what this run did, where the replays do not agree')
    .option('--as-recordings', 'keep every conclusive replay of the run as a recording beside the original', false)
    .option('--dry-run', 'show what would change, and write nothing', false)
    .option('--force', 'accept even where CI is set, and behaviour that must never happen (docs/gate.md)', false)
    .option(...CONFIG)
    .action(acceptReport);
}

async function acceptReport(given: string | undefined, flags: AcceptFlags): Promise<void> {
  const file = given ?? path.join(await lastOutput(), 'report.json');
  const config = await foundConfig(flags.config);
  const report = await readReport(file);
  const { asRecordings } = flags;
  const environment = flags.force || flags.dryRun ? undefined : process.env;
  const run = await openAcceptance(path.dirname(file), report, { asRecordings, environment });
  const choice = { run: wholeNumber('--run', flags.run), force: flags.force, isRenewed: flags.all };
  const { chosen, missing } = chosenSessions(report, flags, config);
  for (const name of missing) fail(new AgentReplayError('USAGE', `${name} is not in ${file}.`));
  let [count, known] = [0, 0];
  for (const result of chosen) {
    const pin = await loadPin(result, config).catch(fail);
    if (pin === undefined) continue;
    const acceptance = run.accept(pin.session, result, choice);
    for (const refusal of acceptance.refused) fail(refusal);
    if (acceptance.accepted.length === 0 || isDeepStrictEqual(acceptance.session, pin.session)) {
      known++;
      continue;
    }
    count++;
    printAccepted(acceptance, pin, config, result);
    if (flags.dryRun) printLine(`would write ${pin.path}`);
    else printLine(`written ${await replacePin(acceptance.session, pin.path, config.root)}`);
    warnOfContext(acceptance, result);
  }
  if (!flags.dryRun) await keepPinLock(config);
  if (count > 0 || process.exitCode !== undefined) return;
  if (known > 0 && (asRecordings || chosen.every(({ verdict }) => isDiverged(verdict)))) {
    printLine('nothing to accept: the pins already hold these replays');
    return;
  }
  const isWhole = chosen.every(({ verdict }) => !isDoubt(verdict));
  printLine(`nothing to accept: every replay ${isWhole ? 'is' : 'that could be compared is'} as recorded`);
}

/**
 * A new wording is recorded too. If runs differ as the recordings do, the recordings say more than a few new runs, and stay.
 */
function chosenSessions(
  { results }: Report,
  { pin: named, all }: AcceptFlags,
  { root }: Config,
): { chosen: SessionResult[]; missing: string[] } {
  if (named === undefined) {
    return { chosen: results.sessions.filter(({ verdict }) => all || !isAsRecorded(verdict)), missing: [] };
  }
  const wanted = named.map((name) => path.relative(root, path.resolve(name)).replaceAll('\\', '/'));
  return {
    chosen: results.sessions.filter(({ pin }) => wanted.includes(pin)),
    missing: wanted.filter((name) => !results.sessions.some(({ pin }) => pin === name)),
  };
}

async function loadPin(result: SessionResult, { root }: Config): Promise<Pin> {
  const { pins, problems } = await loadPins(result.pin, { root });
  const [pin] = pins;
  if (pin === undefined) throw problems[0];
  if (pin.session.id === result.id) return pin;
  throw new AgentReplayError('USAGE', `${result.pin} now holds another session than the one that was replayed.`, {
    location: { file: result.pin },
    hint: 'Run it again, then accept that run.',
  });
}

/** Whether a turn did as recorded, so that only what its model is asked is new. */
function isRenewal({ turns }: SessionResult, turn: number): boolean {
  return turns.some((each) => each.turn === turn && isAsRecorded(each.comparison.verdict));
}

function printAccepted(
  { accepted }: Acceptance,
  { path: file, session }: Pin,
  { compare }: Config,
  result: SessionResult,
): void {
  for (const each of accepted) {
    const { turn } = each;
    if (each.as === 'recordings') {
      const { replaced } = each;
      if (replaced !== undefined) {
        const what = replaced.count === 1 ? 'recording' : 'recordings';
        printLine(`${file}#${turn}: replaces ${replaced.count} ${what} of ${replaced.made.slice(0, 10)}`);
      }
      const total = each.total > each.added ? `, ${each.total} in all` : '';
      printLine(`${file}#${turn}: ${counted(each.added, 'replay')} kept as recordings${total}`);
      continue;
    }
    const { request, baselines = [] } = session.turns[turn - 1] ?? {};
    const isSame = isRenewal(result, turn);
    if (baselines.length > 0) {
      const old = isSame ? 'what models were asked before' : 'the old behaviour';
      const gone = `the pin loses ${counted(baselines.length, 'recording')} of ${old}`;
      printLine(`${file}#${turn}: ${gone}; make new ones: ${makeRecordings([file])}`);
    }
    if (isSame) {
      printLine(`${file}#${turn}: as recorded, and renewed`);
      continue;
    }
    const { divergence } = new RecordedTurn({ request, recorded: each.before }, compare).compare(each.after);
    printLine(`${file}#${turn}: new original; ${divergence === null ? OTHER_WORDS : whereAndWhat(divergence)}`);
  }
}

/** A turn's answer is part of the input of later turns, and that part of the pin is not rewritten. */
function warnOfContext({ session, accepted }: Acceptance, result: SessionResult): void {
  const changed = accepted.filter(({ as, turn }) => as === 'original' && !isRenewal(result, turn));
  const first = Math.min(...changed.map(({ turn }) => turn));
  const later = session.turns.findIndex(
    ({ request }, index) => index >= first && request?.includesPriorContext === true,
  );
  if (later === -1) return;
  printLine(`note: turn ${later + 1} and later ones still send the earlier answers as they were first recorded`);
}
