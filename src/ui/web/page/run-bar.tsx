import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../../../report/index.ts';
import type { RunSettings, SessionDetail } from '../../index.ts';
import { Problems } from '../parts/look.tsx';
import { Text } from '../parts/text.tsx';
import { ask, problemOf } from './server.ts';
import type { FollowedRun } from './use-run.ts';

const MIN_RUNS = 1;
const MAX_RUNS = 20;

const TOOLS = { live: 'live', recorded: 'recorded', mixed: 'as configured' } as const;
const ORIGINS = { saved: 'Saved for this agent.', configured: 'From the configuration.', none: '' } as const;

/** What is entered is for this run, unless it is saved. */
export function RunBar({
  detail: { id, replayable, target, settings },
  run,
  agentId,
  onSaved,
}: {
  detail: SessionDetail;
  run: FollowedRun;
  /** As in the address. */
  agentId: string;
  onSaved: () => Promise<void>;
}) {
  const [runs, setRuns] = useState(String(settings.runs));
  const [tools, setTools] = useState(settings.tools);
  const [gate, setGate] = useState(settings.gate);
  const [edited, setEdited] = useState<string>();
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState<Problem>();
  const menu = useRef<HTMLDetailsElement>(null);
  // Nothing can be run before a URL is entered.
  useEffect(() => {
    if (menu.current !== null) menu.current.open = target.url === '' && replayable;
  }, []);
  const count = Number(runs);
  const isCount = Number.isInteger(count) && count >= MIN_RUNS && count <= MAX_RUNS;
  const isEdited = edited !== undefined && edited.trim() !== '' && problem === undefined;
  const canRun = replayable && isCount && !run.isRunning && (edited === undefined ? target.url !== '' : isEdited);
  const acting = tools === settings.tools ? settings.acting.configured : tools === 'live' ? settings.acting.live : [];
  const start = () => {
    if (menu.current !== null) menu.current.open = false;
    return run.start({
      session: id,
      agentId,
      runs: count,
      ...(tools === settings.tools || tools === 'mixed' ? {} : { tools }),
      ...(gate === settings.gate ? {} : { gate }),
      ...(edited === undefined ? {} : { url: edited }),
    });
  };
  const save = async () => {
    try {
      await ask('/api/target', { method: 'PUT', body: { agentId: target.agentId, url: edited ?? '' } });
      setProblem(undefined);
      setEdited(undefined);
      setSaid('Saved');
      await onSaved();
    } catch (error) {
      setSaid('');
      setProblem(problemOf(error));
    }
  };
  return (
    <>
      {target.url === '' && edited === undefined && replayable && (
        <p class="problem" role="alert">
          <b>No target URL.</b> Until you enter one, nothing can be run.
        </p>
      )}
      <form
        class="run-bar"
        aria-label="Replay"
        onSubmit={(event) => {
          event.preventDefault();
          if (canRun) void start();
        }}
      >
        {run.isRunning ? (
          <button type="button" class="danger" onClick={() => void run.cancel()}>
            Cancel
          </button>
        ) : (
          <button
            type="submit"
            class="primary"
            disabled={!canRun}
            aria-describedby={acting.length === 0 ? undefined : 'acting'}
          >
            Run {isCount ? `${count}×` : ''}
          </button>
        )}
        <details class="menu" ref={menu}>
          <summary aria-label="How it is run">▾</summary>
          <div>
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
              {!isCount && <small>1 to 20 runs.</small>}
            </label>
            <label>
              Tools
              <select
                value={tools}
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
            <label>
              Gate
              <select
                value={gate}
                onChange={({ currentTarget }) => setGate(currentTarget.value as RunSettings['gate'])}
              >
                <option value="every-run">every run</option>
                <option value="shift">shift</option>
              </select>
            </label>
            <label class="whole">
              Target URL (replay_url)
              <input
                type="text"
                inputMode="url"
                spellcheck={false}
                value={edited ?? target.url}
                placeholder="http://127.0.0.1:3000/replay"
                aria-describedby="target-hint"
                aria-invalid={problem !== undefined}
                onInput={({ currentTarget: { value } }) => {
                  setEdited(value.trim() === target.url ? undefined : value);
                  setProblem(undefined);
                  setSaid('');
                }}
              />
            </label>
            <p id="target-hint" class="quiet whole">
              A full URL that ends in /replay, or a base URL that answers on / or /replay.{' '}
              {edited === undefined ? ORIGINS[target.from] : 'For this run alone, unless you save it.'}
            </p>
            <div class="line whole">
              <button type="button" disabled={edited === undefined || edited.trim() === ''} onClick={() => void save()}>
                Save
              </button>
              <span class="quiet" role="status">
                {said}
              </span>
            </div>
            <Problems problems={[problem]} />
            {target.source !== '' && edited === undefined && (
              <p class="quiet whole">
                <Text>{target.source}</Text>
              </p>
            )}
          </div>
        </details>
      </form>
      {acting.length > 0 && replayable && !run.isRunning && (
        <p id="acting" class="quiet">
          <span aria-hidden="true">⚠</span> Each run can call <Text>{acting.join(', ')}</Text> for real. With ▾ Tools:
          recorded, the recording answers instead.
        </p>
      )}
    </>
  );
}
