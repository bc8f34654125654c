import { useContext } from 'preact/hooks';
import type { TurnView } from '../../../report/view/view-shapes.ts';
import { BehaviourTable } from './behaviour-table.tsx';
import { type Chosen, chosenIn } from './chosen.ts';
import { PlaceContext } from './place.tsx';
import { stepTable } from './step-table.ts';

const NOTHING: Chosen = { row: undefined, column: -1, base: -1 };

/**
 * The steps of a turn in one table.
 * @param isShown the details belong to this turn
 */
export function Steps({ turn, isShown }: { turn: TurnView; isShown: boolean }) {
  const table = stepTable(turn);
  const [place, go] = useContext(PlaceContext);
  const chosen = chosenIn(turn, isShown ? place : {});
  const letterOf = (at: number) => table.columns[at]?.letter;
  return (
    <BehaviourTable
      turn={turn}
      table={table}
      chosen={isShown ? chosen : NOTHING}
      onChoose={(step, column = chosen.column) =>
        go({ turn: turn.turn, step, behaviour: letterOf(column), beside: letterOf(chosen.base), view: 'step' })
      }
    />
  );
}
