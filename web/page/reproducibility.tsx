import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Overview, SessionDetail } from '../../src/dashboard/index.ts';
import type { ProblemView } from '../../src/report/index.ts';
import { Problems } from '../parts/problems.tsx';
import { Text } from '../parts/text.tsx';
import { go } from './address.tsx';
import { Past } from './past.tsx';
import { PinButton } from './pin-button.tsx';
import { Recorded } from './recorded.tsx';
import { Result } from './result.tsx';
import { Run } from './run.tsx';
import { ask, problemOf } from './server.ts';
import { useSessions } from './sessions.ts';
import { Sync } from './sync.tsx';
import { Target } from './target.tsx';
import { useRun } from './use-run.ts';

/** One session: what was recorded, where it is replayed, and what came of it. */
export function Reproducibility({ overview, address }: { overview: Overview; address: URL }) {
  const sessionId = address.searchParams.get('sessionId') ?? '';
  const agentId = address.searchParams.get('agentId') ?? '';
  return (
    <>
      <h1>Reproducibility</h1>
      <Picker key={`${sessionId} ${agentId}`} sessionId={sessionId} agentId={agentId} overview={overview} />
      {sessionId !== '' && (
        <Chosen key={`${agentId} ${sessionId}`} sessionId={sessionId} agentId={agentId} agents={overview.agents} />
      )}
    </>
  );
}

function Picker({ sessionId, agentId, overview }: { sessionId: string; agentId: string; overview: Overview }) {
  const [id, setId] = useState(sessionId);
  const [agent, setAgent] = useState(agentId);
  const { found = [], again } = useSessions({ text: '', agentId: '', since: '' });
  return (
    <section class="card" aria-label="Session">
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          go('/reproducibility', { sessionId: id.trim(), agentId: agent.trim() });
        }}
      >
        <label class="wide">
          Session id
          <input
            list="sessions"
            value={id}
            autocomplete="off"
            placeholder="pick one, or paste an id"
            onInput={({ currentTarget }) => setId(currentTarget.value)}
          />
          <datalist id="sessions">
            {found.map((session) => (
              <option key={session.id} value={session.id}>
                {session.title}
              </option>
            ))}
          </datalist>
        </label>
        <label>
          Agent id
          <input
            list="agents"
            value={agent}
            autocomplete="off"
            placeholder="as recorded"
            onInput={({ currentTarget }) => setAgent(currentTarget.value)}
          />
          <datalist id="agents">
            {overview.agents.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </datalist>
        </label>
        <button type="submit" disabled={id.trim() === ''}>
          Open
        </button>
      </form>
      <Sync platform={overview.platform} onDone={again} />
    </section>
  );
}

function Chosen({ sessionId, agentId, agents }: { sessionId: string; agentId: string; agents: readonly string[] }) {
  const [detail, setDetail] = useState<SessionDetail>();
  const [problem, setProblem] = useState<ProblemView>();
  const load = useCallback(async () => {
    try {
      setDetail(await ask<SessionDetail>('/api/session', { query: { id: sessionId, agentId } }));
      setProblem(undefined);
    } catch (error) {
      setProblem(problemOf(error));
    }
  }, [sessionId, agentId]);
  useEffect(() => void load(), [load]);
  const run = useRun(sessionId, load);
  if (detail === undefined) {
    return problem === undefined ? <p role="status">Looking for the session …</p> : <Problems problems={[problem]} />;
  }
  return (
    <>
      {problem !== undefined && <Problems problems={[problem]} />}
      <div class="halves">
        <section class="card" aria-labelledby="recorded">
          <h2 id="recorded">
            <Text>{detail.title || detail.id}</Text>
          </h2>
          <State detail={detail} onPinned={load} />
          <Recorded detail={detail} />
        </section>
        <section class="card" aria-labelledby="replay">
          <h2 id="replay">Replay it</h2>
          {detail.target.agentId === '' && agents.length > 1 && (
            <p class="problem">
              <strong>Which agent?</strong> The session does not say it: enter the agent id above, one of{' '}
              {agents.join(', ')}.
            </p>
          )}
          <Target target={detail.target} onSaved={load} />
          <Run
            key={detail.id}
            run={run}
            runnable={detail.replayable && detail.target.url !== ''}
            onRun={(runs) => run.start({ session: sessionId, agentId, runs })}
          />
          <Past detail={detail} shown={run.result?.id} onShow={run.show} />
        </section>
      </div>
      {run.result !== undefined && <Result key={run.result.id} result={run.result} detail={detail} onChanged={load} />}
    </>
  );
}

/** Whether it can be replayed, in words; never by colour alone. */
function State({ detail, onPinned }: { detail: SessionDetail; onPinned: () => Promise<void> }) {
  return (
    <div class="state">
      {detail.replayable ? (
        <span class="badge" data-verdict="reproduced">
          ✔ replayable
        </span>
      ) : (
        <p class="problem">
          <strong>Not replayable:</strong> <Text>{detail.reason}</Text>. It cannot be run.
        </p>
      )}
      <span class="badge">{detail.source === 'pinned' ? 'pinned' : 'imported, not pinned'}</span>
      {detail.source !== 'pinned' && <PinButton session={detail.id} onPinned={onPinned} />}
      <span class="quiet">
        <Text>{detail.id}</Text>
        {detail.agentId !== '' && (
          <>
            , agent <Text>{detail.agentId}</Text>
          </>
        )}
        {detail.pin !== '' && (
          <>
            , <Text>{detail.pin}</Text>
          </>
        )}
      </span>
    </div>
  );
}
