import type { Command } from 'commander';
import { isAsRecorded, isDiverged, isDoubt, RecordedTurn } from '../compare/index.ts';
import { AgentReplayError } from '../errors.ts';
import { EXIT } from '../exit.ts';
import { readSides, type SourceTurn, type TurnSource } from '../job/index.ts';
import { renderPair } from '../report/index.ts';
import type { Platform } from '../tracing/index.ts';
import { addSet, CONFIG, givenSettings } from './config-options.ts';
import { foundConfig } from './found-config.ts';
import { outputLook, printAside } from './lines.ts';
import { openRecorded } from './recorded.ts';

interface DiffFlags {
  readonly config?: string;
  readonly json: boolean;
}

/** `agent-replay diff`: explains two recordings as a run explains a replay. */
export function define(command: Command): void {
  addSet(command, 'a setting by its key, such as compare.strictness=exact; may be repeated')
    .description('Compare two pins, two traces, or one of each; A is taken as the recording.')
    .argument('<a>', 'a pin, a file of OTLP/JSON traces, the output folder of a run, or a trace id; #K for one turn')
    .argument('<b>', 'what is compared with A, in the same forms')
    .option(...CONFIG)
    .option('--json', 'print JSON', false)
    .action(diff);
}

async function diff(a: string, b: string, flags: DiffFlags, command: Command): Promise<void> {
  const config = await foundConfig(flags.config, givenSettings(command));
  const [one, other] = [sideNamed(a), sideNamed(b)];
  await using opened = new AsyncDisposableStack();
  const { identifiers, compare } = config;
  let platform: Promise<Platform> | undefined;
  /** The platform is only opened when a trace of it is needed. */
  const readTrace = async (id: string) => {
    platform ??= openRecorded(config).then((each) => opened.use(each));
    return (await platform).trace(id, { signal: new AbortController().signal });
  };
  const [first, second] = await readSides(one.file, other.file, { identifiers, readTrace });
  const [left, right] = [
    { source: first, turn: one.turn },
    { source: second, turn: other.turn },
  ];
  const { pairs, unpaired } = pairsOf(left, right);
  const compared = pairs.map(([one, other]) => {
    const request = one.request ?? other.request;
    const [recorded, ...baselines] = one.recordings;
    const turn = new RecordedTurn({ request, recorded, baselines }, compare);
    const pair = turn.pairWith(other.recordings[0]);
    return { recorded: label(left.source, one), replayed: label(right.source, other), pair };
  });
  if (flags.json) {
    const isSame = compared.every(({ pair }) => isAsRecorded(pair.comparison.verdict));
    const turns = compared.map(({ pair, ...labels }) => ({ ...labels, ...pair }));
    process.stdout.write(`${JSON.stringify({ same: isSame, turns, unpaired }, null, 2)}\n`);
  } else {
    process.stdout.write(compared.map(({ pair, ...labels }) => renderPair(pair, labels, outputLook())).join('\n'));
    for (const turn of unpaired) printAside(`${turn} has no counterpart`);
  }
  const verdicts = compared.map(({ pair }) => pair.comparison.verdict);
  process.exitCode = verdicts.some(isDiverged)
    ? EXIT.diverged
    : unpaired.length > 0 || verdicts.some(isDoubt)
      ? EXIT.error
      : EXIT.passed;
}

interface Side {
  readonly source: TurnSource;
  readonly turn: number | undefined;
}

/** Parses one side of the command line: `replays/a.session.json#2`. */
function sideNamed(argument: string): { file: string; turn: number | undefined } {
  const [, file = argument, turn] = /^(.+)#([1-9]\d{0,5})$/.exec(argument) ?? [];
  return { file, turn: turn === undefined ? undefined : Number(turn) };
}

/** Turns to compare: the named ones, or else those with the same number. */
function pairsOf(left: Side, right: Side): { pairs: [SourceTurn, SourceTurn][]; unpaired: string[] } {
  const [ones, others] = [chosen(left), chosen(right)];
  const [one, other] = [ones[0], others[0]];
  if (ones.length === 1 && others.length === 1 && one !== undefined && other !== undefined) {
    return { pairs: [[one, other]], unpaired: [] };
  }
  const pairs = ones.flatMap((each): [SourceTurn, SourceTurn][] => {
    const same = others.find(({ turn }) => turn === each.turn);
    return same === undefined ? [] : [[each, same]];
  });
  // A behaviour belongs to one turn, and says nothing about others.
  const isWhole = left.source.kind !== 'behaviours' && right.source.kind !== 'behaviours';
  const lost = (side: Side, turns: readonly SourceTurn[], own: 0 | 1) =>
    turns.filter((each) => !pairs.some((pair) => pair[own] === each)).map((each) => label(side.source, each));
  if (pairs.length === 0) throw nothingToPair(left, right);
  return { pairs, unpaired: isWhole ? [...lost(left, ones, 0), ...lost(right, others, 1)] : [] };
}

/** The chosen turns of a side; of each the first behaviour that is not as recorded. */
function chosen({ source, turn }: Side): SourceTurn[] {
  // A single trace or behaviour matches any number.
  const isMeant = (each: SourceTurn) =>
    turn === undefined || each.turn === turn || (source.kind !== 'pin' && source.turns.length === 1);
  const byTurn = Map.groupBy(source.turns.filter(isMeant), (each) => each.turn);
  const found = [...byTurn.values()].flatMap((ways) => ways.find(({ cluster }) => cluster !== 0) ?? ways[0] ?? []);
  if (found.length > 0) return found;
  throw new AgentReplayError('USAGE', `${source.name} has no such turn.`, {
    evidence: source.turns.map((each) => label(source, each)),
    hint: 'Choose with #K.',
  });
}

function label({ name, turns }: TurnSource, { turn, cluster }: SourceTurn): string {
  const place = turns.length > 1 || cluster !== undefined ? `#${turn}` : '';
  return `${name}${place}${cluster === undefined ? '' : ` behaviour ${cluster}`}`;
}

function nothingToPair(left: Side, right: Side): AgentReplayError {
  return new AgentReplayError('USAGE', 'The two sides have no turn in common.', {
    evidence: [left, right].map(
      ({ source }) => `${source.name}: turns ${source.turns.map(({ turn }) => turn).join(', ')}`,
    ),
    hint: 'Choose one turn of each with #K.',
  });
}
