import { echoesIn, isTool, type Observation, type Recording, topsOf } from '../../trace/index.ts';
import { type Mentioned, type MentionedCall, mentionedIn, unobserved } from './mentioned.ts';

/** Whether something always comes with a tool's calls, as far as recordings show. */
type Regularity = 'always' | 'not always' | 'unknown';

/** What an agent's recordings show about how it traces: nothing is waited for that the agent never writes. */
export interface TracingHabits {
  /** Whether calls of this tool have an observation; for a tool without recorded calls, whether those of others have. */
  observationOf(tool: string): Regularity;
  /** Whether a later generation receives its result, if calls of it are recorded. One run by the caller may have none. */
  resultOf(tool: string): Regularity;
  /** Its topmost span has a parent that it does not export, such as its web framework's. */
  readonly hidesTop: boolean;
  /** It leaves observations without an end. */
  readonly leavesOpen: boolean;
  /** Tools run under ids that no model call asked for. */
  readonly actsUnasked: boolean;
  /** What each of its model calls has, except those that failed. */
  readonly content: ReadonlySet<'input' | 'output'>;
}

/** What the recordings of one turn show about what comes, and when it ends. */
export interface TurnHabits {
  /** Steps that all of them have: how often at least, by what they are called. */
  readonly steps: ReadonlyMap<string, number>;
  /** The longest time between two ends after the root's own, in milliseconds: nothing comes for so long, and then more. */
  readonly silenceMs: number;
  /** Until the last end, from the root's. */
  readonly endsWithinMs: number;
}

/** Calls of one tool, or of all tools. */
interface Count {
  calls: number;
  observed: number;
  answered: number;
}

/** What {@link RecordedHabits} has counted, as data. */
export interface CountedHabits extends Pick<TracingHabits, 'hidesTop' | 'leavesOpen' | 'actsUnasked'> {
  readonly modelCalls: { all: number; input: number; output: number };
  readonly tools: [tool: string, calls: Count][];
}

/** @param recordings all recordings of one agent */
export function habitsOf(recordings: Iterable<Recording>): TracingHabits {
  return new RecordedHabits(recordings);
}

/** Takes recordings of one agent one at a time, and keeps none of them. */
export class RecordedHabits implements TracingHabits {
  hidesTop = false;
  leavesOpen = false;
  actsUnasked = false;
  readonly #all = newCount();
  readonly #byTool = new Map<string, Count>();
  readonly #modelCalls = { all: 0, input: 0, output: 0 };

  constructor(recordings: Iterable<Recording> = []) {
    for (const recording of recordings) this.add(recording);
  }

