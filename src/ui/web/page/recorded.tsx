import { useState } from 'preact/hooks';
import type { RecordedTurn, SessionDetail } from '../../index.ts';
import { StepList } from '../parts/lanes.tsx';
import { safe, Text } from '../parts/text.tsx';
import { Trace } from '../parts/trace.tsx';
import { useKept } from '../parts/traces.tsx';
import { Value } from '../parts/value.tsx';

export function Recorded({ detail: { recorded } }: { detail: SessionDetail }) {
  return (
    <section aria-label="Recorded">
      <h2>What was recorded</h2>
      {recorded.map((turn) => (
        <Turn key={turn.turn} turn={turn} isOpen={recorded.length === 1} />
      ))}
    </section>
  );
}

function Turn({
  turn: { turn, reason, messages, model, steps, more },
  isOpen,
}: {
  turn: RecordedTurn;
  isOpen: boolean;
}) {
  const last = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1);
  return (
    <details class="recorded-turn" open={isOpen}>
      <summary>
        <b>Turn {turn}</b> {reason !== '' && <span class="badge">not replayable</span>}{' '}
        <Text>{last?.text.slice(0, 160) ?? ''}</Text>
      </summary>
      {reason !== '' && (
        <p class="quiet">
          Not replayed: <Text>{reason}</Text>.
        </p>
      )}
      {messages.length > 0 && (
        <>
          <h3>Request{model !== '' && <span class="quiet"> to the model {safe(model)}</span>}</h3>
          <ol class="messages">
            {messages.map(({ role, text }, at) => (
              <li key={at}>
                <span class="kind">{safe(role)}</span>
                <Value text={text} />
              </li>
            ))}
          </ol>
        </>
      )}
      <h3>Recorded steps</h3>
      <StepList steps={steps} more={more} />
      <AsRun turn={turn} />
    </details>
  );
}

/** Read when opened. */
function AsRun({ turn }: { turn: number }) {
  const [isOpen, setOpen] = useState(false);
  const run = useKept(turn, null, isOpen);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>The recorded run as a trace</summary>
      {run === 'missing' && <p class="quiet">It cannot be read.</p>}
      {typeof run === 'object' && <Trace run={run} />}
    </details>
  );
}
