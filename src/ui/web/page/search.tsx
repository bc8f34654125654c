import { useEffect, useState } from 'preact/hooks';
import type { Overview, SessionHead } from '../../index.ts';
import { useKeys } from '../parts/keys.tsx';
import { Problems } from '../parts/look.tsx';
import { Text } from '../parts/text.tsx';
import { Windowed } from '../parts/windowed.tsx';
import { go, note, START } from './address.ts';
import { listed } from './listed.ts';
import { Sync } from './sync.tsx';
import { useSearch } from './use-search.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const SPANS = { 'at any time': '', 'in the last day': '1', 'in the last 7 days': '7', 'in the last 30 days': '30' };

/** Behavior Search: finds pinned, synced and recorded sessions by content, agent and time. */
export function Search({ overview, address }: { overview: Overview; address: URL }) {
  const of = (name: string) => address.searchParams.get(name) ?? '';
  const [text, agentId, days, chosenId] = [of('search'), of('agentId'), of('days'), of('sessionId')];
  const [agents, setAgents] = useState(overview.agents);
  useKeys({ '/': () => document.getElementById('search')?.focus() });
  const hour = days === '' ? '' : new Date(Date.now() - Number(days) * DAY_MS).toISOString().slice(0, 13);
  const query = { text, agentId, since: hour === '' ? '' : `${hour}:00:00.000Z` };
  const { found, all, problems, summary, platform, again } = useSearch(query);
  const { hits } = platform;
  // Agents that only the platform knows can be chosen from now on, even if the next search drops these hits.
  useEffect(() => {
    const told = hits?.sessions.map((session) => session.agentId).filter((id) => id !== '') ?? [];
    setAgents((known) => [...new Set([...known, ...told])].sort());
  }, [hits]);
  const chosen = all.find(({ id }) => id === chosenId);
  const test = (session: SessionHead) =>
    // Sessions without an agent are found for every agent, so the searched agent is meant.
    go(START, { sessionId: session.id, agentId: session.agentId || agentId });
  return (
    <div class="overview search-page">
      <h1>Behavior Search</h1>
      <form
        class="pick"
        onSubmit={(event) => {
          event.preventDefault();
          platform.start();
        }}
      >
        <label class="grow">
          Text
          <input
            type="search"
            id="search"
            value={text}
            placeholder="words of a request, a tool, a result or an answer"
            onInput={({ currentTarget }) => note({ search: currentTarget.value })}
          />
        </label>
        <label>
          Agent
          <select value={agentId} onChange={({ currentTarget }) => note({ agentId: currentTarget.value })}>
            <option value="">any agent</option>
            {agents.map((id) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        </label>
        <label>
          Recorded
          <select value={days} onChange={({ currentTarget }) => note({ days: currentTarget.value })}>
            {Object.entries(SPANS).map(([name, value]) => (
              <option key={name} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button
          type="submit"
          disabled={platform.isSearching || 'problem' in overview.platform}
          title="What is here is searched as you type; this asks the platform too"
        >
          {platform.isSearching ? 'Searching …' : 'Search the platform'}
        </button>
        {platform.isSearching && (
          <button type="button" onClick={platform.stop}>
            Stop
          </button>
        )}
      </form>
      <Sync
        platform={overview.platform}
        query={{ search: text.trim() || undefined, agentId: agentId || undefined }}
        onDone={again}
      />
      <Problems problems={problems} />
      <div class="line">
        <p role="status" class="grow">
          {found === undefined ? 'Searching …' : summary}
        </p>
        <button type="button" class="primary" disabled={chosen === undefined} onClick={() => chosen && test(chosen)}>
          Test Reproducibility
        </button>
      </div>
      {all.length > 0 && (
        <Windowed
          items={all}
          keyOf={({ id }) => id}
          row={(session) => (
            <Found
              session={session}
              isChosen={session.id === chosen?.id}
              onChoose={() => note({ sessionId: session.id })}
              onOpen={() => test(session)}
            />
          )}
        />
      )}
    </div>
  );
}

function Found({
  session,
  isChosen,
  onChoose,
  onOpen,
}: {
  session: SessionHead;
  isChosen: boolean;
  onChoose: () => void;
  onOpen: () => void;
}) {
  const { name, about = '' } = listed(session, new Map());
  const facts = [
    session.source === 'platform' ? 'on the platform' : session.source,
    session.agentId,
    about,
    session.id,
  ];
  return (
    <button type="button" class="plain found" aria-pressed={isChosen} onClick={onChoose} onDblClick={onOpen}>
      <b>
        <Text>{name}</Text>
      </b>
      <span class="quiet">
        <Text>{[...new Set(facts)].filter((fact) => fact !== '' && fact !== name).join(' · ')}</Text>
      </span>
    </button>
  );
}