  get counted(): CountedHabits {
    const { hidesTop, leavesOpen, actsUnasked } = this;
    return { hidesTop, leavesOpen, actsUnasked, modelCalls: { ...this.#modelCalls }, tools: [...this.#byTool] };
  }

  /** Adds what was counted elsewhere. */
  absorb({ hidesTop, leavesOpen, actsUnasked, modelCalls, tools }: CountedHabits): void {
    this.hidesTop ||= hidesTop;
    this.leavesOpen ||= leavesOpen;
    this.actsUnasked ||= actsUnasked;
    for (const part of ['all', 'input', 'output'] as const) this.#modelCalls[part] += modelCalls[part];
    for (const [tool, count] of tools) {
      for (const each of this.#countsOf(tool)) {
        for (const part of ['calls', 'observed', 'answered'] as const) each[part] += count[part];
      }
    }
  }

  add({ observations }: Recording): void {
    const generations = observations.filter(({ type }) => type === 'generation');
    const mentioned = generations.map(mentionedIn);
    const answered = new Set(mentioned.flatMap((each) => [...each.answered]));
    const asked = mentioned.flatMap((each) => each.asked);
    for (const calls of [asked, ...mentioned.map(({ history }) => history)]) this.#count(calls, observations, answered);
    this.hidesTop ||= hasHiddenTop(observations);
    this.leavesOpen ||= observations.some(isRunning);
    const named = new Set(asked.flatMap(({ id, name }) => [id, name]));
    this.actsUnasked ||= observations.some(({ callId, name }) => callId && !named.has(callId) && !named.has(name));
    for (const { level, input, output } of generations) {
      if (level === 'ERROR') continue;
      this.#modelCalls.all++;
      if (input !== undefined) this.#modelCalls.input++;
      if (output !== undefined) this.#modelCalls.output++;
    }
  }

  observationOf(tool: string): Regularity {
    return regularity('observed', this.#byTool.get(tool) ?? this.#all);
  }

  resultOf(tool: string): Regularity {
    return regularity('answered', this.#byTool.get(tool) ?? newCount());
  }

  get content(): ReadonlySet<'input' | 'output'> {
    const { all, ...had } = this.#modelCalls;
    return new Set((['input', 'output'] as const).filter((part) => all > 0 && had[part] === all));
  }

  #count(calls: readonly MentionedCall[], among: readonly Observation[], answered: Mentioned['answered']): void {
    const missing = new Set(unobserved(calls, among));
    for (const call of calls) {
      for (const each of this.#countsOf(call.name)) {
        each.calls++;
        if (!missing.has(call)) each.observed++;
        if (call.id === undefined || answered.has(call.id)) each.answered++;
      }
    }
  }

  #countsOf(tool: string): [Count, Count] {
    const ofTool = this.#byTool.get(tool) ?? newCount();
    this.#byTool.set(tool, ofTool);
    return [ofTool, this.#all];
  }
}

function regularity(part: 'observed' | 'answered', { calls, [part]: had }: Count): Regularity {
  return calls === 0 ? 'unknown' : had === calls ? 'always' : 'not always';
}

function newCount(): Count {
  return { calls: 0, observed: 0, answered: 0 };
}

const knownTurns = new WeakMap<readonly Recording[], TurnHabits>();

/** @param recordings of one turn; without any, nothing is known to come */
export function turnHabits(recordings: readonly Recording[]): TurnHabits {
  const known = knownTurns.get(recordings) ?? habitsOfTurn(recordings);
  knownTurns.set(recordings, known);
  return known;
}

function habitsOfTurn(recordings: readonly Recording[]): TurnHabits {
  const [first = new Map<string, number>(), ...others] = recordings.map(({ observations }) => stepsIn(observations));
  const least = [...first].map(
    ([step, times]) => [step, Math.min(times, ...others.map((each) => each.get(step) ?? 0))] as const,
  );
  const ends = recordings.map(({ observations }) => endsAfterRoot(observations));
  const longest = (all: readonly number[]) => all.reduce((most, ms) => Math.max(most, ms), 0);
  return {
    steps: new Map(least.filter(([, times]) => times > 0)),
    silenceMs: longest(ends.flatMap((each) => each.map((ms, index) => ms - (each[index - 1] ?? 0)))),
    endsWithinMs: longest(ends.flat()),
  };
}

/** Model calls and tools, each call once, by what they are called in messages. */
export function stepsIn(observations: readonly Observation[]): Map<string, number> {
  const echoes = echoesIn(observations);
  const steps = new Map<string, number>();
  for (const each of observations) {
    if (echoes.has(each) || (each.type !== 'generation' && !isTool(each))) continue;
    const step = each.type === 'generation' ? 'a model call' : `a call of "${each.name}"`;
    steps.set(step, (steps.get(step) ?? 0) + 1);
  }
  return steps;
}

/** When observations ended, in milliseconds after the first topmost one did; sorted. */
function endsAfterRoot(observations: readonly Observation[]): number[] {
  const ends = (some: readonly Observation[]) => some.flatMap(({ endTime }) => (endTime ? Date.parse(endTime) : []));
  const rootEnd = ends(topsOf(observations)).reduce((first, end) => Math.min(first, end), Number.POSITIVE_INFINITY);
  return ends(observations)
    .filter((end) => end > rootEnd)
    .map((end) => end - rootEnd)
    .sort((a, b) => a - b);
}

/** With an output it is done: users of the older SDK often omit the end. */
export function isRunning({ type, endTime, output }: Observation): boolean {
  return endTime === null && output === undefined && type !== 'event';
}

function hasHiddenTop(observations: readonly Observation[]): boolean {
  const parents = new Set(topsOf(observations).map(({ parentId }) => parentId));
  return !parents.has(null) && parents.size === 1;
}
