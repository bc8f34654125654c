import { useState } from 'preact/hooks';
import type { ProblemView } from '../../../report/index.ts';
import type { RunUnderWay, SessionHead } from '../../index.ts';
import { Problems } from '../parts/problems.tsx';
import { runSessions } from './run-sessions.ts';
import { ask } from './server.ts';

/** Runs the ticked sessions. */
export function RunSelected({
  selected,
  underWay,
  onStarted,
  onClear,
}: {
  selected: readonly SessionHead[];
  underWay: ReadonlyMap<string, RunUnderWay>;
  onStarted: () => void;
  onClear: () => void;
}) {
  const [problems, setProblems] = useState<readonly ProblemView[]>([]);
  const mine = selected.flatMap(({ id }) => underWay.get(id) ?? []);
  const start = async () => {
    setProblems([]);
    setProblems(await runSessions(selected, onStarted));
  };
  const cancel = () => Promise.all(mine.map(({ id }) => ask('/api/cancel', { method: 'POST', body: { id } })));
  const runnable = selected.filter(({ id }) => !underWay.has(id));
  return (
    <>
      <div class="line selected">
        {mine.length === 0 ? (
          <button type="button" class="small" disabled={runnable.length === 0} onClick={start}>
            Run {selected.length} {selected.length === 1 ? 'session' : 'sessions'}
          </button>
        ) : (
          <button
            type="button"
            class="outline small"
            data-variant="danger"
            onClick={() => void cancel().catch(() => {})}
          >
            Cancel {mine.length} {mine.length === 1 ? 'run' : 'runs'}
          </button>
        )}
        <button type="button" class="ghost small" onClick={onClear}>
          Clear
        </button>
      </div>
      <Problems problems={problems} />
    </>
  );
}
