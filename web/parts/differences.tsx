import { useState } from 'preact/hooks';
import type { BehaviourView, DifferenceView, RowView, TurnView } from '../../src/report/view-shapes.ts';
import { Text, Value } from './text.tsx';
import { Letter } from './verdict.tsx';

/** Recorded and replayed side by side, for one behaviour at a time. */
export function Differences({ behaviours }: { behaviours: readonly BehaviourView[] }) {
  const [chosen, setChosen] = useState(behaviours[0]?.letter);
  const shown = behaviours.find(({ letter }) => letter === chosen) ?? behaviours[0];
  if (shown === undefined) return null;
  return (
    <section>
      <h4>Recorded and replayed</h4>
      {behaviours.length > 1 && (
        <fieldset class="choice">
          <legend class="hidden">Behaviour</legend>
          {behaviours.map(({ letter, recorded, runs }) => (
            <button
              key={letter}
              type="button"
              class="outline small"
              aria-pressed={letter === shown.letter}
              onClick={() => setChosen(letter)}
            >
              <Letter letter={letter} recorded={recorded} /> {runs}
            </button>
          ))}
        </fieldset>
      )}
      {shown.rows.length > 0 ? <Steps behaviour={shown} /> : <Plain differences={shown.differences} />}
    </section>
  );
}

/** Rows that differ, and runs of rows that do not as one that opens. */
function Steps({ behaviour }: { behaviour: BehaviourView }) {
  const { rows, differences, more } = behaviour;
  const told = new Set<DifferenceView>();
  return (
    <section class="table steps" tabIndex={0} aria-label="Steps side by side">
      <table>
        <thead>
          <tr>
            <th>recorded</th>
            <th>replayed, {behaviour.runs}</th>
          </tr>
        </thead>
        {folded(rows).map((part) =>
          part.same ? (
            <Same key={keyOf(part.rows[0])} rows={part.rows} />
          ) : (
            <tbody key={keyOf(part.rows[0])}>
              {part.rows.map((row) => {
                const here = differences.filter((each) => !told.has(each) && isAt(each, row));
                for (const each of here) told.add(each);
                return <Row key={keyOf(row)} row={row} differences={here} />;
              })}
            </tbody>
          ),
        )}
      </table>
      {more > 0 && <p class="quiet">{more} further steps are in the trace.</p>}
    </section>
  );
}

function Same({ rows }: { rows: readonly RowView[] }) {
  const [open, setOpen] = useState(false);
  const [first, last] = [rows[0]?.recorded?.number, rows.at(-1)?.recorded?.number];
  return (
    <tbody class="same">
      <tr>
        <td colSpan={2}>
          <button type="button" class="ghost small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? '▾' : '▸'} {first === last ? `step ${first}` : `steps ${first} to ${last}`}: the same
          </button>
        </td>
      </tr>
      {open && rows.map((row) => <Row key={keyOf(row)} row={row} differences={[]} />)}
    </tbody>
  );
}

function Row({ row, differences }: { row: RowView; differences: readonly DifferenceView[] }) {
  return (
    <>
      <tr data-same={row.same && differences.length === 0}>
        <Side step={row.recorded} side="recorded" />
        <Side step={row.replayed} side="replayed" />
      </tr>
      {differences.map((difference) => (
        <tr key={difference.what} class="difference" data-severity={difference.severity}>
          <td colSpan={2}>
            <Difference difference={difference} />
          </td>
        </tr>
      ))}
    </>
  );
}

function Side({ step, side }: { step: RowView['recorded']; side: 'recorded' | 'replayed' }) {
  if (step === null) return <td class="none" aria-label={`not ${side}`} />;
  return (
    <td data-side={side}>
      <span class="number">{step.number}</span> <span class="kind">{step.kind}</span>{' '}
      {step.name !== undefined && (
        <strong>
          <Text>{step.name}</Text>
        </strong>
      )}
      {step.text !== undefined && <Value>{step.text}</Value>}
    </td>
  );
}

function Difference({ difference: { what, severity, recorded, replayed, words } }: { difference: DifferenceView }) {
  return (
    <>
      <span aria-hidden="true">≠ </span>
      <Text>{what}</Text> <span class="quiet">({severity})</span>
      {words.length > 0 && <Words words={words} />}
      {words.length === 0 && (recorded !== '' || replayed !== '') && (
        <span class="change">
          <Value label="recorded">{recorded}</Value> <span aria-hidden="true">→</span>{' '}
          <Value label="replayed">{replayed}</Value>
        </span>
      )}
    </>
  );
}

/** Both texts as one: what was recorded only is struck out, what was replayed only is underlined. */
function Words({ words }: { words: DifferenceView['words'] }) {
  return (
    <p class="value words" dir="auto">
      {words.map(({ kind, text }, place) => {
        const key = `${place} ${kind}`;
        if (kind === 'removed') return <del key={key}>{text}</del>;
        if (kind === 'added') return <ins key={key}>{text}</ins>;
        return <span key={key}>{text}</span>;
      })}
    </p>
  );
}

/** Texts that are not the recorded ones, whether or not they count: nobody but a reader judges other words. */
export function Texts({ turn: { texts, moreTexts } }: { turn: TurnView }) {
  return (
    <section aria-label="Texts that are not as recorded">
      <h4>Texts that are not as recorded</h4>
      <ul class="plain">
        {texts.map(({ letter, recorded, runs, difference }) => (
          <li key={`${letter} ${runs} ${difference.what} ${difference.recordedStep} ${difference.replayed}`}>
            <Letter letter={letter} recorded={recorded} /> {runs}, step{' '}
            {difference.recordedStep ?? difference.replayedStep} <Difference difference={difference} />
          </li>
        ))}
      </ul>
      {moreTexts > 0 && (
        <p class="quiet">
          {moreTexts} more {moreTexts === 1 ? 'text is' : 'texts are'} not listed.
        </p>
      )}
    </section>
  );
}

function Plain({ differences }: { differences: readonly DifferenceView[] }) {
  return (
    <ul class="plain">
      {differences.map((difference) => (
        <li key={`${difference.what} ${difference.recordedStep} ${difference.replayedStep}`}>
          step {difference.recordedStep ?? difference.replayedStep} <Difference difference={difference} />
        </li>
      ))}
    </ul>
  );
}

function isAt({ recordedStep, replayedStep }: DifferenceView, { recorded, replayed }: RowView): boolean {
  return recordedStep === null ? replayedStep === replayed?.number : recordedStep === recorded?.number;
}

function folded(rows: readonly RowView[]): { same: boolean; rows: RowView[] }[] {
  const parts: { same: boolean; rows: RowView[] }[] = [];
  for (const row of rows) {
    const last = parts.at(-1);
    if (last?.same === row.same) last.rows.push(row);
    else parts.push({ same: row.same, rows: [row] });
  }
  return parts;
}

function keyOf(row: RowView | undefined): string {
  return `${row?.recorded?.number ?? '-'} ${row?.replayed?.number ?? '-'}`;
}
