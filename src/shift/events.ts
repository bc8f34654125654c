import type { CompareRules, ReadStep } from '../compare/index.ts';
import { AgentReplayError } from '../errors.ts';
import { byCodeUnit, canonical, type Json, present } from '../json/index.ts';
import { cut, means } from '../text/index.ts';
import type { ShiftEvent } from './shift-result.ts';

type ForbidRule = NonNullable<CompareRules['forbid']>[number];

/**
 * Something that no recording of the agent did. `unseen`: a tool is called. `more-often`: it is called more often in one
 * replay than in any recording, in total or with the same arguments. `never`: no replay calls it, and every recording does.
 * `error`, `end`: most replays fail, or end, as no recording does. `forbidden`: the user forbids it.
 */
export interface NeverGreenEvent extends Pick<ShiftEvent, 'kind' | 'weight' | 'tool' | 'of' | 'sentence'> {
  /** Indexes of the replays that show it. */
  readonly replays: readonly number[];
}

export type EventRules = Pick<CompareRules, 'tools'>;

/** What the user's rules forbid in one run. */
export interface Forbidden {
  readonly sentence: string;
  readonly tool?: string;
}

export type Run = readonly ReadStep[];

/**
 * Events that fail a turn whatever its tests say, and events that raise an alarm. All steps count, including those that the
 * strictness ignores.
 * @param recordings all of them, including the original
 */
export function neverGreenEvents(
  recordings: readonly Run[],
  replays: readonly Run[],
  rules: EventRules,
): NeverGreenEvent[] {
  if (replays.length === 0 || recordings.length === 0) return [];
  return [...toolEvents(recordings, replays, rules), ...failureEvents(recordings, replays)];
}

/** What the runs of a turn did, and how often the turn was looked at. */
interface TurnRecord extends EventRules {
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

/** What fails a turn whatever its tests say, and what raises an alarm. */
export function turnEvents({
  recordings = [],
  replays = new Map(),
  forbidden,
  tools,
  asked,
  isLast,
}: TurnRecord): ShiftEvent[] {
  const told = <T>(of: ReadonlyMap<number, T>, find: (each: readonly T[]) => readonly NeverGreenEvent[]) => {
    const runs = [...of].sort(([a], [b]) => a - b);
    return find(runs.map(([, run]) => run)).map((event): ShiftEvent => {
      const { replays: places, ...rest } = event;
      const isCritical = event.kind !== 'forbidden' && tools[event.tool ?? '']?.critical === true;
      return {
        ...rest,
        runs: places.map((place) => runs[place]![0]),
        fails: event.weight === 'red' || (isLast && alarmFails(event, asked)),
        ...(isCritical && { isCritical }),
      };
    });
  };
  return [
    ...told(replays, (runs) => neverGreenEvents(recordings, runs, { tools })),
    ...told(forbidden, forbiddenEvents),
  ];
}

/** Whether an alarm fails by itself: every replay of all looks shows it. */
export function alarmFails({ weight, replays, of }: NeverGreenEvent, requested: number): boolean {
  return weight === 'alarm' && replays.length === of && of >= requested;
}

function toolEvents(recordings: readonly Run[], replays: readonly Run[], { tools }: EventRules): NeverGreenEvent[] {
  const declared = Object.entries(tools).filter(([, { critical, mutating }]) => critical === true || mutating === true);
  return declared
    .sort(([a], [b]) => byCodeUnit(a, b))
    .flatMap(([tool, { critical }]): NeverGreenEvent[] => {
      const of = replays.length;
      const weight = critical === true ? 'red' : 'alarm';
      const event = (kind: NeverGreenEvent['kind'], standing: readonly number[], sentence: string) => [
        { kind, weight, tool, replays: standing, of, sentence } as const,
      ];
      const recorded = recordings.map((run) => countsOf(run, tool));
      const replayed = replays.map((run) => countsOf(run, tool));
      const moreOften = (what: keyof Counts) => {
        const most = Math.max(...recorded.map((counts) => counts[what]));
        const standing = replayed.flatMap((counts, index) => (counts[what] > most ? index : []));
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
      return event('never', [...replays.keys()], `no replay calls ${tool}, and ${which} recording does`);
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

/** What stands in runs, each with the indexes of its runs. */
function standingIn<T>(runs: readonly (readonly T[])[], keyOf: (what: T) => string): { what: T; replays: number[] }[] {
  const found = new Map<string, { what: T; replays: number[] }>();
  for (const [index, run] of runs.entries()) {
    for (const what of run) {
      const standing = found.get(keyOf(what)) ?? { what, replays: [] };
      if (standing.replays.at(-1) !== index) standing.replays.push(index);
      found.set(keyOf(what), standing);
    }
  }
  return [...found.values()];
}

/** An error that no recording contains: of a tool that never failed there, or a new one of a tool that did. */
function failureEvents(recordings: readonly Run[], replays: readonly Run[]): NeverGreenEvent[] {
  const known = new Set(recordings.flatMap((run) => failuresIn(run).map(({ key }) => key)));
  const of = replays.length;
  const inMost = standingIn(replays.map(failuresIn), ({ key }) => key).filter(
    ({ what, replays: own }) => !known.has(what.key) && own.length * 2 > of,
  );
  // For a tool that never failed before, one event is enough, whatever its messages.
  const whole = new Set(inMost.map(({ what }) => what.key));
  return inMost
    .filter(({ what: { part } }) => part === undefined || !whole.has(part))
    .sort((a, b) => byCodeUnit(a.what.key, b.what.key))
    .map(({ what: { kind, tool, what }, replays: own }) => ({
      kind,
      weight: 'red',
      ...present({ tool }),
      replays: own,
      of,
      sentence: `${what} in ${own.length} of ${of} replays and in no recording`,
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

/** One event per sentence. @param runs what is forbidden in each replay */
export function forbiddenEvents(runs: readonly (readonly Forbidden[])[]): NeverGreenEvent[] {
  return standingIn(runs, ({ sentence }) => sentence).map(({ what: { sentence, tool }, replays }) => ({
    kind: 'forbidden',
    weight: 'red',
    ...present({ tool }),
    replays,
    of: runs.length,
    sentence,
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
