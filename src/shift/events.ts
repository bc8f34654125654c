import type { CompareRules, ReadStep } from '../compare/index.ts';
import { AgentReplayError } from '../errors.ts';
import { byCodeUnit, canonical, type Json, present } from '../json/index.ts';
import { cut, means } from '../text/index.ts';
import type { ShiftEvent } from './shift-result.ts';

type ForbidRule = NonNullable<CompareRules['forbid']>[number];

type Found = Omit<ShiftEvent, 'fails' | 'isCritical'>;

/** What the user's rules forbid in one run. */
export interface Forbidden {
  readonly sentence: string;
  readonly tool?: string;
}

type Run = readonly ReadStep[];

/** Replays by number, in order. */
type Numbered<T> = readonly (readonly [run: number, of: T])[];

/** What the runs of a turn did, and how often the turn was looked at. */
interface TurnRecord {
  readonly tools: CompareRules['tools'];
  /** Everything that the agent is known to do; none if the turn is judged by its verdict alone. */
  readonly recordings?: readonly Run[];
  /** By run. */
  readonly replays?: ReadonlyMap<number, Run>;
  /** What `compare.forbid` finds in each conclusive run. */
  readonly forbidden: ReadonlyMap<number, readonly Forbidden[]>;
  /** Runs of all looks. */
  readonly asked: number;
  /** It has all runs that it can have. */
  readonly isLast: boolean;
}

/**
 * What fails a turn whatever its tests say, and what raises an alarm. All steps count, including those that the strictness
 * ignores.
 */
export function turnEvents({
  recordings = [],
  replays = new Map(),
  forbidden,
  tools,
  asked,
  isLast,
}: TurnRecord): ShiftEvent[] {
  const runs = inOrder(replays);
  const found =
    runs.length === 0 || recordings.length === 0
      ? []
      : [...toolEvents(recordings, runs, tools), ...failureEvents(recordings, runs)];
  return [...found, ...forbiddenEvents(inOrder(forbidden))].map((event): ShiftEvent => {
    const isCritical = event.kind !== 'forbidden' && tools[event.tool ?? '']?.critical === true;
    // An alarm fails by itself if every replay of all looks shows it.
    const isInAll = isLast && event.runs.length === event.of && event.of >= asked;
    return { ...event, fails: event.weight === 'red' || isInAll, ...(isCritical && { isCritical }) };
  });
}

function inOrder<T>(runs: ReadonlyMap<number, T>): Numbered<T> {
  return [...runs].sort(([a], [b]) => a - b);
}

function toolEvents(recordings: readonly Run[], replays: Numbered<Run>, tools: CompareRules['tools']): Found[] {
  const declared = Object.entries(tools).filter(([, { critical, mutating }]) => critical === true || mutating === true);
  return declared
    .sort(([a], [b]) => byCodeUnit(a, b))
    .flatMap(([tool, { critical }]): Found[] => {
      const of = replays.length;
      const weight = critical === true ? 'red' : 'alarm';
      const event = (kind: Found['kind'], runs: number[], sentence: string) => [
        { kind, weight, tool, of, sentence, runs } as const,
      ];
      const recorded = recordings.map((run) => countsOf(run, tool));
      const replayed = replays.map(([run, did]) => ({ run, ...countsOf(did, tool) }));
      const moreOften = (what: keyof Counts) => {
        const most = Math.max(...recorded.map((counts) => counts[what]));
        const standing = replayed.flatMap((counts) => (counts[what] > most ? counts.run : []));
        return { most, standing, often: Math.max(...replayed.map((counts) => counts[what])) };
      };
      const [all, alike] = [moreOften('all'), moreOften('alike')];
      const lead = alike.standing.length > all.standing.length ? alike : all;
      const [who, calls] = subject([lead.standing.length, of], 'replay');
      const called = `${who} ${calls} ${tool}`;
      if (lead.standing.length > 0) {
        if (all.most === 0) return event('unseen', lead.standing, `${called}, and no recording does`);
        const often = `${times(lead.often)}${lead === alike ? ' with the same arguments' : ''}`;
        const sentence = `${called} up to ${often}, and no recording more than ${times(lead.most)}`;
        return event('more-often', lead.standing, sentence);
      }
      if (recorded.some((counts) => counts.all === 0) || replayed.some((counts) => counts.all > 0)) return [];
      const which = recorded.length === 1 ? 'the' : 'every';
      return event(
        'never',
        replayed.map(({ run }) => run),
        `no replay calls ${tool}, and ${which} recording does`,
      );
    });
}

/** Calls of a tool in one run: in total, and at most with the same arguments. */
interface Counts {
  readonly all: number;
  readonly alike: number;
}

function countsOf(run: Run, tool: string): Counts {
  const calls = run.filter(({ kind, name }) => kind === 'call' && name === tool);
  const alike = Map.groupBy(calls, ({ value }) => canonical(value ?? null));
  return { all: calls.length, alike: Math.max(0, ...[...alike.values()].map(({ length }) => length)) };
}

/** `3 of 20 replays`, and the forms of verbs that follow. */
export function subject(
  [having, of]: readonly [number, number],
  noun: string,
): [text: string, calls: string, does: string] {
  if (having === 0) return [`no ${noun}`, 'calls', 'does'];
  if (of === 1) return [`the ${noun}`, 'calls', 'does'];
  if (having === of) return [`all ${of} ${noun}s`, 'call', 'do'];
  return [`${having} of ${of} ${noun}s`, having === 1 ? 'calls' : 'call', having === 1 ? 'does' : 'do'];
}

