import { hash } from 'node:crypto';
import { type Config, ownSettingsOf, withOwn } from '../../config/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { present } from '../../json/index.ts';
import { loadPins } from '../../session/index.ts';
import { lastOfSuite } from '../../shift/index.ts';
import { counted, dollars, inBytes } from '../../text/index.ts';
import { unitsOf } from '../judging/gates.ts';
import type { PlannedSession } from '../records/run-scope.ts';
import { LEAST_SECONDS, PinSurvey } from './pin-lock.ts';
import { configuredAgents, planJob, plannedSession, type RunPlan, type Selection, type Shard } from './plan.ts';

/** @throws AgentReplayError `USAGE` if nothing is left for it */
export async function planShard(config: Config, shard: Shard, selection: Selection): Promise<RunPlan> {
  configuredAgents(config);
  const { root, maxPins } = config;
  const { survey, read } = await PinSurvey.of(config, selection);
  const plannedOf = new Map<string, ReturnType<typeof sizeOf>>();
  const ranges = new Map<string, Config['looks']>();
  const steady = await survey.steady();
  let tested = 0;
  const shares = read.pins.flatMap((pin): Share[] => {
    const { digest = '', seconds: took = [], made } = survey.of(pin.path) ?? {};
    const turns = took.flatMap((seconds, index) =>
      seconds === null || (selection.turn ?? index + 1) !== index + 1 ? [] : index + 1,
    );
    if ((selection.turn ?? 1) > took.length) return [];
    const own = JSON.stringify(ownSettingsOf(config, pin.path));
    // Whatever else a pin holds does not matter, and of very many each counts.
    const alike = `${made} ${turns} ${own}`;
    const size = plannedOf.get(alike) ?? sizeOf(plannedSession(pin, selection.turn, config, {}), config);
    plannedOf.set(alike, size);
    const { runs, units, looks } = size;
    if (units > 0 && !steady.has(pin.session.id)) {
      tested += units;
      ranges.set(own, looks);
    }
    const seconds = runs * turns.reduce((sum, turn) => sum + (took[turn - 1] ?? 0), 0) || LEAST_SECONDS;
    return [{ path: pin.path, seconds, calls: runs * turns.length, task: `${pin.path} ${digest} ${alike}` }];
  });
  const own = shareOf(shares, shard);
  const budget = budgetOf(own, shares, config);
  if (own.length === 0 && shares.length > 0) {
    throw new AgentReplayError('USAGE', `Nothing is left for shard ${shard.index}/${shard.count}.`, {
      evidence: [`sessions: ${shares.length}`],
      hint: `Use at most ${shares.length} shards.`,
    });
  }
  const kept: Parameters<typeof loadPins>[1]['kept'] = (pin, text) => {
    // What all pins tell is told of this one as it is now.
    survey.take(pin, text);
    return pin;
  };
  const loaded =
    own.length === 0 ? { pins: [], problems: [] } : await loadPins(own, { root, kept, limits: { files: maxPins } });
  const plan = await planJob(config, selection, {
    pins: loaded.pins,
    all: read.all,
    problems: [...read.problems, ...loaded.problems],
    habits: survey.habits(),
    steady: survey.stale === 0 ? steady : await survey.steady(),
  });
  const most = plan.sessions.reduce((sum, { pin, turns, runs }) => {
    const bytes = survey.of(pin.path)?.bytes ?? 0;
    return sum + 2 * bytes + runs.length * (2 * bytes + turns.length * CALL_BYTES);
  }, PAGE_BYTES);
  const notes = [
    `shard ${shard.index}/${shard.count}: ${plan.sessions.length} of ${counted(shares.length, 'session')}, at most about ${inBytes(most)} of outputs, ${counted(config.workers, 'call')} at once${budgetWords(budget, config)}`,
    ...(survey.stale > 0
      ? [
          `${counted(survey.stale, 'pin')} ${survey.stale === 1 ? 'is' : 'are'} not as in pins.lock: pin, accept and record keep it`,
        ]
      : []),
    ...plan.notes,
  ];
  const whole = hash('sha256', shares.map(({ task }) => task).join('\n'));
  const lastLook = ranges.size === 0 ? undefined : lastOfSuite([...ranges.values()]);
  return { ...plan, notes, part: { shard, whole, sessions: shares.length, tested, budget, lastLook } };
}

/**
 * What a shard may spend of what all may: of the calls by its own calls, of the money by how long its recordings took. Nobody
 * knows what the others have spent.
 */
function budgetOf(own: readonly string[], shares: readonly Share[], { maxCalls, maxCost }: Config): Budget {
  const paths = new Set(own);
  const partOf = (limit: number | undefined, size: 'calls' | 'seconds', units: number) => {
    const sum = (some: readonly Share[]) => some.reduce((all, share) => all + share[size], 0);
    const [mine, all] = [sum(shares.filter((share) => paths.has(share.path))), sum(shares)];
    return limit && Math.floor((limit * units * mine) / (all || 1)) / units;
  };
  return present({ maxCalls: partOf(maxCalls, 'calls', 1), maxCost: partOf(maxCost, 'seconds', PARTS_OF_DOLLAR) });
}

type Budget = NonNullable<RunPlan['part']>['budget'];

const PARTS_OF_DOLLAR = 1e6;

function budgetWords({ maxCalls, maxCost }: Budget, all: Config): string {
  const calls = maxCalls === undefined ? '' : `, ${maxCalls} of ${counted(all.maxCalls ?? 0, 'call')} of maxCalls`;
  return maxCost === undefined ? calls : `${calls}, ${dollars(maxCost)} of $${all.maxCost} of maxCost`;
}

function sizeOf(session: PlannedSession, config: Config): { runs: number; units: number; looks: Config['looks'] } {
  const { looks } = withOwn(config, session.own);
  return { runs: session.runs.length, units: unitsOf(session, { ...config, base: undefined }).length, looks };
}

/** The HTML report without a session. */
const PAGE_BYTES = 200 * 1024;
/** What a call takes in a journal and in reports, beside what the agent did: that is in the journal and in `traces`. */
const CALL_BYTES = 4 * 1024;

/** A session, and how long its replays take. */
interface Share {
  readonly path: string;
  readonly seconds: number;
  /** Without further looks. */
  readonly calls: number;
  /** What is to be done, as text. */
  readonly task: string;
}

interface Load {
  /** Of its shard. */
  readonly index: number;
  seconds: number;
}

/** The longest session goes first, each to the shard with the least so far (Graham 1969): at most a third above the best. */
export function shareOf(shares: readonly Pick<Share, 'path' | 'seconds'>[], { index, count }: Shard): string[] {
  const longestFirst = shares.toSorted((a, b) => b.seconds - a.seconds || (a.path < b.path ? -1 : 1));
  // A heap: no load is above those at twice its place and one or two more.
  const loads = Array.from({ length: count }, (_, place) => ({ index: place + 1, seconds: 0 }));
  const isLighter = (one: number, other: Load) => {
    const load = loads[one];
    return load !== undefined && (load.seconds - other.seconds || load.index - other.index) < 0;
  };
  const own: string[] = [];
  for (const { path, seconds } of longestFirst) {
    const lightest = loads[0] as Load;
    if (lightest.index === index) own.push(path);
    lightest.seconds += seconds;
    let place = 0;
    for (;;) {
      const [left, right] = [2 * place + 1, 2 * place + 2];
      const lighter = isLighter(right, loads[left] ?? lightest) ? right : left;
      if (!isLighter(lighter, lightest)) break;
      loads[place] = loads[lighter] as Load;
      place = lighter;
    }
    loads[place] = lightest;
  }
  return own;
}
