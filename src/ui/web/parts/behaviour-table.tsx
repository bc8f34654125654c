import { type ComponentChildren, Fragment } from 'preact';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { LaidStep } from '../../../report/index.ts';
import type { BehaviourView, DifferenceView, TurnView } from '../../../report/view/view-shapes.ts';
import type { Chosen } from './chosen.ts';
import { ForkHead } from './fork-head.tsx';
import { WithIds } from './ids.tsx';
import { Kind } from './kind.tsx';
import { joints, shortName, shortRuns } from './short-names.ts';
import { type Cell, folded, type Item, type Row, type StepTable, stateOf } from './step-table.ts';
import { Text } from './text.tsx';
import { OfTurn } from './turn-name.ts';
import { useWindow } from './use-window.ts';
import { Letter } from './verdict.tsx';

/** Height of a row, as in the style sheet. */
const ROW_PX = 34;
/** Height of the row that stays in sight. */
const HEAD_PX = 64;
/** With more columns there is no room for values. */
const MAX_WITH_VALUES = 3;
/** Longest step name shown whole; with many columns there is less room. */
const MAX_NAME_CHARS = 24;
const MAX_NAME_CHARS_OF_MANY = 16;
/** Longer values are read side by side. */
const MAX_INLINE_CHARS = 80;

