import { useEffect } from 'preact/hooks';
import type { TurnView } from '../../../report/view/view-shapes.ts';
import type { Places } from './place.tsx';
import { firstTelling, stepTable } from './step-table.ts';

/** `n` and `p` go to the next and the previous difference, over all turns. */
export function useDifferenceKeys(turns: readonly TurnView[], [place, go]: Places, shown: TurnView | undefined): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const step = event.key === 'n' ? 1 : event.key === 'p' ? -1 : 0;
      if (step === 0 || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const all = turns.flatMap((turn) =>
        stepTable(turn)
          .rows.filter(({ same }) => !same)
          .map(({ key, cells }) => ({ turn: turn.turn, key, cells })),
      );
      const key = place.step ?? (shown && firstTelling(stepTable(shown))?.key);
      const at = all.findIndex((each) => each.turn === shown?.turn && each.key === key);
      const next = at === -1 ? all[step > 0 ? 0 : all.length - 1] : all[at + step];
      if (next === undefined) return;
      event.preventDefault();
      const column = next.cells.findIndex(({ state }) => state !== 'same' && state !== 'none');
      const own = turns.find((each) => each.turn === next.turn);
      go({ turn: next.turn, step: next.key, behaviour: own && stepTable(own).columns[column]?.letter });
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
}
