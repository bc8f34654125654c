import type { RunView, TurnView } from '../../src/report/view-shapes.ts';
import { toneOf } from './verdict.tsx';

/** Each run as a tile: the letter of what it did, or that it could not be told. */
export function Runs({ turn: { runs, behaviours } }: { turn: TurnView }) {
  if (runs.length === 0) return null;
  return (
    <ol class="runs" aria-label="Runs">
      {runs.map((run) => (
        <li key={run.run} class="run" data-tone={run.behaviour === '' ? 'doubt' : toneOf(run.behaviour, run.recorded)}>
          <span class="hidden">
            run {run.run}: {told(run, behaviours)}
          </span>
          <span
            aria-hidden="true"
            title={[`run ${run.run}`, told(run, behaviours), run.took, run.traceId].filter(Boolean).join('\n')}
          >
            {run.behaviour === '' ? '?' : run.behaviour}
          </span>
        </li>
      ))}
    </ol>
  );
}

function told({ behaviour, problem }: RunView, behaviours: TurnView['behaviours']): string {
  if (behaviour === '') return `could not tell${problem === '' ? '' : `, ${problem}`}`;
  return `${behaviour}, ${behaviours.find(({ letter }) => letter === behaviour)?.label ?? ''}`;
}
