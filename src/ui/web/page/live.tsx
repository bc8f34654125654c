import type { LiveReplay, RunEvent } from '../../index.ts';
import { StepList } from '../parts/step-list.tsx';
import { Text } from '../parts/text.tsx';

/** What a run has shown so far: the replays' results and the agent's output. */
export function Live({ events, isRunning }: { events: readonly RunEvent[]; isRunning: boolean }) {
  const started = events.find((event) => event.kind === 'started');
  // A replay with late spans is reported again.
  const replayed = events.filter((event) => event.kind === 'replayed');
  const came = [...new Map(replayed.map((event) => [`${event.turn} ${event.run}`, event])).values()];
  const answered = events.filter((event) => event.kind === 'answered');
  const log = events.filter((event) => event.kind === 'log');
  return (
    <div class="live">
      <Notes events={events} />
      {started !== undefined && (
        <details open={isRunning}>
          <summary class="quiet">What each run did</summary>
          <ol class="tiles" aria-label="Runs so far">
            {started.turns.flatMap((turn) =>
              Array.from({ length: started.runs }, (_, index) => {
                const run = index + 1;
                const replay = came.find((each) => each.turn === turn && each.run === run);
                const isAnswered = answered.some((each) => each.turn === turn && each.run === run);
                const name = started.turns.length > 1 ? `turn ${turn}, run ${run}` : `run ${run}`;
                return <Tile key={name} name={name} replay={replay} isAnswered={isAnswered} isOver={!isRunning} />;
              }),
            )}
          </ol>
        </details>
      )}
      {log.length > 0 && (
        <details>
          <summary class="quiet">What the agent printed, {log.length} lines</summary>
          <pre class="log" tabIndex={0} dir="auto">
            {log.map(({ line }) => line).join('\n')}
          </pre>
        </details>
      )}
    </div>
  );
}

/** What to know about a run before it starts. */
export function Notes({ events }: { events: readonly RunEvent[] }) {
  const started = events.find((event) => event.kind === 'started');
  return (
    <>
      {started?.notes.map((note) => (
        <p key={note} class="quiet note">
          <Text>{note}</Text>
        </p>
      ))}
    </>
  );
}

const LOOKS = {
  'as recorded': ['✔', 'recorded'],
  'in other words': ['¶', 'recorded'],
  differs: ['✘', '0'],
  'could not tell': ['?', 'doubt'],
} as const;

/** One run: in flight, answered, or complete with its trace. */
function Tile({
  name,
  replay,
  isAnswered,
  isOver,
}: {
  name: string;
  replay: LiveReplay | undefined;
  isAnswered: boolean;
  isOver: boolean;
}) {
  if (replay === undefined) {
    return (
      <li class="tile" data-state="waiting">
        {name}: {isOver ? 'never came' : isAnswered ? 'answered, waiting for its trace' : 'waiting'}
      </li>
    );
  }
  const [sign, tone] = LOOKS[replay.outcome];
  return (
    <li class="tile" data-tone={tone}>
      <details>
        <summary>
          <span aria-hidden="true">{sign}</span> {name}: {replay.outcome}
          <span class="quiet"> {replay.facts.map(({ name: fact, text }) => `${fact} ${text}`).join(', ')}</span>
        </summary>
        {replay.message !== '' && (
          <p>
            <Text>{replay.message}</Text>
          </p>
        )}
        {replay.steps.length > 0 && <StepList steps={replay.steps} more={replay.more} />}
      </details>
    </li>
  );
}
