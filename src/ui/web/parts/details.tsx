import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import type { SessionView } from '../../../report/index.ts';
import type { TurnView } from '../../../report/view/view-shapes.ts';
import { chosenIn, turnToShow } from './chosen.ts';
import { Ids } from './ids.tsx';
import { type Place, PlaceContext } from './place.tsx';
import { RunPanel } from './run-panel.tsx';
import { StepPanel } from './step-panel.tsx';
import { type Row, stepTable } from './step-table.ts';
import { Traces } from './traces.tsx';

type View = NonNullable<Place['view']>;

/** If no step stands out, the whole run is more useful than an empty pane; without a run, the session is. */
function usualView(
  { behaviours, steps }: TurnView,
  { row, hasRuns, hasAbout }: { row: Row | undefined; hasRuns: boolean; hasAbout: boolean },
): View {
  if (row !== undefined || steps.length === 0) return 'step';
  if (hasRuns && behaviours.some(({ count }) => count > 0)) return 'run';
  return hasAbout ? 'session' : 'step';
}

/** Details of the selection: a step side by side, a whole run, or the page's information about the session. */
export function Details({ session, about }: { session: SessionView; about?: ComponentChildren }) {
  const [place, go] = useContext(PlaceContext);
  const traces = useContext(Traces);
  const turn = turnToShow(session, place);
  if (turn === undefined) return <>{about}</>;
  const table = stepTable(turn);
  const chosen = chosenIn(turn, place.turn === undefined || place.turn === turn.turn ? place : {});
  const { row, column, base } = chosen;
  const view: View =
    place.view ?? usualView(turn, { row, hasRuns: traces !== undefined, hasAbout: about !== undefined });
  const letterOf = (at: number) => table.columns[at]?.letter;
  const look = (more: Place) =>
    go({ turn: turn.turn, step: row?.key, behaviour: letterOf(column), beside: letterOf(base), view, ...more });
  const tabs: readonly (readonly [View, string])[] = [
    ['step', table.columns.length === 0 ? 'Step' : 'Side by side'],
    ['run', 'Whole run'],
    ...(about === undefined ? [] : [['session', 'Session'] as const]),
  ];
  return (
    <Ids.Provider value={turn.ids}>
      <div class="tabs" role="tablist" aria-label="Details">
        {tabs.map(([name, word]) => (
          <button
            key={name}
            type="button"
            role="tab"
            class="tab"
            aria-selected={view === name}
            onClick={() => look({ view: name })}
          >
            {word}
          </button>
        ))}
        {session.turns.length > 1 && <span class="quiet of-turn">turn {turn.turn}</span>}
      </div>
      {view === 'session' && about}
      {view === 'run' && <RunPanel key={turn.turn} turn={turn} table={table} place={place} onChoose={look} />}
      {view === 'step' &&
        (row === undefined ? (
          <p class="quiet">
            {table.rows.length === 0 ? 'The steps of this turn were not kept.' : 'Choose a step of the table.'}
          </p>
        ) : (
          <StepPanel
            key={`${turn.turn} ${row.key}`}
            turn={turn.turn}
            isOneOfSeveral={session.turns.length > 1}
            row={row}
            table={table}
            chosen={chosen}
            onBase={(at) => look({ beside: letterOf(at) })}
            onColumn={(at) =>
              at < 0 ? look({ behaviour: letterOf(base), beside: undefined }) : look({ behaviour: letterOf(at) })
            }
          />
        ))}
    </Ids.Provider>
  );
}
