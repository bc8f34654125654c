import { type Difference, IN_OTHER_WORDS, isDoubt, type RecordedTurn } from '../../compare/index.ts';
import { textOrJson } from '../../json/index.ts';
import { cut, forTerminal } from '../../text/index.ts';
import { pad, wrap } from '../columns.ts';
import type { NumberedStep, PairRow } from '../laid.ts';
import { divergenceWords, whatOf } from '../words/divergence.ts';
import { painter, type Style } from '../words/paint.ts';
import type { TerminalOptions } from './terminal.ts';

type Pair = ReturnType<RecordedTurn['pairWith']>;

/** Narrower terminals have no room for two columns, so the sides go one above the other. */
const MIN_TWO_COLUMNS = 80;
const DEFAULT_COLUMNS = 100;
const MIN_COLUMNS = 40;
/** Longest value of a step, in characters of JSON. */
const MAX_STEP_CHARS = 2_000;
const GAP = ' │ ';

const SEVERITY_STYLES: Readonly<Record<Difference['severity'], Style>> = {
  noise: 'dim',
  wording: 'dim',
  minor: 'yellow',
  behaviour: 'red',
};

/** Two runs for people at a terminal: shared steps are folded, differences stand side by side. */
export function renderPair(
  { comparison, rows }: Pair,
  labels: { recorded: string; replayed: string },
  { colour = false, columns = DEFAULT_COLUMNS }: TerminalOptions = {},
): string {
  const width = Math.max(columns, MIN_COLUMNS);
  const paint = painter(colour);
  const lines = sides(labels.recorded, labels.replayed, width).map((line) => paint('bold', line));
  for (const part of folded(rows)) {
    if ('from' in part) {
      lines.push(
        paint('dim', `  ${part.from === part.to ? `step ${part.from}` : `steps ${part.from}-${part.to}`}: the same`),
      );
      continue;
    }
    lines.push(...sides(stepText(part.recorded), stepText(part.replayed), width));
    for (const difference of part.differences) {
      const [first = '', ...rest] = wrapped(differenceText(difference), width - 4);
      lines.push(paint(SEVERITY_STYLES[difference.severity], `  ≠ ${first}`), ...rest.map((line) => `    ${line}`));
    }
  }
  const { divergence, verdict } = comparison;
  const same = isDoubt(verdict) ? `${IN_OTHER_WORDS}, the same facts` : 'no meaningful difference';
  lines.push('', ...wrapped(divergence === null ? same : divergenceWords(comparison), width));
  return `${lines.join('\n')}\n`;
}

type Fold = { readonly from: number; readonly to: number };

/** Rows that differ, and each stretch of equal rows as one. */
function folded(rows: readonly PairRow[]): (PairRow | Fold)[] {
  const parts: (PairRow | Fold)[] = [];
  for (const row of rows) {
    const last = parts.at(-1);
    if (!row.same || row.differences.length > 0 || row.recorded === null) parts.push(row);
    else if (last !== undefined && 'from' in last) parts[parts.length - 1] = { ...last, to: row.recorded.number };
    else parts.push({ from: row.recorded.number, to: row.recorded.number });
  }
  return parts;
}

/** Both texts beside each other, or one below the other without room. */
function sides(left: string, right: string, width: number): string[] {
  if (width < MIN_TWO_COLUMNS) {
    const side = (sign: string, text: string) =>
      wrapped(text, width - 2).map((line, index) => `${index === 0 ? sign : ' '} ${line}`);
    return [...(left === '' ? [] : side('-', left)), ...(right === '' ? [] : side('+', right))];
  }
  const column = Math.floor((width - GAP.length) / 2);
  const [a, b] = [wrapped(left, column), wrapped(right, column)];
  return Array.from({ length: Math.max(a.length, b.length) }, (_, index) =>
    `${pad(a[index] ?? '', column)}${GAP}${b[index] ?? ''}`.trimEnd(),
  );
}

function wrapped(text: string, width: number): string[] {
  // A line break can move `::` to the start of a line, so each line is made safe again.
  return wrap(forTerminal(text), width).map(forTerminal);
}

function stepText(step: NumberedStep | null): string {
  if (step === null) return '';
  const { number, kind, name, value } = step;
  const text = value === undefined ? '' : cut(textOrJson(value), MAX_STEP_CHARS);
  return `${number} ${kind}${name === undefined ? '' : ` ${name}`} ${text}`.trimEnd();
}

/** `answer: 3 to 5 days → 5 to 7 days`, and how much that matters. */
function differenceText(difference: Difference): string {
  const { severity, downstream } = difference;
  const follows = downstream === true ? 'follows from an earlier difference' : '';
  const notes = [severity === 'behaviour' ? '' : severity, follows].filter(Boolean).join(', ');
  return `${whatOf(difference)}${notes === '' ? '' : ` (${notes})`}`;
}
