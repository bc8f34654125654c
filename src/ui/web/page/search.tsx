import { useEffect, useState } from 'preact/hooks';
import type { Overview, SessionHead } from '../../index.ts';
import { useKeys } from '../parts/keys.tsx';
import { Problems } from '../parts/problems.tsx';
import { Windowed } from '../parts/windowed.tsx';
import { go, note } from './address.tsx';
import { Head } from './session-head.tsx';
import { useSessions } from './sessions.ts';
import { Sync } from './sync.tsx';
import { searchSummary, usePlatformSearch } from './use-platform-search.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Behavior Search: finds pinned, synced and recorded sessions by content, agent and time. */
export function Search({ overview, address }: { overview: Overview; address: URL }) {
  const of = (name: string) => address.searchParams.get(name) ?? '';
  const [text, agentId, days, chosenId] = [of('search'), of('agentId'), of('days'), of('sessionId')];
  const [agents, setAgents] = useState(overview.agents);
  useKeys({ '/': () => document.getElementById('search')?.focus() });
  const hour = days === '' ? '' : new Date(Date.now() - Number(days) * DAY_MS).toISOString().slice(0, 13);
  const query = { text, agentId, since: hour === '' ? '' : `${hour}:00:00.000Z` };
  const { found, problem, again } = useSessions(query);
  const platform = usePlatformSearch(query);
  const { hits } = platform;
  // Agents that only the platform knows can be chosen from now on, even if the next search drops these hits.
  useEffect(() => {
    const told = hits?.sessions.map((session) => session.agentId).filter((id) => id !== '') ?? [];
    setAgents((known) => [...new Set([...known, ...told])].sort());
  }, [hits]);
  const here = new Set(found?.map(({ id }) => id));
  const onlyThere = hits?.sessions.filter(({ id }) => !here.has(id)) ?? [];
  const all = [...(found ?? []), ...onlyThere];
  // Sessions that another search does not find are deselected.
  const chosen = all.find(({ id }) => id === chosenId);
  const test = (session: SessionHead) =>
    // Sessions without an agent are found for every agent, so the searched agent is meant.
    go('/reproducibility', { sessionId: session.id, agentId: session.agentId || agentId });
  return (
    <>
      <h1>Behavior Search</h1>
      <form
        class="card fields"
        onSubmit={(event) => {
          event.preventDefault();
          platform.start();
        }}
      >
        <label class="wide">
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
            <option value="">any</option>
            {agents.map((id) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        </label>
        <label>
          Recorded
          <select value={days} onChange={({ currentTarget }) => note({ days: currentTarget.value })}>
            <option value="">at any time</option>
            <option value="1">in the last day</option>
            <option value="7">in the last 7 days</option>
            <option value="30">in the last 30 days</option>
          </select>
        </label>
        <button
          type="submit"
          class="outline"
          disabled={platform.isSearching || 'problem' in overview.platform}
          title="What is here is searched as you type; this asks the platform too"
        >
          {platform.isSearching ? 'Searching …' : 'Search the platform'}
        </button>
        {platform.isSearching && (
          <button type="button" class="outline" onClick={platform.stop}>
            Stop
          </button>
        )}
      </form>
      <Sync
        platform={overview.platform}
        query={{ search: text.trim() || undefined, agentId: agentId || undefined }}
        onDone={again}
      />
      {problem !== undefined && <Problems problems={[problem]} />}
      {platform.problem !== undefined && <Problems problems={[platform.problem]} />}
      <div class="line">
        <p role="status" class="grow">
          {found === undefined ? 'Searching …' : searchSummary(found, onlyThere.length, hits)}
        </p>
        <button type="button" disabled={chosen === undefined} onClick={() => chosen && test(chosen)}>
          Test Reproducibility
        </button>
      </div>
      {all.length > 0 && (
        <Windowed
          items={all}
          keyOf={({ id }) => id}
          row={(session) => (
            <button
              type="button"
              class="ghost found"
              aria-pressed={session.id === chosen?.id}
              onClick={() => note({ sessionId: session.id })}
              onDblClick={() => test(session)}
            >
              <Head session={session} />
            </button>
          )}
        />
      )}
    </>
  );
}
