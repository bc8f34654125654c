import { useEffect, useState } from 'preact/hooks';
import type { TraceView } from '../../../report/index.ts';
import type { RecordedTurn, SessionDetail } from '../../index.ts';
import { Trace } from '../parts/run-panel.tsx';
import { StepList } from '../parts/step-list.tsx';
import { Text, Value } from '../parts/text.tsx';
import { ask } from './server.ts';

/** What was asked and what the agent did, turn by turn. */
export function Recorded({ detail: { id, recorded }, isOpen }: { detail: SessionDetail; isOpen: boolean }) {
  return (
    <section class="card" aria-label="Recorded">
      <details open={isOpen}>
        <summary class="recorded-summary">
          <h3>What was recorded</h3>
        </summary>
        {recorded.map((turn) => (
          <Turn key={turn.turn} session={id} turn={turn} open={recorded.length === 1} />
        ))}
      </details>
    </section>
  );
}

function Turn({
  session,
  turn: { turn, reason, messages, model, steps, more },
  open,
}: {
  session: string;
  turn: RecordedTurn;
  open: boolean;
}) {
  const last = messages.at(-1);
  return (
    <details class="recorded" open={open}>
      <summary>
        <strong>Turn {turn}</strong>{' '}
        {reason !== '' && (
          <span class="badge" data-tone="doubt">
            not replayable
          </span>
        )}{' '}
        <span class="quiet">
          <Text>{last?.text.slice(0, 120) ?? ''}</Text>
        </span>
      </summary>
      {reason !== '' && (
        <p class="quiet">
          Not replayed: <Text>{reason}</Text>.
        </p>
      )}
      {messages.length > 0 && (
        <>
          <h4>Request{model !== '' && <span class="quiet"> to {model}</span>}</h4>
          <ol class="messages">
            {messages.map(({ role, text }, index) => (
              <li key={index}>
                <span class="kind">
                  <Text>{role}</Text>
                </span>
                <Value>{text}</Value>
              </li>
            ))}
          </ol>
        </>
      )}
      <h4>Recorded steps</h4>
      <StepList steps={steps} more={more} />
      <AsRun session={session} turn={turn} />
    </details>
  );
}

/** The recording as a run: observations, times, tokens and cost. Read when opened. */
function AsRun({ session, turn }: { session: string; turn: number }) {
  const [isOpen, setOpen] = useState(false);
  const [trace, setTrace] = useState<TraceView | 'missing'>();
  const query = { session, turn: String(turn) };
  const raw = async () => (await ask<{ text: string }>('/api/raw-trace', { query })).text;
  useEffect(() => {
    if (!isOpen || trace !== undefined) return;
    ask<TraceView>('/api/trace', { query }).then(setTrace, () => setTrace('missing'));
  }, [isOpen, trace, session, turn]);
  return (
    <details class="as-run run-panel" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Look into the run that was recorded</summary>
      {trace === 'missing' && <p class="quiet">It cannot be read.</p>}
      {typeof trace === 'object' && <Trace trace={trace} raw={raw} />}
    </details>
  );
}
