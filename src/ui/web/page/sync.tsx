import { useEffect, useRef, useState } from 'preact/hooks';
import type { Overview, SyncState } from '../../index.ts';
import { Problems } from '../parts/look.tsx';
import { Text } from '../parts/text.tsx';
import { ask, problemOf, watch } from './server.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** How far back an import can go. */
const SPANS = { 'the last day': 1, 'the last 7 days': 7, 'the last 30 days': 30, 'the last year': 365 };

/** Imports sessions from the platform, and shows the progress. */
export function Sync({
  platform,
  query = {},
  onDone,
}: {
  platform: Overview['platform'];
  /** Only sessions of this agent that match this text. */
  query?: { readonly search?: string | undefined; readonly agentId?: string };
  onDone: () => void;
}) {
  const [days, setDays] = useState(7);
  const [state, setState] = useState<SyncState | null>(null);
  const leaving = useRef(new AbortController());
  const follow = async (begun?: Promise<unknown>) => {
    const { signal } = leaving.current;
    let isNew = begun !== undefined;
    try {
      await begun;
      for await (const now of watch<SyncState | null>('/api/sync', { signal })) {
        setState(now);
        if (!now?.isRunning) break;
        isNew = true;
      }
    } catch (error) {
      if (signal.aborted) return;
      setState({ isRunning: false, imported: 0, count: 0, skipped: [], failure: problemOf(error) });
    }
    if (isNew) onDone();
  };
  const sync = () => {
    const since = new Date(Date.now() - days * DAY_MS).toISOString();
    void follow(ask('/api/sync', { method: 'POST', body: { since, ...query } }));
  };
  useEffect(() => {
    // One may be under way: another tab has begun it, or this one before another session was opened.
    if ('url' in platform) void follow();
    return () => leaving.current.abort();
  }, []);
  if ('problem' in platform) {
    return (
      <details class="sync">
        <summary>Sync sessions from a tracing platform</summary>
        <Problems problems={[platform.problem]} />
      </details>
    );
  }
  const { isRunning = false, imported = 0, count = 0, skipped = [], failure } = state ?? {};
  return (
    <div class="sync">
      <div class="line">
        <button type="button" onClick={sync} disabled={isRunning}>
          {isRunning ? 'Syncing …' : 'Sync now'}
        </button>
        <select
          aria-label="Sessions of"
          value={days}
          disabled={isRunning}
          onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
        >
          {Object.entries(SPANS).map(([name, value]) => (
            <option key={name} value={value}>
              {name}
            </option>
          ))}
        </select>
        <span class="quiet">
          from <Text>{platform.url}</Text>
          {(query.search !== undefined || query.agentId !== undefined) && ', only what is searched for'}
        </span>
        {isRunning && (
          <button type="button" onClick={() => void ask('/api/sync/stop', { method: 'POST' })}>
            Stop
          </button>
        )}
      </div>
      {isRunning && (
        <progress aria-label="Import" max={Math.max(count, 1)} value={count === 0 ? undefined : imported} />
      )}
      <p class="quiet" role="status">
        {state !== null && failure === undefined && syncText(state)}
      </p>
      <Problems problems={[failure]} />
      {skipped.map(({ id, reason }) => (
        <p key={id} class="quiet">
          <Text>{id}</Text> was left out: <Text>{reason}</Text>
        </p>
      ))}
    </div>
  );
}

function syncText({ isRunning, imported, count }: SyncState): string {
  if (!isRunning && count === 0) return 'The platform has recorded no session in this time.';
  return count === 0 ? '' : `${imported} of ${count} sessions${isRunning ? '' : ' synced'}`;
}
