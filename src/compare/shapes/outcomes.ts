/** How an aspect, a turn or a session compares with what was recorded, worst first: docs/comparison.md. */
export const WORST_FIRST = ['changed', 'varies', 'could-not-tell', 'as-recorded'] as const;
export type Outcome = (typeof WORST_FIRST)[number];

/** A sign beside the words, a tone of drawings, a colour of terminals, and the words of one session and of several. */
export const OUTCOMES = {
  'as-recorded': { sign: '✔', tone: 'good', colour: 'green', word: 'as recorded', plural: 'as recorded' },
  'could-not-tell': { sign: '?', tone: 'doubt', colour: 'yellow', word: 'could not tell', plural: 'could not tell' },
  varies: { sign: '~', tone: 'bad', colour: 'red', word: 'varies', plural: 'vary' },
  changed: { sign: '✘', tone: 'bad', colour: 'red', word: 'changed', plural: 'changed' },
} as const satisfies Record<Outcome, { sign: string; tone: string; colour: string; word: string; plural: string }>;

export type Tone = (typeof OUTCOMES)[Outcome]['tone'] | 'plain';

export function worstOf(outcomes: readonly Outcome[]): Outcome | undefined {
  return WORST_FIRST.find((each) => outcomes.includes(each));
}

export function isAsRecorded(of: Outcome | undefined): of is 'as-recorded' {
  return of === 'as-recorded';
}

export function isDiverged(of: Outcome): boolean {
  return of === 'changed' || of === 'varies';
}

export function isDoubt(of: Outcome): boolean {
  return of === 'could-not-tell';
}