function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}

/** What stands in runs, each with the numbers of its runs. */
function standingIn<T>(all: Numbered<readonly T[]>, keyOf: (what: T) => string): { what: T; runs: number[] }[] {
  const found = new Map<string, { what: T; runs: number[] }>();
  for (const [run, of] of all) {
    for (const what of of) {
      const standing = found.get(keyOf(what)) ?? { what, runs: [] };
      if (standing.runs.at(-1) !== run) standing.runs.push(run);
      found.set(keyOf(what), standing);
    }
  }
  return [...found.values()];
}

/** An error that no recording contains: of a tool that never failed there, or a new one of a tool that did. */
function failureEvents(recordings: readonly Run[], replays: Numbered<Run>): Found[] {
  const known = new Set(recordings.flatMap((run) => failuresIn(run).map(({ key }) => key)));
  const of = replays.length;
  const failed = replays.map(([run, did]) => [run, failuresIn(did)] as const);
  const inMost = standingIn(failed, ({ key }) => key).filter(
    ({ what, runs }) => !known.has(what.key) && runs.length * 2 > of,
  );
  // For a tool that never failed before, one event is enough, whatever its messages.
  const whole = new Set(inMost.map(({ what }) => what.key));
  return inMost
    .filter(({ what: { part } }) => part === undefined || !whole.has(part))
    .sort((a, b) => byCodeUnit(a.what.key, b.what.key))
    .map(({ what: { kind, tool, what }, runs }) => ({
      kind,
      weight: 'red',
      ...present({ tool }),
      of,
      sentence: `${what} in ${runs.length} of ${of} replays and in no recording`,
      runs,
    }));
}

interface Failure {
  readonly kind: 'error' | 'end';
  readonly key: string;
  readonly tool?: string;
  readonly what: string;
  /** The key of the more general event. */
  readonly part?: string;
}

function failuresIn(run: Run): Failure[] {
  return run.flatMap(({ kind, name, value }): Failure[] => {
    if (kind === 'end') {
      const reason = textOf(value);
      return [{ kind, key: `end\0${reason}`, what: `the turn ends with "${reason}"` }];
    }
    if (kind !== 'error') return [];
    const message = textOf(value);
    const key = `error\0${name ?? ''}`;
    const tool = name === undefined ? {} : { tool: name };
    const what = name === undefined ? 'an error' : `an error of ${name}`;
    // Numbers in a message vary from day to day.
    const worded = `${key}\0${message.replace(/\d+/g, '#')}`;
    return [
      { kind, key, ...tool, what },
      { kind, key: worded, ...tool, what: `${what}, "${message}",`, part: key },
    ];
  });
}

const MAX_CHARS = 120;

function textOf(value: Json | undefined): string {
  return cut(typeof value === 'string' ? value : canonical(value), MAX_CHARS);
}

/** One event per sentence. */
function forbiddenEvents(all: Numbered<readonly Forbidden[]>): Found[] {
  return standingIn(all, ({ sentence }) => sentence).map(({ what: { sentence, tool }, runs }) => ({
    kind: 'forbidden',
    weight: 'red',
    ...present({ tool }),
    of: all.length,
    sentence,
    runs,
  }));
}

/**
 * What rules of `compare.forbid` find in one run, each sentence once.
 * @param turn from 1, for the user's functions
 * @throws AgentReplayError FORBID_FAILED if a function of the user throws, or returns neither text nor false
 */
export function forbiddenIn(run: Run, forbid: readonly ForbidRule[], turn = 1): Forbidden[] {
  const found = forbid.flatMap((rule): Forbidden[] => {
    if (typeof rule !== 'string') {
      const sentence = ask(rule, run, turn);
      return sentence === false ? [] : [{ sentence }];
    }
    return run.flatMap(({ kind, name: tool = '' }) =>
      kind === 'call' && means(rule, tool) ? [{ sentence: `${tool} is called, which compare.forbid names`, tool }] : [],
    );
  });
  return [...new Map(found.map((each) => [each.sentence, each])).values()];
}

/** The function gets a copy, so that it cannot change what is compared. */
function ask(rule: Exclude<ForbidRule, string>, run: Run, turn: number): string | false {
  const steps = run.map(({ kind, name, value }) => ({
    kind,
    ...present({ name }),
    ...(value === undefined ? {} : { value: structuredClone(value) }),
  }));
  const output = steps.findLast(({ kind }) => kind === 'final')?.value;
  let said: unknown;
  try {
    said = rule({ turn, steps, output });
  } catch (cause) {
    throw forbidFailed(`it threw: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  if (said === false || (typeof said === 'string' && said.trim() !== '')) return said;
  throw forbidFailed(`it returned ${typeof said === 'string' ? 'an empty text' : typeof said}`);
}

function forbidFailed(evidence: string, cause?: unknown): AgentReplayError {
  return new AgentReplayError('FORBID_FAILED', 'A function of compare.forbid did not say whether a run is forbidden.', {
    evidence: [evidence],
    hint: 'Return a sentence that says what is wrong, or false; not a promise.',
    ...present({ cause }),
  });
}
