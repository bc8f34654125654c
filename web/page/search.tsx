import { useState } from 'preact/hooks';
import type { Overview, SessionHead } from '../../src/dashboard/index.ts';
import { Problems } from '../parts/problems.tsx';
import { Text } from '../parts/text.tsx';
import { Windowed } from '../parts/windowed.tsx';
import { go } from './address.tsx';
import { useSessions } from './sessions.ts';
import { Sync } from './sync.tsx';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Behavior Search: pinned and imported sessions by what they say, whose they are and when they were. */
export function Search({ overview }: { overview: Overview }) {
  const [text, setText] = useState('');
  const [agentId, setAgentId] = useState('');
  const [days, setDays] = useState('');
  const [chosen, setChosen] = useState<SessionHead>();
  const since = days === '' ? '' : new Date(Date.now() - Number(days) * DAY_MS).toISOString().slice(0, 13);
  const { found, problem, again } = useSessions({ text, agentId, since: since === '' ? '' : `${since}:00:00.000Z` });
  return (
    <>
      <h1>Behavior Search</h1>
      <form class="card fields" onSubmit={(event) => event.preventDefault()}>
        <label class="wide">
          Text
          <input
            type="search"
            value={text}
            placeholder="words of a request, a tool, a result or an answer"
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <label>
          Agent
          <select value={agentId} onChange={({ currentTarget }) => setAgentId(currentTarget.value)}>
            <option value="">any</option>
            {overview.agents.map((id) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        </label>
        <label>
          Recorded
          <select value={days} onChange={({ currentTarget }) => setDays(currentTarget.value)}>
            <option value="">at any time</option>
            <option value="1">in the last day</option>
            <option value="7">in the last 7 days</option>
            <option value="30">in the last 30 days</option>
          </select>
        </label>
      </form>
      <Sync
        platform={overview.platform}
        query={{ search: text.trim() || undefined, agentId: agentId || undefined }}
        onDone={again}
      />
      {problem !== undefined && <Problems problems={[problem]} />}
      <div class="line">
        <p role="status" class="grow">
          {found === undefined ? 'Searching …' : `${found.length} ${found.length === 1 ? 'session' : 'sessions'}`}
        </p>
        <button
          type="button"
          disabled={chosen === undefined}
          onClick={() => chosen && go('/reproducibility', { sessionId: chosen.id, agentId: chosen.agentId })}
        >
          Test Reproducibility
        </button>
      </div>
      {found !== undefined && found.length > 0 && (
        <Windowed
          items={found}
          keyOf={({ id }) => id}
          row={(session) => (
            <button
              type="button"
              class="ghost found"
              aria-pressed={session.id === chosen?.id}
              onClick={() => setChosen(session)}
              onDblClick={() => go('/reproducibility', { sessionId: session.id, agentId: session.agentId })}
            >
              <Head session={session} />
            </button>
          )}
        />
      )}
    </>
  );
}

/** One session in a line or two. */
function Head({ session: { id, title, agentId, turns, recordedAt, pinned, replayable } }: { session: SessionHead }) {
  return (
    <>
      <span class="name">
        <Text>{title || id}</Text>
      </span>
      <span>
        {pinned && <span class="badge">pinned</span>}{' '}
        {!replayable && (
          <span class="badge" data-verdict="inconclusive">
            not replayable
          </span>
        )}
      </span>
      <span class="quiet summary">
        <Text>{id}</Text> · {agentId !== '' && <Text>{agentId} · </Text>}
        {turns} {turns === 1 ? 'turn' : 'turns'}
        {recordedAt !== '' && ` · ${recordedAt.slice(0, 16).replace('T', ' ')}`}
      </span>
    </>
  );
}
