import { useEffect, useState } from 'preact/hooks';
import { counted, duration } from '../../../report/words/pages.ts';
import type { LiveReplay, RunEvent } from '../../index.ts';
import { StepList } from '../parts/lanes.tsx';
import { Sign } from '../parts/look.tsx';
import { safe, Text } from '../parts/text.tsx';

/** What a run has shown so far: the replays' results and the agent's output. */
export function Live({ events, isRunning }: { events: readonly RunEvent[]; isRunning: boolean }) {
  const started = events.find((event) => event.kind === 'started');
  // A replay with late spans is reported again.
  const replayed = events.filter((event) => event.kind === 'replayed');
  const came = new Map(replayed.map((event) => [`${event.turn} ${event.run}`, event]));
  const answered = new Set(
    events.flatMap((event) => (event.kind === 'answered' ? [`${event.turn} ${event.run}`] : [])),
  );
  const log = events.filter((event) => event.kind === 'log');
  const all = (started?.turns ?? []).flatMap((turn) =>
    Array.from({ length: started?.runs ?? 0 }, (_, at) => ({ turn, run: at + 1 })),
  );
  return (
    <>
      <Notes events={events} />
      <ol class="tiles" aria-label="Runs so far">
        {all.map(({ turn, run }) => (
          <Tile
            key={`${turn} ${run}`}
            name={(started?.turns.length ?? 0) > 1 ? `turn ${turn}, run ${run}` : `run ${run}`}
            replay={came.get(`${turn} ${run}`)}
            waiting={
              !isRunning ? 'never came' : answered.has(`${turn} ${run}`) ? 'answered, waiting for its trace' : 'waiting'
            }
          />
        ))}
      </ol>
      {log.length > 0 && (
        <details>
          <summary>What the agent printed, {counted(log.length, 'line')}</summary>
          <pre class="log" tabIndex={0} dir="auto">
            {log.map(({ line }) => safe(line)).join('\n')}
          </pre>
        </details>
      )}
    </>
  );
}

/** What to know about a run before it starts. */
export function Notes({ events }: { events: readonly RunEvent[] }) {
  const started = events.find((event) => event.kind === 'started');
  return (
    <>
      {started?.notes.map((note) => (
        <p key={note} class="problem said">
          <b>⚠ Real calls:</b> <Text>{note}</Text> To replay without them, choose Tools: recorded beside Run.
        </p>
      ))}
    </>
  );
}

const LOOKS = {
  'as recorded': ['✔', 'good'],
  differs: ['✘', 'bad'],
  'could not tell': ['?', 'doubt'],
} as const;

/** One run: in flight, answered, or complete with its trace. */
function Tile({ name, replay, waiting }: { name: string; replay: LiveReplay | undefined; waiting: string }) {
  if (replay === undefined) {
    return (
      <li class="quiet">
        {name}: {waiting}
      </li>
    );
  }
  const [sign, tone] = LOOKS[replay.outcome];
  return (
    <li>
      <details>
        <summary>
          <Sign sign={sign} tone={tone} /> {name}: {replay.outcome} · {safe(replay.took)}
        </summary>
        <p>
          <Text>{replay.message}</Text>
        </p>
        <StepList steps={replay.steps} more={replay.more} />
      </details>
    </li>
  );
}

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
  return <span class="quiet">{duration(seconds * 1_000)}</span>;
}

/** Replays that have finished, that were answered, and that were requested. */
function cameIn(events: readonly RunEvent[]): { came: number; answered: number; total: number } {
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
