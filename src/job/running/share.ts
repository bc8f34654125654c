import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Config, ownSettingsOf, withOwn } from '../../config/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { present } from '../../json/index.ts';
import { loadPins, type Pin } from '../../session/index.ts';
import { lastOfSuite } from '../../shift/index.ts';
import { counted, dollars, inBytes } from '../../text/index.ts';
import { unitsOf } from '../judging/gates.ts';
import { LEAST_MS, type PinLine, PinSurvey, PinWithoutContent } from './pin-lock.ts';
import { configuredAgents, planJob, plannedSession, type RunPlan, type Selection, type Shard } from './plan.ts';

/** @throws AgentReplayError `USAGE` if nothing is left for it, `SHARDS_DIFFER` if it cannot plan as the others do */
export async function planShard(config: Config, shard: Shard, selection: Selection): Promise<RunPlan> {
  configuredAgents(config);
  const { root, maxPins, overrides } = config;
  const { survey, read } = await PinSurvey.of(config, selection);
  const steady = await survey.steady();
  const sizes = new Map<string, Map<PinLine['kind'], Size>>();
  // Whatever else a pin holds does not matter, and of very many each counts.
  const sizeFor = (line: PinLine) => {
    const own = overrides.length === 0 ? '' : JSON.stringify(ownSettingsOf(config, line.path));
    const known = sizes.get(own) ?? new Map<PinLine['kind'], Size>();
    const size = known.get(line.kind) ?? sizeOf(line, own, selection, config);
    sizes.set(own, known.set(line.kind, size));
    return size;
  };
  const ranges = new Set<Config['looks']>();
  const chosen = selection.grep === undefined ? undefined : new Set(read.pins.map((pin) => pin.path));
  let tested = 0;
  // Of very many pins, an object of each would take longer than all the rest.
  const lines: PinLine[] = [];
  const took: number[] = [];
  const all = { calls: 0, ms: 0 };
  let last: { readonly line: PinLine; readonly size: Size } | undefined;
  for (const line of survey.lines()) {
    const { kind } = line;
    if ((selection.turn ?? 1) > kind.turns.length || chosen?.has(line.path) === false) continue;
    if (last?.line.kind !== kind || overrides.length > 0) last = { line, size: sizeFor(line) };
    const { size } = last;
    if (size.units > 0 && !(steady.size > 0 && steady.has(line.id))) {
      tested += size.units;
      ranges.add(size.looks);
    }
    const ms = Math.round(line.ms * size.times) || LEAST_MS;
    all.calls += size.runs * size.turns;
    all.ms += ms;
    lines.push(line);
    took.push(ms);
  }
  const own = shareOf(took, shard).map((place): Share => {
    const line = lines[place] as PinLine;
    return { line, size: sizeFor(line), ms: took[place] as number };
  });
  const budget = budgetOf(own, all, config);
  if (own.length === 0 && lines.length > 0) {
    throw new AgentReplayError('USAGE', `Nothing is left for shard ${shard.index}/${shard.count}.`, {
      evidence: [`sessions: ${lines.length}`],
      hint: `Use at most ${lines.length} shards.`,
    });
  }
  const planned = new Map(own.map((share) => [share.line.path, share]));
  const { stale } = survey;
  const changed: string[] = [];
  let most = PAGE_BYTES;
  const kept = (pin: Pin, text: string) => {
    const { line, size } = planned.get(pin.path) as Share;
    const { kind } = survey.take(pin, text, line);
    if (factsOf(line.kind) !== factsOf(kind) || line.id !== pin.session.id) changed.push(pin.path);
    const bytes = 2 * Buffer.byteLength(text);
    most += bytes + size.runs * (bytes + size.turns * CALL_BYTES);
    return pin;
  };
  const loaded =
    own.length === 0
      ? { pins: [], problems: [] }
      : await loadPins([...planned.keys()], { root, kept, limits: { files: maxPins } });
  const isSteadyAsTold = survey.stale === stale || isDeepStrictEqual(await survey.steady(), steady);
  if (changed.length > 0 || !isSteadyAsTold) throw planDiffers(isSteadyAsTold ? changed : survey.taken());
  const plan = await planJob(config, selection, {
    pins: loaded.pins,
    // Only what is named by hand needs the others.
    all: overrides.length > 0 || Object.keys(config.quarantine).length > 0 ? survey.pins() : [],
    problems: [...read.problems, ...loaded.problems],
    habits: survey.habits(),
    steady,
  });
  const notes = [
    `shard ${shard.index}/${shard.count}: ${plan.sessions.length} of ${counted(lines.length, 'session')}, at most about ${inBytes(most)} of outputs, ${counted(config.workers, 'call')} at once${budgetWords(budget, config)}`,
    ...(survey.stale > 0
      ? [
          `${counted(survey.stale, 'pin')} ${survey.stale === 1 ? 'is' : 'are'} not as in pins.lock: pin, accept and record keep it`,
        ]
      : []),
    ...plan.notes,
  ];
  const alike = [...sizes.values()].flatMap((of) => [...of.values()].map((size) => size.alike));
  const whole = hash('sha256', [...alike, ...lines.map(({ content }) => content)].join('\n'));
  const lastLook = ranges.size === 0 ? undefined : lastOfSuite([...ranges]);
  return { ...plan, notes, part: { shard, whole, sessions: lines.length, tested, budget, lastLook } };
}

