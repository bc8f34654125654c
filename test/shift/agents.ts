import type { ReadStep } from '../../src/compare/index.ts';
import type { Json, JsonObject } from '../../src/json/index.ts';
import { type Random, randomFrom } from '../../src/shift/random.ts';

/**
 * Simulated agents with known distributions. `deterministic`: every run is the same. `mild`: sometimes one more call, a
 * reworded argument, or another of three answers. `wild`: calls come, go and change places, and hardly two answers are
 * alike. `long`: calls as in `mild`, and answers of some 150 words in which every third word varies.
 */
export const KINDS = ['deterministic', 'mild', 'wild', 'long'] as const;
export type Kind = (typeof KINDS)[number];

/** One run of one session. */
export type Agent = (random: Random) => ReadStep[];

const NOUNS = 'order parcel invoice ticket flight seat refund account address payment hotel booking'.split(' ');
const TOOLS = 'search get_order check_policy list_items get_user quote track_parcel find_flights'.split(' ');
const PLACES = 'Berlin Paris Lisbon Oslo Vienna Prague Madrid Athens'.split(' ');
/** Words that can stand for each other, as in a model's answers. */
const SYNONYMS = [
  ['please', 'kindly', 'simply'],
  ['shows', 'says', 'states', 'confirms'],
  ['will', 'should', 'is going to'],
  ['soon', 'shortly', 'quickly', 'promptly'],
  ['help', 'assistance', 'support'],
  ['found', 'located', 'identified', 'checked'],
  ['also', 'additionally', 'moreover'],
  ['issue', 'problem', 'matter'],
  ['arrive', 'come', 'be there'],
  ['details', 'information', 'data'],
];
const FILLERS = 'the of your for with this it and that to in on by from has been'.split(' ');

interface Plan {
  readonly calls: readonly { readonly tool: string; readonly args: JsonObject; readonly isOptional: boolean }[];
  /** Words of the answer; a list of them where a run chooses one. */
  readonly answer: readonly (string | readonly string[])[];
  readonly paraphrases: readonly (readonly string[])[];
}

/** The model that an agent is driven by, if nothing else is said. */
const MODEL = 'one';

/** The agent in one session. Another model has other habits, some other words, and sometimes another call. */
export function agentOf(kind: Kind, session: string, model = MODEL): Agent {
  const plan = withModel(planOf(kind, session), `${session} ${model}`, model);
  const habits = habitsOf(kind, `${session} ${model}`);
  return (random) => {
    const calls = plan.calls.flatMap((call, index) => callsOf(call, habits, index, random));
    if (calls.length > 1 && chance(habits.swap, random)) {
      const at = random(calls.length - 1);
      calls.splice(at, 2, calls[at + 1] as ReadStep, calls[at] as ReadStep);
    }
    return [...calls, step('final', undefined, answerOf(kind, plan, habits, random))];
  };
}

function planOf(kind: Kind, session: string): Plan {
  const random = randomFrom(`plan ${session}`);
  const noun = pick(NOUNS, random);
  const calls = Array.from({ length: 3 + random(5) }, (_, index) => ({
    tool: pick(TOOLS, random),
    args: {
      id: `${noun}-${100 + random(900)}`,
      count: 1 + random(9),
      city: pick(PLACES, random),
      query: `${pick(NOUNS, random)} ${pick(PLACES, random)} ${pick(NOUNS, random)} number ${index}`,
    },
    isOptional: index > 0 && random(3) === 0,
  }));
  const length = kind === 'long' ? 150 : 12 + random(20);
  const answer = Array.from({ length }, (_, index) => {
    if (index === 3) return String(10 + random(90));
    if (kind === 'deterministic' || kind === 'mild') return pick(random(2) === 0 ? FILLERS : NOUNS, random);
    return random(3) === 0 ? pick(SYNONYMS, random) : pick(random(2) === 0 ? FILLERS : NOUNS, random);
  });
  const paraphrases = Array.from({ length: 2 }, () => {
    const changed = new Set([random(length), random(length), random(length)]);
    return answer.map((word, index) => (changed.has(index) ? pick(NOUNS, random) : asOne(word)));
  });
  return { calls, answer, paraphrases: [answer.map(asOne), ...paraphrases] };
}

/** Gives another model its own words, one in five, and in every third session one call more or less. */
function withModel(plan: Plan, seed: string, model: string): Plan {
  if (model === MODEL) return plan;
  const random = randomFrom(`model ${seed}`);
  const own = plan.answer.map(() => (random(5) === 0 ? pick(NOUNS, random) : undefined));
  const spoken = (words: Plan['answer']) => words.map((word, index) => own[index] ?? word);
  const extra = { tool: pick(TOOLS, random), args: { id: pick(NOUNS, random) }, isOptional: false };
  const which = random(6);
  return {
    calls: which === 0 ? [...plan.calls, extra] : which === 1 ? plan.calls.slice(1) : plan.calls,
    answer: spoken(plan.answer),
    paraphrases: plan.paraphrases.map((words) => spoken(words).map(asOne)),
  };
}

