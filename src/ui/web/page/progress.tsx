import { useEffect, useState } from 'preact/hooks';
import type { RunEvent } from '../../index.ts';
import { Text } from '../parts/text.tsx';

/** A run's progress and duration. */
export function Progress({ events }: { events: readonly RunEvent[] }) {
  const { came, total } = cameIn(events);
  return (
    <div class="progress">
      <div class="line">
        <p role="status" class="quiet grow">
          <Text>{progressText(events)}</Text>
        </p>
        <Clock />
      </div>
      <progress aria-label="Runs" max={Math.max(total, 1)} value={total === 0 ? undefined : came} />
    </div>
  );
}

/** Not announced to screen readers, because it changes each second. */
function Clock() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const started = Date.now();
    const timer = setInterval(() => setSeconds(Math.round((Date.now() - started) / 1_000)), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span class="quiet clock">
      {seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`}
    </span>
  );
}

/** Replays that have finished, that were answered, and that were requested. */
export function cameIn(events: readonly RunEvent[]): { came: number; answered: number; total: number } {
  const started = events.find((event) => event.kind === 'started');
  const count = (kind: 'replayed' | 'answered') =>
    new Set(events.flatMap((event) => (event.kind === kind ? [`${event.turn} ${event.run}`] : []))).size;
  return {
    came: count('replayed'),
    answered: count('answered'),
    total: (started?.turns.length ?? 0) * (started?.runs ?? 0),
  };
}

const STATES = {
  starting: 'Waiting until the agent answers',
  ready: 'The agent is ready',
  stopping: 'Stopping the agent',
} as const;

function progressText(events: readonly RunEvent[]): string {
  const last = events.at(-1);
  if (last?.kind === 'waiting') return last.message;
  const { came, answered, total } = cameIn(events);
  const waiting = Math.max(0, answered - came);
  if (came > 0 || answered > 0) {
    return `${came} of ${total} replays finished${waiting > 0 ? `, ${waiting} more wait for their traces` : ''}`;
  }
  const agent = events.findLast((event) => event.kind === 'agent');
  if (agent === undefined) return 'Starting';
  const awaited = events.findLast((event) => event.kind === 'awaited');
  if (agent.state !== 'starting' || awaited === undefined) return STATES[agent.state];
  return `The agent is not ready yet: ${awaited.missing.join(', ')}`;
}