/**
 * What a shard may spend of what all may: of the calls by its own calls, of the money by how long its recordings took. Nobody
 * knows what the others have spent.
 */
function budgetOf(own: readonly Share[], all: Readonly<Record<'calls' | 'ms', number>>, config: Config): Budget {
  const { maxCalls, maxCost } = config;
  const partOf = (limit: number | undefined, mine: number, total: number, units: number) =>
    limit && Math.floor((limit * units * mine) / (total || 1)) / units;
  const [calls, ms] = [own.map(({ size }) => size.runs * size.turns), own.map((share) => share.ms)].map((each) =>
    each.reduce((sum, one) => sum + one, 0),
  ) as [number, number];
  return present({
    maxCalls: partOf(maxCalls, calls, all.calls, 1),
    maxCost: partOf(maxCost, ms, all.ms, PARTS_OF_DOLLAR),
  });
}

type Budget = NonNullable<RunPlan['part']>['budget'];

const PARTS_OF_DOLLAR = 1e6;

function budgetWords({ maxCalls, maxCost }: Budget, all: Config): string {
  const calls = maxCalls === undefined ? '' : `, ${maxCalls} of ${counted(all.maxCalls ?? 0, 'call')} of maxCalls`;
  return maxCost === undefined ? calls : `${calls}, ${dollars(maxCost)} of $${all.maxCost} of maxCost`;
}

/** What is to be done for a pin, but for what it holds. */
interface Size {
  readonly runs: number;
  readonly turns: number;
  /** How often what the recordings of all its turns took. */
  readonly times: number;
  readonly units: number;
  readonly looks: Config['looks'];
  /** As text. */
  readonly alike: string;
}

function sizeOf(line: PinLine, own: string, { turn }: Selection, config: Config): Size {
  const session = plannedSession(new PinWithoutContent(line), turn, config, {});
  const { turns, runs } = session;
  const { looks } = withOwn(config, session.own);
  const { kind } = line;
  const replayable = kind.turns.filter(Boolean).length;
  return {
    runs: runs.length,
    turns: turns.length,
    times: (runs.length * turns.length) / (replayable || 1),
    units: unitsOf(session, { ...config, base: undefined }).length,
    looks,
    alike: `${kind.made} ${turns} ${own}`,
  };
}

/** What the plan of all shards follows from. */
function factsOf({ agentId, made, turns }: PinLine['kind']): string {
  return JSON.stringify([agentId, made, turns]);
}

function planDiffers(files: readonly string[]): AgentReplayError {
  const message = 'Pins have changed since pins.lock was written, so other shards plan otherwise.';
  return new AgentReplayError('SHARDS_DIFFER', message, {
    evidence: files,
    hint: 'Commit pins.lock as pin, accept or record write it; or delete it, and each shard reads all pins.',
  });
}

/** The HTML report without a session. */
const PAGE_BYTES = 200 * 1024;
/** What a call takes in a journal and in reports, beside what the agent did: that is in the journal and in `traces`. */
const CALL_BYTES = 4 * 1024;

/** A session, and how long its replays take, without further looks. */
interface Share {
  readonly line: PinLine;
  readonly size: Size;
  readonly ms: number;
}

/**
 * The longest session goes first, each to the shard with the least so far (Graham 1969): at most a third above the best.
 * @returns places of those of one shard
 */
export function shareOf(took: readonly number[], { index, count }: Shard): number[] {
  const { length } = took;
  // Each number says two things, since numbers are sorted soonest: what takes long comes last, and of equal ones the first.
  const inOrder = new Float64Array(length);
  for (let place = 0; place < length; place++) inOrder[place] = (took[place] as number) * length + length - 1 - place;
  inOrder.sort();
  // A heap of load × count + shard: none is above those at twice its place and one or two more.
  const loads = new Float64Array(2 * count + 2).fill(Number.POSITIVE_INFINITY);
  for (let shard = 0; shard < count; shard++) loads[shard] = shard;
  const own: number[] = [];
  for (let next = length - 1; next >= 0; next--) {
    const place = length - 1 - ((inOrder[next] as number) % length);
    const lightest = loads[0] as number;
    if (lightest % count === index - 1) own.push(place);
    const load = lightest + (took[place] as number) * count;
    let at = 0;
    for (let left = 1; left < count; left = 2 * at + 1) {
      const lighter = (loads[left + 1] as number) < (loads[left] as number) ? left + 1 : left;
      if ((loads[lighter] as number) >= load) break;
      loads[at] = loads[lighter] as number;
      at = lighter;
    }
    loads[at] = load;
  }
  return own;
}
