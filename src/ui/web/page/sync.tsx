import { useEffect, useRef, useState } from 'preact/hooks';
import type { Overview, SyncEvent } from '../../index.ts';
import { Problems } from '../parts/problems.tsx';
import { Text } from '../parts/text.tsx';
import { listen, problemOf } from './server.ts';

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
  query?: { readonly search?: string | undefined; readonly agentId?: string | undefined };
  onDone: () => void;
}) {
  const [days, setDays] = useState(7);
  const [events, setEvents] = useState<readonly SyncEvent[]>([]);
  const running = useRef<AbortController | undefined>(undefined);
  const [isRunning, setRunning] = useState(false);
  useEffect(() => () => running.current?.abort(), []);
  const sync = async () => {
    const controller = new AbortController();
    running.current = controller;
    setRunning(true);
    let seen: readonly SyncEvent[] = [];
    const take = (event: SyncEvent) => {
      seen = [...seen, event];
      setEvents(seen);
    };
    try {
      const since = new Date(Date.now() - days * DAY_MS).toISOString();
      const asking = { method: 'POST', body: { since, ...query }, signal: controller.signal } as const;
      for await (const event of listen<SyncEvent>('/api/sync', asking)) take(event);
    } catch (error) {
      if (!controller.signal.aborted) take({ kind: 'failed', problem: problemOf(error) });
    }
    setRunning(false);
    onDone();
  };
  if ('problem' in platform) {
    return (
      <div class="line sync">
        <button type="button" class="outline small" disabled>
          Sync now
        </button>
        <details class="quiet grow">
          <summary>No platform to read from</summary>
          <Problems problems={[platform.problem]} />
        </details>
      </div>
    );
  }
  const found = events.find((event) => event.kind === 'found')?.count;
  const done = events.findLast((event) => event.kind === 'imported')?.done ?? 0;
  return (
    <div class="sync">
      <div class="line">
        <button type="button" class="outline" onClick={sync} disabled={isRunning}>
          {isRunning ? 'Syncing …' : 'Sync now'}
        </button>
        <label>
          <span class="hidden">Sessions of </span>
          <select
            value={days}
            onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
            disabled={isRunning}
          >
            {Object.entries(SPANS).map(([name, value]) => (
              <option key={name} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <span class="quiet">
          from <Text>{platform.url}</Text>
          {(query.search !== undefined || query.agentId !== undefined) && ', only what is searched for'}
        </span>
        {isRunning && (
          <button type="button" class="outline small" onClick={() => running.current?.abort()}>
            Stop
          </button>
        )}
      </div>
      {isRunning && <progress aria-label="Import" max={found ?? 1} value={found === undefined ? undefined : done} />}
      <p class="quiet" role="status">
        {syncText(events)}
      </p>
      {events.map((event) =>
        event.kind === 'failed' ? (
          <Problems key="failed" problems={[event.problem]} />
        ) : event.kind === 'skipped' ? (
          <p key={event.id} class="quiet">
            <Text>{event.id}</Text> was left out: <Text>{event.reason}</Text>
          </p>
        ) : null,
      )}
    </div>
  );
}

function syncText(events: readonly SyncEvent[]): string {
  const last = events.findLast(({ kind }) => kind !== 'skipped');
  switch (last?.kind) {
    case 'found':
      return `${last.count} sessions found`;
    case 'imported':
      return `${last.done} of ${last.count} sessions`;
    case 'done':
      return last.count === 0
        ? 'The platform has recorded no session in this time.'
        : `${last.imported} of ${last.count} sessions synced`;
    default:
      return '';
  }
}
