import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { LaidStep } from '../../../report/index.ts';
import type { DifferenceView } from '../../../report/view/view-shapes.ts';
import type { Chosen } from './chosen.ts';
import { Copy } from './copy.tsx';
import { Ids, WithIds, withIds } from './ids.tsx';
import { Kind } from './kind.tsx';
import { shortRuns } from './short-names.ts';
import { type Side, SideBySide } from './side-by-side.tsx';
import { type Row, type StepTable, stepAt } from './step-table.ts';
import { Text } from './text.tsx';
import type { ValueMode } from './value-text.ts';
import { Letter } from './verdict.tsx';
import { useWhole, type WholeStep } from './whole.ts';

const MODES: readonly (readonly [ValueMode, string])[] = [
  ['json', 'JSON'],
  ['text', 'Text'],
  ['raw', 'Raw'],
];

/** One step of two runs side by side: the recording and a behaviour, or two behaviours. */
export function StepPanel({
  turn,
  isOneOfSeveral,
  row,
  table,
  chosen,
  onBase,
  onColumn,
}: {
  turn: number;
  isOneOfSeveral: boolean;
  row: Row;
  table: StepTable;
  chosen: Chosen;
  onBase: (column: number) => void;
  onColumn: (column: number) => void;
}) {
  const [mode, setMode] = useState<ValueMode>('json');
  const [open, setOpen] = useState(false);
  const ids = useContext(Ids);
  useEffect(() => setOpen(false), [row.key]);
  const { base, column } = chosen;
  const letterOf = (at: number) => (at < 0 ? '' : (table.columns[at]?.letter ?? ''));
  const [from, to] = [stepAt(row, base), stepAt(row, column)];
  const wholeFrom = useWhole(turn, letterOf(base), from);
  const wholeTo = useWhole(turn, letterOf(column), to);
  const { kind, name } = row.step;
  const differences = base < 0 ? (row.cells[column]?.differences ?? []) : [];
  const side = (at: number, step: LaidStep | null, whole: WholeStep, which: ComponentChildren): Side => ({
    label: (
      <>
        {table.columns.length > 1 ? which : <Label table={table} column={at} />}
        <span class="quiet">{step === null ? 'no such step' : `step ${step.number}`}</span>
        <span class="grow" />
        {step !== null && (
          <Copy text={() => Promise.resolve(withIds(whole.text ?? step.text ?? '', ids, letterOf(at)))} />
        )}
      </>
    ),
    of: letterOf(at),
    text: step === null ? null : (whole.text ?? step.text ?? ''),
  });
  const left = side(
    base,
    from,
    wholeFrom,
    <Which label="Left side" table={table} value={base} without={column} onChoose={onBase} />,
  );
  const right = side(
    column,
    to,
    wholeTo,
    <Which label="Right side" table={table} value={column} without={base} onChoose={onColumn} />,
  );
  const hasOne = table.columns.length === 0;
  return (
    <div class="step-panel">
      <header class="line">
        <h3>
          {isOneOfSeveral ? `Turn ${turn}, step` : 'Step'} {row.recorded?.number ?? row.key} <Kind kind={kind} />{' '}
          {name !== undefined && <Text>{name}</Text>}
        </h3>
        <span class="grow" />
        <fieldset class="choice">
          <legend class="hidden">Shown as</legend>
          {MODES.map(([each, word]) => (
            <button
              key={each}
              type="button"
              class="outline small"
              aria-pressed={mode === each}
              onClick={() => setMode(each)}
            >
              {word}
            </button>
          ))}
        </fieldset>
        <button type="button" class="outline small" aria-pressed={open} onClick={() => setOpen(!open)}>
          Expand all
        </button>
        {hasOne && left.text !== null && <Copy text={withIds(left.text, ids)} />}
      </header>
      {differences.length > 0 && (
        <ul class="differences">
          {differences.map((difference) => (
            <li
              key={`${difference.what} ${difference.recorded} ${difference.replayed}`}
              data-severity={difference.severity}
            >
              <Difference difference={difference} of={letterOf(column)} />
            </li>
          ))}
        </ul>
      )}
      {hasOne ? (
        <pre class="value" tabIndex={0} dir="auto">
          <WithIds text={left.text ?? ''} />
        </pre>
      ) : (
        <SideBySide left={left} right={right} mode={mode} open={open} />
      )}
      <Cut side="left" whole={wholeFrom} step={from} />
      {!hasOne && <Cut side="right" whole={wholeTo} step={to} />}
    </div>
  );
}

/** What is cut says so. */
function Cut({ side, whole: { state }, step }: { side: 'left' | 'right'; whole: WholeStep; step: LaidStep | null }) {
  if (step?.whole === undefined || state === 'whole') return null;
  return (
    <p class="quiet cut" role="status">
      The {side} side is cut: {(step.text ?? '').length} of {step.whole} characters are here.{' '}
      {state === 'missing' ? 'The whole is in the traces of the run.' : 'Opening the whole …'}
    </p>
  );
}

function Label({ table, column }: { table: StepTable; column: number }) {
  const of = table.columns[column];
  if (of === undefined) return <span>recorded</span>;
  return (
    <>
      <Letter letter={of.letter} recorded={of.recorded} /> <span title={of.runs}>{shortRuns(of)}</span>
    </>
  );
}

function Which({
  label,
  table,
  value,
  without,
  onChoose,
}: {
  label: string;
  table: StepTable;
  value: number;
  without: number;
  onChoose: (column: number) => void;
}) {
  return (
    <select
      class="small"
      aria-label={label}
      value={String(value)}
      onChange={({ currentTarget }) => onChoose(Number(currentTarget.value))}
    >
      {without !== -1 && <option value="-1">recorded</option>}
      {table.columns.map(
        ({ letter, runs, count }, at) =>
          at !== without && (
            <option key={letter} value={String(at)}>
              {letter}: {runs === '' ? 'no run' : shortRuns({ runs, count })}
            </option>
          ),
      )}
    </select>
  );
}

export function Difference({
  difference: { what, severity, recorded, replayed, words },
  of,
}: {
  difference: DifferenceView;
  of: string;
}) {
  return (
    <>
      <span aria-hidden="true">≠ </span>
      <Text>{what}</Text> <span class="quiet">({severity})</span> {words.length > 0 && <Words words={words} of={of} />}
      {words.length === 0 && (recorded !== '' || replayed !== '') && (
        <span class="change">
          <span class="hidden">recorded: </span>
          <del dir="auto">{recorded === '' ? 'nothing' : <WithIds text={recorded} />}</del>{' '}
          <span aria-hidden="true">→</span> <span class="hidden">replayed: </span>
          <ins dir="auto">{replayed === '' ? 'nothing' : <WithIds text={replayed} of={of} />}</ins>
        </span>
      )}
    </>
  );
}

/** Both texts merged: recorded parts are struck out, replayed parts underlined. */
function Words({ words, of }: { words: DifferenceView['words']; of: string }) {
  return (
    <p class="words" dir="auto">
      {words.map(({ kind, text }, place) => {
        const key = `${place} ${kind}`;
        const shown = <WithIds text={text} of={kind === 'added' ? of : ''} />;
        if (kind === 'removed') return <del key={key}>{shown}</del>;
        if (kind === 'added') return <ins key={key}>{shown}</ins>;
        return <span key={key}>{shown}</span>;
      })}
    </p>
  );
}
