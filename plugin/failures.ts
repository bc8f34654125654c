import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';
import type { Problem } from '../src/rims.ts';
import { counted } from '../src/text/index.ts';
import { safeText, safeValue } from './safe.ts';
import type { Replayed, ReplayedTurn, StepPair } from './wire.ts';

/** Line and column from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Vitest shows `expected` (recorded) and `actual` (replayed) as a diff. */
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

const FOLDER = new URL('.', import.meta.url);
/** As a stack spells it: as a URL or as a path. */
const OURS = [FOLDER.pathname, fileURLToPath(FOLDER)];

/** Nobody could tell whether the agent behaves as recorded: no divergence, and no pass either. */
export class CouldNotTell extends Error {
  override readonly name = 'CouldNotTell';

  constructor(message: string, { evidence = [], hint }: Partial<Problem> = {}) {
    super(linesOf({ code: '', message: `could not tell: ${message}`, evidence, hint }).join('\n'));
    // Vitest shows where it was thrown: in the test, and not in us.
    const lines = (this.stack ?? '').split('\n');
    this.stack = lines
      .filter((line) => !(line.startsWith('    at ') && OURS.some((ours) => line.includes(ours))))
      .join('\n');
  }

  static because({ code, message, ...rest }: Problem): CouldNotTell {
    return new CouldNotTell(`${code} ${message}`, rest);
  }

  /** From the text of such an error, which is all that is left once errors are serialised. */
  static problemIn({ name, message }: { name?: string | undefined; message: string }): Problem | undefined {
    const [, code, text] = message.match(/^could not tell: ([A-Z_]+) (.*)/) ?? [];
    if (name !== 'CouldNotTell' || code === undefined || text === undefined) return undefined;
    const marked = (mark: string) =>
      message.split('\n').flatMap((line) => (line.startsWith(mark) ? [line.slice(mark.length)] : []));
    const [hint] = marked(HINT);
    return { code, message: text, evidence: marked(EVIDENCE), ...(hint !== undefined && { hint }) };
  }

  /** Everything that kept replays from being compared. @param besides further lines */
  static of(replayed: Replayed, besides: readonly string[] = []): CouldNotTell {
    const { session } = replayed;
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
    const [words, ...more] = divergencesIn(replayed);
    if (first === undefined && words !== undefined)
      return new CouldNotTell(words, { evidence: [...more, ...besides], hint: SAME });
    if (first === undefined) return new CouldNotTell(`the replays of "${session.id}" could not be compared.`);
    // The last lines of an agent's log are the same in each.
    const told = new Set(first.evidence);
    const beside = others.flatMap(({ evidence, ...each }) =>
      linesOf({ ...each, evidence: evidence.filter((line) => !told.has(line)) }),
    );
    return CouldNotTell.because({ ...first, evidence: [...first.evidence, ...beside, ...besides] });
  }
}

/** Spans of the agent were lost, so that it may have done more than any of its traces shows. */
export function isLoss({ code }: Problem): boolean {
  return code === 'TRACE_INCOMPLETE';
}

const SAME = 'If it means the same, accept it (`vitest -u`), or configure a judge.';
const EVIDENCE = '  | ';
const HINT = '  → ';

/** What Vitest compares side by side. */
export interface Sides {
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Two behaviours in a form in which their difference is easy to read. */
export function sidesOf(pair: StepPair | undefined): Partial<Sides> {
  return pair === undefined
    ? {}
    : { expected: safeValue(pair.recorded.map(readable)), actual: safeValue(pair.replayed.map(readable)) };
}

type Comparison = Replayed['session']['turns'][number]['comparison'];

// The core, which knows the same, is not loaded where tests run.
function isDoubt({ verdict }: Comparison): boolean {
  return verdict === 'could-not-tell';
}

function isInOtherWords(comparison: Comparison): boolean {
  const { conclusive, requested } = comparison;
  return isDoubt(comparison) && conclusive > 0 && conclusive === requested;
}

/** Divergences and answers in other words, in sentences. */
export function divergencesIn(
  { session, lesser, divergences }: Replayed,
  levels: readonly string[] = ['error'],
): string[] {
  return session.turns
    .filter(({ level, comparison }) => levels.includes(level) && (!isDoubt(comparison) || isInOtherWords(comparison)))
    .map(({ turn, comparison }) => {
      const { divergence, figures, note } = comparison;
      const verdict = comparison.verdict.replaceAll('-', ' ');
      if (isInOtherWords(comparison)) return safeText(`turn ${turn}: ${note}. ${lesser[turn]?.join('; ') ?? ''}`);
      if (divergence === null)
        return safeText(
          `turn ${turn}: ${verdict}, ${figures.asRecorded} of ${counted(figures.n, 'run')} as recorded${note === null ? '' : ` (${note})`}.`,
        );
      // An edited prompt is what a reader looks for, so that it comes first.
      const { line, detail } = divergence.cause;
      return safeText(`${line === undefined ? '' : `${detail}. `}${verdict}: turn ${turn}, ${divergences[turn]}`);
    });
}

/** Differences that do not count, in sentences, so that nobody takes such a pass for equal. */
export function minorIn({ session, lesser }: Replayed): string[] {
  return session.turns
    .filter(({ comparison }) => comparison.verdict === 'as-recorded')
    .flatMap(({ turn }) => (lesser[turn] ?? []).map((line) => safeText(`turn ${turn}, ${line}`)));
}

/** The first turn that has two sides to show. */
export function firstPair(turns: readonly ReplayedTurn[], side: 'diverged' | 'disagreed'): StepPair | undefined {
  return turns.find((turn) => turn[side] !== undefined)?.[side];
}

/** As {@link at}, for what is no mistake in that file: Vitest names the place and shows nothing of the JSON there. */
export function by<E extends Error>(error: E, place: Place): E {
  const { file, line, column } = place;
  return at(Object.assign(error, { frame: ` ❯ ${path.relative(process.cwd(), file)}:${line}:${column}` }), place);
}

/** Gives an error the place that Vitest points at, instead of the line in our code that made it. */
export function at<E extends Error>(error: E, { file, line, column }: Place): E {
  error.stack = `${error.name}: ${error.message}\n    at ${file}:${line}:${column}`;
  return error;
}

/** Calls `act` as if from a place in a file, because Vitest reads an annotation's test file and line from the stack. */
export function from(place: Place, act: () => void): void {
  const { file, line, column } = place;
  // Vitest would take the plain path for a place in the compiled module.
  const filename = pathToFileURL(file).href;
  compileFunction('act()', ['act'], { filename, lineOffset: line - 1, columnOffset: column - 1 })(act);
}

/** A problem in lines for a terminal. */
export function linesOf({ code, message, evidence, hint }: Problem): string[] {
  const head = safeText(code === '' ? message : `${code} ${message}`);
  const middle = evidence.map((line) => EVIDENCE + safeText(line));
  return [head, ...middle, ...(hint === undefined ? [] : [HINT + safeText(hint)])];
}

/** With keys that read well in alphabetical order, in which Vitest prints them. */
function readable({ kind, name, value }: StepPair['recorded'][number]): object {
  const shown = value === undefined ? {} : { [kind === 'call' ? 'with' : 'value']: value };
  return name === undefined ? { [kind]: value ?? null } : { [kind]: name, ...shown };
}
