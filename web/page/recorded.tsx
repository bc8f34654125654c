import type { RecordedTurn, SessionDetail } from '../../src/dashboard/index.ts';
import { StepList } from '../parts/step-list.tsx';
import { Text, Value } from '../parts/text.tsx';

/** What was asked, and what the agent did then, turn by turn. */
export function Recorded({ detail: { recorded } }: { detail: SessionDetail }) {
  return (
    <>
      {recorded.map((turn) => (
        <Turn key={turn.turn} turn={turn} open={recorded.length === 1} />
      ))}
    </>
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
          <h3>Request{model !== '' && <span class="quiet"> to {model}</span>}</h3>
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
      <h3>Recorded steps</h3>
      <StepList steps={steps} more={more} />
    </details>
  );
}
