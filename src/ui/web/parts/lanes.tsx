import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { counted, parseJson, runNumbers, stepOf, textOrJson } from '../../../report/words/pages.ts';
import { WithIds } from './ids.tsx';
import { lineDiff, type Piece } from './line-diff.ts';
import { hueOf, Letter } from './look.tsx';
import { PlaceContext } from './place.tsx';
import type { LaidStep, TurnResult } from './shapes.ts';
import { safe, Text } from './text.tsx';
import { type Chosen, type Row, seenBehaviours, type Way } from './turns.ts';
import { Pieces } from './value.tsx';
import { isMarkdown, withoutBase64 } from './value-text.ts';

/** Fewer equal rows are not folded. */
const MIN_FOLD = 3;
/** Rows of a fold that one press shows, at both of its ends. */
const AT_ONCE = 100;
/** Of a value in a line. */
const MAX_INLINE_CHARS = 90;
/** Entries of a value in a line. */
const MAX_ENTRIES = 4;
/** Shared text beside a change in a line. */
const ROOM = 24;

/** The recording on the left and a behaviour on the right, a line for each step. Equal stretches are folded. */
export function LanesTable({ chosen: { turn, behaviour, lanes, row } }: { chosen: Chosen }) {
  const [place, go] = useContext(PlaceContext);
  const box = useRef<HTMLTableElement>(null);
  const key = row?.key;
  useEffect(() => {
    if (place.step !== undefined) box.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [turn.turn, behaviour?.letter, key, place.step]);
  if (lanes.rows.length === 0) return <p class="quiet">The steps of this turn were not kept.</p>;
  const line = (each: Row) => (
    <Line
      key={each.key}
      row={each}
      of={behaviour?.cluster.id}
      isChosen={each.key === key}
      onChoose={() => go({ turn: turn.turn, behaviour: behaviour?.letter, step: each.key, view: 'step' })}
    />
  );
  return (
    <section class="lanes" aria-label={`Recorded and replayed steps of turn ${turn.turn}`}>
      <Ways turn={turn} chosen={behaviour} />
      <table ref={box}>
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">step</span>
            </th>
            <th scope="col">recorded</th>
            {behaviour !== undefined && (
              <th scope="col">
                replayed{behaviour.cluster.runs.length > 0 && ` · ${runNumbers(behaviour.cluster.runs)}`}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {folded(lanes.rows).map((part) =>
            Array.isArray(part) ? (
              <Fold
                key={`fold ${part[0]?.key}`}
                rows={part}
                line={line}
                holds={part.findIndex((each) => each.key === key)}
              />
            ) : (
              line(part as Row)
            ),
          )}
        </tbody>
      </table>
      {lanes.more > 0 && <p class="quiet">{counted(lanes.more, 'further step')} in the trace.</p>}
      {behaviour === undefined && <p class="quiet">No replay could be compared.</p>}
    </section>
  );
}

/** Rows that differ, and stretches of equal ones; if nothing differs, nothing is folded but what is very long. */
function folded(rows: readonly Row[]): (Row | Row[])[] {
  const isAllSame = rows.every(({ same }) => same);
  if (isAllSame && rows.length <= 2 * AT_ONCE) return [...rows];
  const parts: (Row | Row[])[] = [];
  for (let start = 0; start < rows.length; ) {
    let end = start;
    while (rows[end]?.same) end++;
    const alike = rows.slice(start, end);
    if (alike.length >= MIN_FOLD) parts.push(alike);
    else parts.push(...alike);
    const next = rows[end];
    if (next !== undefined) parts.push(next);
    start = end + 1;
  }
  return parts;
}

/** @param holds place of a chosen row in it; -1 without one */
function Fold({ rows, line, holds }: { rows: readonly Row[]; line: (row: Row) => preact.VNode; holds: number }) {
  const [shown, setShown] = useState(0);
  useEffect(() => {
    if (holds !== -1) setShown((before) => Math.max(before, Math.min(holds + 1, rows.length - holds)));
  }, [holds]);
  const left = rows.length - 2 * shown;
  const [from, to] = [rows[shown]?.left?.number, rows.at(-1 - shown)?.left?.number];
  if (left <= 0) return <>{rows.map(line)}</>;
  return (
    <>
      {rows.slice(0, shown).map(line)}
      <tr class="fold-row">
        <td colSpan={3}>
          <button type="button" class="fold" onClick={() => setShown(shown + AT_ONCE)}>
            ▸ {from === to ? `step ${from} is` : `steps ${from} to ${to} are`} the same
          </button>
        </td>
      </tr>
      {shown > 0 && rows.slice(-shown).map(line)}
    </>
  );
}

/** Behaviours that are not as recorded, beside the chosen one: further ones on request. */
const MAX_WAYS = 3;

/** The behaviours, where there are several: which of them stands on the right, each with a bar as long as its share of the runs. */
function Ways({ turn, chosen }: { turn: TurnResult; chosen: Way | undefined }) {
  const [, go] = useContext(PlaceContext);
  const [isOpen, setOpen] = useState(false);
  const ways = seenBehaviours(turn);
  const others = ways.filter(({ cluster }) => cluster.id > 0);
  const commonest = others.toSorted((a, b) => b.cluster.runs.length - a.cluster.runs.length).slice(0, MAX_WAYS);
  const shown = ways.filter(
    (way) => isOpen || !others.includes(way) || commonest.includes(way) || way.letter === chosen?.letter,
  );
  const left = ways.filter((way) => !shown.includes(way));
  const { n } = turn.comparison.figures;
  const all = turn.comparison.clusters.reduce((sum, { recordings = 0 }) => sum + recordings, 0);
  if (ways.length < 2) return null;
  return (
    <fieldset class="ways">
      <legend class="hidden">Behaviour on the right</legend>
      {shown.map((way) => {
        const { letter, label, cluster } = way;
        const { runs, recordings, inOtherWords } = cluster;
        return (
          <button
            key={letter}
            type="button"
            aria-pressed={letter === chosen?.letter}
            style={{ '--hue': hueOf(way), '--share': String(runs.length / Math.max(n, 1)) }}
            onClick={() => go({ turn: turn.turn, behaviour: letter })}
          >
            <Letter way={way} />
            <span class="label">
              <Text>{label}</Text>
            </span>{' '}
            <small>
              {recordings !== undefined && `${recordings} of ${all} recordings, `}
              {runs.length - (recordings === undefined ? inOtherWords.length : 0)} of {n} runs
              {cluster.divergence != null && `, differs from step ${stepOf(cluster.divergence)} on`}
            </small>
          </button>
        );
      })}
      {left.length > 0 && (
        <button type="button" onClick={() => setOpen(true)}>
          Show {counted(left.length, 'more way')}
        </button>
      )}
    </fieldset>
  );
}

const NAMES: Readonly<Record<LaidStep['kind'], string>> = {
  call: 'call',
  result: 'result',
  text: 'says',
  final: 'answer',
  error: 'error',
  end: 'end',
};

/** @param of the behaviour on the right; undefined if no replay could be compared */
function Line({
  row,
  of,
  isChosen,
  onChoose,
}: {
  row: Row;
  of: number | undefined;
  isChosen: boolean;
  onChoose: () => void;
}) {
  const step = row.left ?? row.right;
  const number = row.left === null ? '+' : String(row.left.number);
  const state = row.same ? 'same' : row.left === null ? 'extra' : row.right === null ? 'missing' : 'different';
  return (
    <tr class="line-row" data-state={state} aria-current={isChosen ? 'true' : undefined} onClick={onChoose}>
      <th scope="row">
        <button
          type="button"
          class="plain"
          aria-label={safe(`${number} ${NAMES[step?.kind ?? 'call']} ${step?.name ?? ''}`.trim())}
        >
          {number}
        </button>
      </th>
      <td>
        <Cell row={of === undefined ? { ...row, right: row.left } : row} of={null} />
      </td>
      {of !== undefined && (
        <td>
          <Cell row={row} of={of} />
        </td>
      )}
    </tr>
  );
}

export function StepList({ steps, more }: { steps: readonly LaidStep[]; more: number }) {
  if (steps.length === 0) return <p class="quiet">No step was recorded.</p>;
  return (
    <>
      <ol class="step-list">
        {steps.map((step) => (
          <li key={step.number}>
            <span class="number">{step.number}</span> <span class="kind">{NAMES[step.kind]}</span>{' '}
            <Cell row={{ key: '', left: step, right: step, same: true, differences: [] }} of={null} />
          </li>
        ))}
      </ol>
      {more > 0 && <p class="quiet">{counted(more, 'further step')}</p>}
    </>
  );
}

/** @param of the behaviour on the right; null: the recording on the left */
function Cell({ row, of }: { row: Row; of: number | null }) {
  const [step, other] = of === null ? [row.left, row.right] : [row.right, row.left];
  if (step === null) return <span class="quiet">{of === null ? 'not recorded' : 'not replayed'}</span>;
  const { kind, name, text = '' } = step;
  const isOther = other !== null && (other.name !== name || other.kind !== kind);
  const Marked = of === null ? 'del' : 'ins';
  const label = kind === 'result' ? '↩' : kind === 'final' ? '' : (name ?? NAMES[kind]);
  const counterpart = row.same || other === null || isOther ? undefined : (other.text ?? '');
  return (
    <span class="cell" dir="auto">
      {label !== '' &&
        (isOther || other === null ? (
          <Marked class="name">{safe(label, MAX_INLINE_CHARS)}</Marked>
        ) : (
          <b class="name">{safe(label, MAX_INLINE_CHARS)}</b>
        ))}{' '}
      <Inline text={text} other={counterpart} of={of} />
    </span>
  );
}

function Inline({ text, other, of }: { text: string; other: string | undefined; of: number | null }) {
  const [own, theirs] = [entriesOf(text), other === undefined ? undefined : entriesOf(other)];
  const isList = /^\s*\[/.test(text);
  if (own === undefined || (isList && theirs === undefined)) {
    if (other === undefined) return <WithIds text={shortened(text)} of={of} />;
    return <Pieces pieces={diffOf(text, other, of)} of={of} room={ROOM} />;
  }
  const isChanged = ([key, value]: readonly [string, string]) => theirs !== undefined && theirs.get(key) !== value;
  const entries = [...own].toSorted((a, b) => Number(isChanged(b)) - Number(isChanged(a)));
  // Of a list, what is not changed says little without its place.
  const shown = (isList ? entries.filter(isChanged) : entries).slice(0, MAX_ENTRIES);
  return (
    <span class="entries">
      {shown.map(([key, value]) => {
        const theirs2 = theirs?.get(key);
        const pieces: readonly Piece[] = !isChanged([key, value])
          ? [{ text: shortened(value), marked: false }]
          : theirs2 === undefined
            ? [{ text: shortened(value), marked: true }]
            : diffOf(value, theirs2, of);
        return (
          <span key={key} class="entry">
            <i>{safe(key, MAX_INLINE_CHARS)}</i> <Pieces pieces={pieces} of={of} room={ROOM} />
          </span>
        );
      })}
      {entries.length > shown.length && <i> · {entries.length - shown.length} more</i>}
    </span>
  );
}

function shortened(text: string): string {
  const line = oneLine(text);
  return line.length > MAX_INLINE_CHARS
    ? `${line
        .slice(0, MAX_INLINE_CHARS)
        .toWellFormed()
        .replace(/\s+\S*$/, '')} …`
    : line;
}

function oneLine(text: string): string {
  const line = withoutBase64(text).replace(/\s+/g, ' ');
  return isMarkdown(text) ? line.replaceAll('**', '') : line;
}

function diffOf(text: string, other: string, of: number | null): readonly Piece[] {
  const [mine, theirs] = [oneLine(text), oneLine(other)];
  const [pair] = of === null ? lineDiff(mine, theirs) : lineDiff(theirs, mine);
  const pieces = pair?.[of === null ? 'left' : 'right'] ?? [];
  // Texts with almost nothing in common are wholly another.
  const isMarked = [pair?.left, pair?.right].some((line) => line?.some(({ marked }) => marked));
  return isMarked || mine === theirs ? pieces : [{ text: shortened(mine), marked: true }];
}

/** The entries of an object or a list in short texts, of one that is cut the whole ones; undefined for anything else. */
function entriesOf(text: string): ReadonlyMap<string, string> | undefined {
  const [, open] = /^\s*([[{])/.exec(text) ?? [];
  if (open === undefined) return undefined;
  const cut = open === '{' ? `${text.slice(0, text.lastIndexOf(',"'))}}` : `${text.slice(0, text.lastIndexOf(','))}]`;
  for (const whole of [text, cut]) {
    try {
      const entries = Object.entries(parseJson(whole) as object);
      return new Map(entries.map(([key, each]) => [open === '{' ? key : `[${key}]`, textOrJson(each) ?? '']));
    } catch {}
  }
  return undefined;
}