/** Rows are steps; columns are the recording and each behaviour. Above them, the picture of where the runs part. */
export function BehaviourTable({
  turn,
  table,
  chosen,
  onChoose,
}: {
  turn: TurnView;
  table: StepTable;
  chosen: Chosen;
  onChoose: (step: string, column?: number) => void;
}) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const folds = useMemo(() => folded(table.rows), [table]);
  const items = folds.flatMap((item): Item[] =>
    item.kind === 'fold' && open.has(item.rows[0]?.key ?? '')
      ? [item, ...item.rows.map((row): Item => ({ kind: 'row', row }))]
      : [item],
  );
  const { box, first, last, onScroll, show } = useWindow<HTMLDivElement>(items.length, ROW_PX, HEAD_PX);
  const place = items.findIndex((item) => item.kind === 'row' && item.row.key === chosen.row?.key);
  const shown = useRef(chosen.row?.key);
  useEffect(() => {
    if (shown.current === chosen.row?.key || place === -1) return;
    shown.current = chosen.row?.key;
    show(place);
  });
  const toggle = (key: string) => {
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    setOpen(next);
  };
  const [recorded] = turn.behaviours;
  const nameChars = useMemo(() => nameCharsOf(table), [table]);
  return (
    <section class="steps-card" aria-label={`Steps of turn ${turn.turn}`}>
      {table.columns.length > 0 && (
        <ForkHead turn={turn} table={table} items={folds} chosen={chosen} onChoose={onChoose} />
      )}
      <section
        class="step-table"
        ref={box}
        onScroll={onScroll}
        tabIndex={0}
        aria-label={`Recorded and replayed steps${useContext(OfTurn)}`}
      >
        <table
          aria-rowcount={items.length + 1}
          style={{ '--columns': String(table.columns.length), '--name': String(nameChars) }}
        >
          <thead>
            <tr>
              <th scope="col" class="step-name">
                step
              </th>
              <th scope="col">
                <span class="column-head">
                  {recorded !== undefined && <Letter letter={recorded.letter} recorded={true} />}{' '}
                  <span>
                    recorded
                    {recorded?.recordings == null ? (
                      <small title={recorded?.runs}>{recordedBy(recorded)}</small>
                    ) : (
                      <Sides behaviour={recorded} turn={turn} />
                    )}
                  </span>
                </span>
              </th>
              {table.columns.map((column, at) => (
                <th key={column.letter} scope="col" data-chosen={at === chosen.column}>
                  <span class="column-head" title={`${column.runs}: ${column.label}`}>
                    <Letter letter={column.letter} recorded={column.recorded} />{' '}
                    {column.recordings === null ? (
                      <span>
                        {shortRuns(column)}
                        <small>
                          <Label text={column.label} />
                        </small>
                      </span>
                    ) : (
                      <span>
                        <small>
                          <Label text={column.label} />
                        </small>
                        <Sides behaviour={column} turn={turn} />
                      </span>
                    )}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {first > 0 && <Room rows={first} columns={table.columns.length} />}
            {items
              .slice(first, last)
              .map((item) =>
                item.kind === 'fold' ? (
                  <Fold
                    key={`fold ${item.rows[0]?.key}`}
                    rows={item.rows}
                    columns={table.columns.length}
                    isOpen={open.has(item.rows[0]?.key ?? '')}
                    onToggle={() => toggle(item.rows[0]?.key ?? '')}
                  />
                ) : (
                  <StepRow key={item.row.key} row={item.row} table={table} chosen={chosen} onChoose={onChoose} />
                ),
              )}
            {last < items.length && <Room rows={items.length - last} columns={table.columns.length} />}
          </tbody>
        </table>
      </section>
      {turn.moreSteps > 0 && <p class="quiet">{turn.moreSteps} further steps are in the trace.</p>}
    </section>
  );
}

/** How many recordings and replays did this, as two bars: if they differ, behaviour has shifted. */
function Sides({ behaviour: { recordings, count }, turn }: { behaviour: BehaviourView; turn: TurnView }) {
  const all = turn.behaviours.reduce((sum, each) => sum + (each.recordings ?? 0), 0);
  return (
    <span class="sides">
      <Share of={recordings ?? 0} all={all} side="recorded" what="rec." />
      <Share of={count} all={turn.n} side="replayed" what="runs" />
    </span>
  );
}

/** The tests use only the latter, because somebody chose the original. */
const COUNTED = 'The original and the recordings that runs made';

function Share({ of, all, side, what }: { of: number; all: number; side: 'recorded' | 'replayed'; what: string }) {
  return (
    <small
      class="share"
      data-side={side}
      title={side === 'recorded' ? COUNTED : undefined}
      style={{ '--share': `${(100 * of) / Math.max(all, 1)}%` }}
    >
      {of} of {all} {what}
    </small>
  );
}

/** Which runs did what was recorded. */
function recordedBy(recorded: BehaviourView | undefined): string {
  if (recorded === undefined) return '';
  return recorded.runs === '' ? 'no run did this' : shortRuns(recorded);
}

/** What a column does differently. Breaks between the words of a name, never inside one. */
function Label({ text }: { text: string }) {
  return (
    <Text>
      {joints(text).map((part, at) => (
        <Fragment key={at}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </Text>
  );
}

/** Space for the names of the steps, in characters. */
function nameCharsOf({ rows, columns }: StepTable): number {
  const most = mostNameChars(columns.length);
  return Math.min(most, Math.max(8, ...rows.slice(0, MAX_MEASURED).map(({ step }) => step.name?.length ?? 0)));
}

/** Rows whose names are measured: of thousands, the first ones are enough. */
const MAX_MEASURED = 1_000;

function mostNameChars(columns: number): number {
  return columns > MAX_WITH_VALUES ? MAX_NAME_CHARS_OF_MANY : MAX_NAME_CHARS;
}

/** Fills the space of rows that are not rendered. */
function Room({ rows, columns }: { rows: number; columns: number }) {
  return (
    <tr class="room">
      <td colSpan={columns + 2} style={{ height: `${rows * ROW_PX}px` }} />
    </tr>
  );
}

function Fold({
  rows,
  columns,
  isOpen,
  onToggle,
}: {
  rows: readonly Row[];
  columns: number;
  isOpen: boolean;
  onToggle: () => void;
}) {
  const [from, to] = [rows[0]?.recorded?.number, rows.at(-1)?.recorded?.number];
  return (
    <tr class="fold">
      <td colSpan={columns + 2}>
        <button type="button" class="ghost small" aria-expanded={isOpen} onClick={onToggle}>
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> steps {from} to {to} are the same
        </button>
      </td>
    </tr>
  );
}

function StepRow({
  row,
  table,
  chosen,
  onChoose,
}: {
  row: Row;
  table: StepTable;
  chosen: Chosen;
  onChoose: (step: string, column?: number) => void;
}) {
  const { key, recorded, step, same } = row;
  const { name, kind, text } = step;
  const isChosen = chosen.row?.key === key;
  const firstOther = row.cells.findIndex(({ state }) => state !== 'same' && state !== 'none');
  const withValues = table.columns.length <= MAX_WITH_VALUES;
  return (
    <tr class="step-row" data-same={same} aria-current={isChosen ? 'true' : undefined}>
      <th scope="row" class="step-name">
        <button type="button" class="ghost" onClick={() => onChoose(key, firstOther === -1 ? undefined : firstOther)}>
          <span class="number">{recorded === null ? '+' : recorded.number}</span>
          <Kind kind={kind} />
          {name !== undefined && (
            <strong title={name}>
              <Text>{shortName(name, mostNameChars(table.columns.length))}</Text>
            </strong>
          )}
        </button>
      </th>
      <td class="recorded-value">
        <Pick onChoose={() => onChoose(key)}>
          {recorded === null ? (
            <span class="cell" data-state="none">
              not recorded
            </span>
          ) : (
            <span class="inline-value" dir="auto">
              <WithIds text={shortened(recorded.text ?? text ?? '')} />
            </span>
          )}
        </Pick>
      </td>
      {table.columns.map((column, at) => (
        <td
          key={column.letter}
          class="cell"
          data-state={stateOf(row, at, chosen.base)}
          data-chosen={isChosen && at === chosen.column}
        >
          <Pick onChoose={() => onChoose(key, at)}>
            <CellText
              cell={row.cells[at] as Cell}
              recorded={recorded}
              state={stateOf(row, at, chosen.base)}
              of={column.letter}
              full={withValues}
            />
          </Pick>
        </td>
      ))}
    </tr>
  );
}

/** The pointer picks a cell; the keyboard picks its row, which has a button. */
function Pick({ onChoose, children }: { onChoose: () => void; children: ComponentChildren }) {
  return (
    <button type="button" class="ghost pick-cell" tabIndex={-1} onClick={onChoose}>
      {children}
    </button>
  );
}

const SIGNS: Readonly<Record<Cell['state'], string>> = {
  same: '=',
  different: '≠',
  missing: '−',
  extra: '+',
  none: '',
  unknown: '?',
};

function CellText({
  cell,
  recorded,
  state,
  of,
  full,
}: {
  cell: Cell;
  recorded: LaidStep | null;
  state: Cell['state'];
  of: string;
  full: boolean;
}) {
  const word = state === 'none' ? 'no step' : state === 'unknown' ? 'not kept' : state;
  const [first] = cell.differences;
  const other = state === 'different' && cell.step?.name !== recorded?.name ? cell.step?.name : undefined;
  const lesser = first !== undefined && first.severity !== 'behaviour' && state === 'different';
  return (
    <span class="cell-text" data-lesser={lesser}>
      <span class="sign" aria-hidden="true">
        {SIGNS[state]}
      </span>
      <span class={state === 'none' || (full && (state === 'different' || state === 'extra')) ? 'hidden' : 'word'}>
        {word}
      </span>{' '}
      {other !== undefined && (
        <strong>
          <Text>{other}</Text>{' '}
        </strong>
      )}
      {full && state === 'different' && (
        <span class="inline-value" dir="auto">
          <Change difference={other === undefined ? first : undefined} text={cell.step?.text ?? ''} of={of} />
        </span>
      )}
      {full && state === 'extra' && (
        <span class="inline-value" dir="auto">
          <WithIds text={shortened(cell.step?.text ?? '')} of={of} />
        </span>
      )}
    </span>
  );
}

/** The present content, and its place if only a part differs. */
function Change({ difference, text, of }: { difference: DifferenceView | undefined; text: string; of: string }) {
  if (difference === undefined || difference.pointer === '' || difference.replayed === '') {
    return <WithIds text={shortened(text)} of={of} />;
  }
  return (
    <Fragment>
      {/* With little room, the value is shown. */}
      <WithIds text={shortened(difference.replayed)} of={of} /> <span class="quiet">{difference.pointer}</span>
    </Fragment>
  );
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > MAX_INLINE_CHARS ? `${line.slice(0, MAX_INLINE_CHARS).toWellFormed()}…` : line;
}
