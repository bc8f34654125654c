import { useEffect, useRef, useState } from 'preact/hooks';
import type { Overview, SyncEvent } from '../../index.ts';
import { Problems } from '../parts/look.tsx';
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
  const [running, setRunning] = useState<AbortController>();
  const latest = useRef<AbortController>(undefined);
  useEffect(() => () => latest.current?.abort(), []);
  const sync = async () => {
    const controller = new AbortController();
    latest.current = controller;
    setRunning(controller);
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
    setRunning(undefined);
    onDone();
  };
  if ('problem' in platform) {
    return (
      <details class="sync">
        <summary>No tracing platform is set up to sync from</summary>
        <Problems problems={[platform.problem]} />
      </details>
    );
  }
  const imported = events.findLast((event) => event.kind === 'imported');
  return (
    <div class="sync">
      <div class="line">
        <button type="button" onClick={sync} disabled={running !== undefined}>
          {running === undefined ? 'Sync now' : 'Syncing …'}
        </button>
        <select
          aria-label="Sessions of"
          value={days}
          disabled={running !== undefined}
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
        {running !== undefined && (
          <button type="button" onClick={() => running.abort()}>
            Stop
          </button>
        )}
      </div>
      {running !== undefined && <progress aria-label="Import" max={imported?.count ?? 1} value={imported?.done} />}
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
  if (last?.kind === 'imported') return `${last.done} of ${last.count} sessions`;
  if (last?.kind !== 'done') return '';
  return last.count === 0
    ? 'The platform has recorded no session in this time.'
    : `${last.imported} of ${last.count} sessions synced`;
}
