import { useState } from 'preact/hooks';
import type { Overview } from '../../src/dashboard/index.ts';
import { Chosen } from './chosen.tsx';
import { SessionPane } from './session-pane.tsx';
import { useSessions } from './sessions.ts';

/** The sessions of the project, and the one that was chosen. */
export function Reproducibility({ overview, address }: { overview: Overview; address: URL }) {
  const of = (name: string) => address.searchParams.get(name) ?? '';
  const [sessionId, agentId] = [of('sessionId'), of('agentId')];
  const [text, setText] = useState<string>();
  const sessions = useSessions({ text: text ?? '', agentId: '', since: '' });
  return (
    <div class="workbench" data-chosen={sessionId !== ''}>
      <h1 class="hidden">Reproducibility</h1>
      <SessionPane
        key={`${sessionId} ${agentId}`}
        sessionId={sessionId}
        agentId={agentId}
        overview={overview}
        sessions={sessions}
        text={text}
        onText={setText}
      />
      {sessionId === '' ? (
        <section class="card empty">
          <h2>Choose a session</h2>
          <p>
            It is replayed against your agent as often as you like, and you see where the runs part from what was
            recorded, and why.
          </p>
        </section>
      ) : (
        <Chosen
          key={`${agentId} ${sessionId}`}
          place={{ sessionId, agentId, resultId: of('result') }}
          agents={overview.agents}
          runs={overview.runs}
          onChanged={sessions.again}
        />
      )}
    </div>
  );
}
