import { useState } from 'preact/hooks';
import { Problems } from '../parts/problems.tsx';
import type { FollowedRun } from './use-run.ts';

const MIN_RUNS = 1;
const MAX_RUNS = 20;

/** Where a run goes to: the target that is saved, or one that was entered for it alone. */
export interface Wanted {
  readonly runs: number;
  readonly once?: string;
}

/** How often, Run and Cancel. A target URL that was edited is saved or used once first: Run never calls another one. */
export function Run({
  run,
  runs: usual,
  runnable,
  edited,
  onSave,
  onRun,
}: {
  run: FollowedRun;
  /** What is entered at first. */
  runs: number;
  runnable: boolean;
  /** A target URL that is not saved. */
  edited: string | undefined;
  /** @returns whether it could be saved */
  onSave: () => Promise<boolean>;
  onRun: (wanted: Wanted) => Promise<void>;
}) {
  const [runs, setRuns] = useState(String(usual));
  const [isAsked, setAsked] = useState(false);
  const count = Number(runs);
  const isCount = Number.isInteger(count) && count >= MIN_RUNS && count <= MAX_RUNS;
  const canRun = (runnable || edited !== undefined) && isCount && !run.isRunning;
  const isAsking = isAsked && edited !== undefined;
  return (
    <>
      <form
        class="line run-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!canRun) return;
          setAsked(edited !== undefined);
          if (edited === undefined) void onRun({ runs: count });
        }}
      >
        <label>
          N runs
          <input
            type="number"
            min={MIN_RUNS}
            max={MAX_RUNS}
            value={runs}
            aria-invalid={!isCount}
            onInput={({ currentTarget }) => setRuns(currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={!canRun}>
          {run.isRunning ? 'Running …' : 'Run'}
        </button>
        {run.isRunning && (
          <button type="button" class="outline" data-variant="danger" onClick={() => void run.cancel()}>
            Cancel
          </button>
        )}
        {!isCount && <span class="quiet">1 to 20 runs.</span>}
      </form>
      {isAsking && (
        <p class="problem line" role="alert">
          <span class="grow">The target URL is not saved.</span>
          <button
            type="button"
            class="small"
            onClick={async () => {
              if (await onSave()) await onRun({ runs: count });
            }}
          >
            Save and run
          </button>
          <button type="button" class="outline small" onClick={() => void onRun({ runs: count, once: edited })}>
            Use it once
          </button>
        </p>
      )}
      {run.problem !== undefined && <Problems problems={[run.problem]} />}
    </>
  );
}
