import { useContext } from 'preact/hooks';
import type { TurnView } from '../../src/report/view/view-shapes.ts';
import { BehaviourTable, type Chosen } from './behaviour-table.tsx';
import { usePlace } from './place.tsx';
import { RunPanel } from './run-panel.tsx';
import { StepPanel } from './step-panel.tsx';
import { firstTelling, type StepTable, stepTable } from './step-table.ts';
import { Traces } from './traces.tsx';

/** The steps of a turn in one table, and below it the step that is chosen, or a run as a whole. */
export function Steps({ turn }: { turn: TurnView }) {
  const table = stepTable(turn);
  const traces = useContext(Traces);
  const [place, go] = usePlace(turn.turn);
  const { rows, columns } = table;
  if (rows.length === 0) return null;
  const row = rows.find(({ key }) => key === place.step) ?? firstTelling(table);
  const columnOf = (letter: string | undefined) => columns.findIndex((each) => each.letter === letter);
  const column =
    columns.length === 0
      ? -1
      : Math.max(0, place.behaviour === undefined ? telling(table, row) : columnOf(place.behaviour));
  const beside = columnOf(place.beside);
  const chosen: Chosen = { step: row?.key, column, base: beside === column ? -1 : beside };
  const letterOf = (at: number) => columns[at]?.letter;
  const view = place.view ?? 'step';
  const look = (more: Partial<typeof place>) =>
    go({ ...place, step: chosen.step, behaviour: letterOf(column), beside: letterOf(chosen.base), ...more });
  return (
    <>
      <BehaviourTable
        turn={turn}
        table={table}
        chosen={chosen}
        onChoose={(step, at) =>
          look({ step, view: undefined, ...(at === undefined ? {} : { behaviour: letterOf(at) }) })
        }
      />
      {(row !== undefined || traces !== undefined) && (
        <section class="panel" aria-label="What is chosen">
          <div class="tabs" role="tablist" aria-label="How it is shown">
            <Tab
              name={columns.length === 0 ? 'Step' : 'Side by side'}
              isChosen={view === 'step'}
              onChoose={() => look({ view: undefined })}
            />
            <Tab name="Whole run" isChosen={view === 'run'} onChoose={() => look({ view: 'run' })} />
          </div>
          {view === 'run' ? (
            <RunPanel turn={turn} table={table} place={place} onChoose={look} />
          ) : row === undefined ? (
            <p class="quiet">Choose a step of the table.</p>
          ) : (
            <StepPanel
              key={row.key}
              turn={turn.turn}
              row={row}
              table={table}
              chosen={chosen}
              onBase={(at) => look({ beside: letterOf(at) })}
              onColumn={(at) =>
                at < 0
                  ? look({ behaviour: letterOf(chosen.base), beside: undefined })
                  : look({ behaviour: letterOf(at) })
              }
            />
          )}
        </section>
      )}
    </>
  );
}

function telling({ columns }: StepTable, row: ReturnType<typeof firstTelling>): number {
  const states = row?.cells.map(({ state }) => state !== 'same' && state !== 'none') ?? [];
  return Math.max(0, Math.min(columns.length - 1, states.indexOf(true)));
}

function Tab({ name, isChosen, onChoose }: { name: string; isChosen: boolean; onChoose: () => void }) {
  return (
    <button type="button" role="tab" class="tab" aria-selected={isChosen} onClick={onChoose}>
      {name}
    </button>
  );
}