function asOne(word: string | readonly string[]): string {
  return typeof word === 'string' ? word : (word[0] as string);
}

/** The probabilities of what a run may or may not do. */
interface Habits {
  /** The probability of each optional call. */
  readonly optional: readonly number[];
  /** The probability that a call is repeated. */
  readonly again: number;
  readonly reworded: number;
  readonly swap: number;
  /** Chooses a word by the place in its list that is added up from this. */
  readonly taste: readonly number[];
  /** Shares of the paraphrases. */
  readonly second: number;
  readonly third: number;
}

const STILL: Habits = { optional: [], again: 0, reworded: 0, swap: 0, taste: [], second: 0, third: 0 };

function habitsOf(kind: Kind, seed: string): Habits {
  const random = randomFrom(`habits ${seed}`);
  const share = (from: number, to: number) => from + ((to - from) * random(1_000)) / 1_000;
  const shares = (from: number, to: number) => Array.from({ length: 12 }, () => share(from, to));
  switch (kind) {
    case 'deterministic':
      return STILL;
    case 'mild':
    case 'long':
      return {
        optional: shares(0.02, 0.15),
        again: share(0, 0.05),
        reworded: share(0.02, 0.2),
        swap: share(0, 0.1),
        taste: shares(0.5, 0.9),
        second: share(0.05, 0.3),
        third: share(0, 0.1),
      };
    case 'wild':
      return {
        optional: shares(0.2, 0.8),
        again: share(0.1, 0.3),
        reworded: share(0.3, 0.7),
        swap: share(0.1, 0.4),
        taste: shares(0.3, 0.8),
        second: 0,
        third: 0,
      };
  }
}

function callsOf({ tool, args, isOptional }: Plan['calls'][number], habits: Habits, index: number, random: Random) {
  if (isOptional && !chance(habits.optional[index] ?? 0, random)) return [];
  const reworded = chance(habits.reworded, random);
  const said = reworded ? { ...args, query: `${pick(NOUNS, random)} in ${args.city as string}` } : args;
  const call = step('call', tool, said);
  return chance(habits.again, random) ? [call, call] : [call];
}

function answerOf(kind: Kind, plan: Plan, habits: Habits, random: Random): string {
  if (kind === 'deterministic' || kind === 'mild') {
    const drawn = random(1_000) / 1_000;
    const which = drawn < habits.third ? 2 : drawn < habits.third + habits.second ? 1 : 0;
    return `${(plan.paraphrases[which] as readonly string[]).join(' ')}.`;
  }
  const words = plan.answer.flatMap((word, index) => {
    if (typeof word === 'string') return word;
    const isFirst = chance(habits.taste[index % habits.taste.length] ?? 0, random);
    return isFirst ? (word[0] as string) : pick(word.slice(1), random);
  });
  return `${words.join(' ')}.`;
}

function step(kind: ReadStep['kind'], name: string | undefined, value: Json): ReadStep {
  return { kind, ...(name === undefined ? {} : { name }), value, isCompared: true };
}

function pick<T>(list: readonly T[], random: Random): T {
  return list[random(list.length)] as T;
}

function chance(share: number, random: Random): boolean {
  return random(1_000_000) < share * 1_000_000;
}

/** Changes of an agent that can be planted in a run. */
export const PLANTS = ['call', 'number', 'argument', 'word', 'not', 'exchange', 'error'] as const;
export type Plant = (typeof PLANTS)[number];

/** The agent with a change in this share of its runs. */
export function planted(agent: Agent, plant: Plant, share: number): Agent {
  return (random) => {
    const steps = agent(random);
    return chance(share, random) ? plantIn(steps, plant) : steps;
  };
}

/** `call`: leaves one out. `number`, `argument`: changes one. `word`, `not`: adds one. `exchange`: swaps two. */
function plantIn(steps: readonly ReadStep[], plant: Plant): ReadStep[] {
  switch (plant) {
    case 'call':
      return steps.slice(1);
    case 'error':
      return [steps[0] as ReadStep, step('error', steps[0]?.name, 'not allowed'), ...steps.slice(1)];
    case 'argument':
      return steps.with(0, {
        ...(steps[0] as ReadStep),
        value: { ...(steps[0]?.value as JsonObject), city: 'Rome' },
      });
    case 'number':
    case 'word':
    case 'not':
    case 'exchange': {
      const final = steps.at(-1) as ReadStep;
      return steps.with(-1, { ...final, value: reworded((final.value as string).split(' '), plant).join(' ') });
    }
  }
}

function reworded(words: readonly string[], plant: 'number' | 'word' | 'not' | 'exchange'): string[] {
  switch (plant) {
    case 'number':
      return words.map((word) => (/^\d+$/.test(word) ? String(Number(word) + 100) : word));
    case 'word':
      return ['certainly', ...words];
    case 'not':
      return words.toSpliced(6, 0, 'not');
    case 'exchange':
      return words.toSpliced(2, 5, ...[words[6], words[3], words[4], words[5], words[2]].map((word) => word ?? ''));
  }
}
