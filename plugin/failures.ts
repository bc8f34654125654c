import { pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';
import { counted } from '../src/counted.ts';
import type { Problem, ShownStep } from '../src/rims.ts';
import { safeText, safeValue } from './safe.ts';
import type { Replayed, ReplayedTurn, StepPair } from './wire.ts';

/** A place in a file, line and column from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The agent behaved in another way. Vitest shows `expected` (recorded) and `actual` (replayed) as a diff. */
export class Diverged extends Error {
  override readonly name = 'Diverged';
  readonly expected: unknown;
  readonly actual: unknown;

  constructor(message: string, { expected, actual }: Partial<Sides>) {
    super(message);
    this.expected = expected;
    this.actual = actual;
  }
}

/** It could not be told whether the agent behaves as recorded: no divergence, and no pass either. */
export class CouldNotTell extends Error {
  override readonly name = 'CouldNotTell';

  constructor(message: string, { evidence = [], hint }: Partial<Problem> = {}) {
    super(linesOf({ code: '', message: `could not tell: ${message}`, evidence, hint }).join('\n'));
  }

  static because({ code, message, ...rest }: Problem): CouldNotTell {
    return new CouldNotTell(`${code} ${message}`, rest);
  }

  /** The problem that such an error tells, from its text: all that is left of it where errors were serialized. */
  static problemIn({ name, message }: { name?: string | undefined; message: string }): Problem | undefined {
    const [, code, text] = message.match(/^could not tell: ([A-Z_]+) (.*)/) ?? [];
    if (name !== 'CouldNotTell' || code === undefined || text === undefined) return undefined;
    const marked = (mark: string) =>
      message.split('\n').flatMap((line) => (line.startsWith(mark) ? [line.slice(mark.length)] : []));
    const [hint] = marked(HINT);
    return { code, message: text, evidence: marked(EVIDENCE), ...(hint !== undefined && { hint }) };
  }

  /** All that kept some replays from being compared. @param besides further lines */
  static of({ session }: Replayed, besides: readonly string[] = []): CouldNotTell {
    const problems = [
      ...session.problems,
      ...session.turns.flatMap(({ turn, problems }) =>
        problems.map((each) => ({
          ...each,
          message: `turn ${turn}, ${counted(each.runs.length, 'run')}: ${each.message}`,
        })),
      ),
    ];
    const [first, ...others] = problems;
    if (first === undefined) return new CouldNotTell(`the replays of "${session.id}" could not be compared.`);
    return CouldNotTell.because({ ...first, evidence: [...first.evidence, ...others.flatMap(linesOf), ...besides] });
  }
}

const EVIDENCE = '  | ';
const HINT = '  → ';

/** What Vitest compares side by side. */
export interface Sides {
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Two behaviours, as a reader wants to see their difference. */
export function sidesOf(pair: StepPair | undefined): Partial<Sides> {
  return pair === undefined
    ? {}
    : { expected: safeValue(pair.recorded.map(readable)), actual: safeValue(pair.replayed.map(readable)) };
}

/** What diverged, or is in other words, in sentences. */
export function divergencesIn({ session, lesser }: Replayed, levels: readonly string[] = ['error']): string[] {
  return session.turns
    .filter(({ level, comparison }) => levels.includes(level) && comparison.verdict !== 'inconclusive')
    .map(({ turn, comparison: { verdict, divergence, figures, note } }) => {
      if (verdict === 'reworded') return safeText(`turn ${turn}: ${note}. ${lesser[turn]?.join('; ') ?? ''}`);
      return safeText(
        divergence === null
          ? `turn ${turn}: ${verdict}, ${figures.asRecorded} of ${counted(figures.n, 'run')} as recorded${note === null ? '' : ` (${note})`}.`
          : `${verdict}: ${divergence.sentence}`,
      );
    });
}

/** What differs in a pass and does not count, in sentences: nobody is to take it for equal. */
export function minorIn({ session, lesser }: Replayed): string[] {
  return session.turns
    .filter(({ comparison }) => comparison.verdict === 'reproduced')
    .flatMap(({ turn }) => (lesser[turn] ?? []).map((line) => safeText(`turn ${turn}, ${line}`)));
}

/** The first turn that has two sides to show. */
export function firstPair(turns: readonly ReplayedTurn[], side: 'diverged' | 'disagreed'): StepPair | undefined {
  return turns.find((turn) => turn[side] !== undefined)?.[side];
}

/** Gives an error the place that Vitest points at, in place of the line of our own that made it. */
export function at<E extends Error>(error: E, { file, line, column }: Place): E {
  error.stack = `${error.name}: ${error.message}\n    at ${file}:${line}:${column}`;
  return error;
}

/** Acts from a place in a file, as its stack tells: Vitest points annotations at the line of the test file they came from. */
export function from(place: Place, act: () => void): void {
  const { file, line, column } = place;
  // By its URL: under the path alone the place would be taken for one in the module that the file was made into.
  const filename = pathToFileURL(file).href;
  compileFunction('act()', ['act'], { filename, lineOffset: line - 1, columnOffset: column - 1 })(act);
}

/** A problem in lines for a terminal. */
export function linesOf({ code, message, evidence, hint }: Problem): string[] {
  const head = safeText(code === '' ? message : `${code} ${message}`);
  const middle = evidence.map((line) => EVIDENCE + safeText(line));
  return [head, ...middle, ...(hint === undefined ? [] : [HINT + safeText(hint)])];
}

/** Its keys read well in the order of the alphabet, which Vitest prints them in. */
function readable({ kind, name, value }: ShownStep): object {
  const shown = value === undefined ? {} : { [kind === 'call' ? 'with' : 'value']: value };
  return name === undefined ? { [kind]: value ?? null } : { [kind]: name, ...shown };
}
