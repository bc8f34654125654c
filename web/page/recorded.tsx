import type { RecordedTurn, SessionDetail } from '../../src/dashboard/index.ts';
import { StepList } from '../parts/step-list.tsx';
import { Text, Value } from '../parts/text.tsx';

/** What was asked, and what the agent did then, turn by turn. */
export function Recorded({ detail: { recorded }, isOpen }: { detail: SessionDetail; isOpen: boolean }) {
  return (
    <section class="card" aria-label="Recorded">
      <details open={isOpen}>
        <summary class="recorded-summary">
          <h3>What was recorded</h3>
        </summary>
        {recorded.map((turn) => (
          <Turn key={turn.turn} turn={turn} open={recorded.length === 1} />
        ))}
      </details>
    </section>
  );
}

function Turn({ turn: { turn, reason, messages, model, steps, more }, open }: { turn: RecordedTurn; open: boolean }) {
  const last = messages.at(-1);
  return (
    <details class="recorded" open={open}>
      <summary>
        <strong>Turn {turn}</strong>{' '}
        {reason !== '' && (
          <span class="badge" data-verdict="inconclusive">
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
    </details>
  );
}
