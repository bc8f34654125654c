import { useState } from 'preact/hooks';
import type { RunSettings } from '../../index.ts';
import { Problems } from '../parts/problems.tsx';
import type { FollowedRun } from './use-run.ts';

const MIN_RUNS = 1;
const MAX_RUNS = 20;

/** Settings of a run: how often, which tools, and the target if not the saved one. */
export interface Wanted {
  readonly runs: number;
  /** Omitted: as configured. */
  readonly tools?: 'live' | 'recorded';
  readonly gate?: RunSettings['gate'];
  readonly once?: string;
}

const TOOLS = { live: 'live', recorded: 'recorded', mixed: 'as configured' } as const;
const TOOLS_HINT = 'live: the tools of the agent run, N times. recorded: the recording answers for them.';
const GATE_HINT = 'every run: each as recorded. shift: whether behaviour has shifted from its recordings.';

/**
 * How often, which tools, Run and Cancel. An edited target URL must first be saved or used once: Run never calls another
 * one.
 */
export function Run({
  run,
  settings,
  runnable,
  edited,
  onSave,
  onRun,
}: {
  run: FollowedRun;
  /** What is chosen at first. */
  settings: RunSettings;
  runnable: boolean;
  /** An unsaved target URL. */
  edited: string | undefined;
  /** @returns whether it could be saved */
  onSave: () => Promise<boolean>;
  onRun: (wanted: Wanted) => Promise<void>;
}) {
  const [runs, setRuns] = useState(String(settings.runs));
  const [tools, setTools] = useState(settings.tools);
  const [gate, setGate] = useState(settings.gate);
  const [isAsked, setAsked] = useState(false);
  const count = Number(runs);
  const isCount = Number.isInteger(count) && count >= MIN_RUNS && count <= MAX_RUNS;
  const canRun = (runnable || edited !== undefined) && isCount && !run.isRunning;
  const isAsking = isAsked && edited !== undefined;
  const wanted: Wanted = {
    runs: count,
    ...(tools === settings.tools || tools === 'mixed' ? {} : { tools }),
    ...(gate === settings.gate ? {} : { gate }),
  };
  return (
    <>
      <form
        class="line run-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!canRun) return;
          setAsked(edited !== undefined);
          if (edited === undefined) void onRun(wanted);
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
        <label title={TOOLS_HINT}>
          Tools
          <select
            value={tools}
            disabled={run.isRunning}
            onChange={({ currentTarget }) => setTools(currentTarget.value as RunSettings['tools'])}
          >
            {Object.entries(TOOLS)
              .filter(([name]) => name !== 'mixed' || settings.tools === 'mixed')
              .map(([name, word]) => (
                <option key={name} value={name}>
                  {word}
                </option>
              ))}
          </select>
        </label>
        <label title={GATE_HINT}>
          Gate
          <select
            value={gate}
            disabled={run.isRunning}
            onChange={({ currentTarget }) => setGate(currentTarget.value as RunSettings['gate'])}
          >
            <option value="every-run">every run</option>
            <option value="shift">shift</option>
          </select>
        </label>
        {run.isRunning ? (
          <button type="button" class="outline" data-variant="danger" onClick={() => void run.cancel()}>
            Cancel
          </button>
        ) : (
          <button type="submit" disabled={!canRun}>
            Run
          </button>
        )}
        {!isCount && <span class="quiet">1 to 20 runs.</span>}
      </form>
      {isAsking && (
        <p class="problem line asked" role="alert">
          <span class="grow">The target URL is not saved.</span>
          <button
            type="button"
            class="small"
            onClick={async () => {
              if (await onSave()) await onRun(wanted);
            }}
          >
            Save and run
          </button>
          <button type="button" class="outline small" onClick={() => void onRun({ ...wanted, once: edited })}>
            Use it once
          </button>
        </p>
      )}
      {run.problem !== undefined && <Problems problems={[run.problem]} />}
    </>
  );
}
