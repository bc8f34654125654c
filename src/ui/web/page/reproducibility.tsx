import { useCallback, useEffect, useState } from 'preact/hooks';
import { counted } from '../../../report/words/pages.ts';
import type { Overview, SessionHead } from '../../index.ts';
import { useNeighbours } from '../parts/keys.tsx';
import { inGroups, SessionList } from '../parts/list.tsx';
import { Problems } from '../parts/look.tsx';
import { follow, go, note, START } from './address.ts';
import { Chosen } from './chosen.tsx';
import { listed } from './listed.ts';
import { Start } from './start.tsx';
import { Sync } from './sync.tsx';
import { useSearch } from './use-search.ts';
import { useUnderWay } from './use-under-way.ts';

/** The sessions of the project by cause, or one of them beside the others. */
export function Reproducibility({ overview, address }: { overview: Overview; address: URL }) {
  const of = (name: string) => address.searchParams.get(name) ?? '';
  const [sessionId, agentId, search] = [of('sessionId'), of('agentId'), of('search')];
  const { found, all, problems, summary, platform, again } = useSearch({ text: search, agentId: '', since: '' });
  const { underWay, look } = useUnderWay(again);
  const order = inGroups(all.map((head) => listed(head, underWay))).flatMap(([, own]) => own);
  useNeighbours(order, sessionId, ({ href }) => {
    (document.activeElement as HTMLElement | null)?.blur();
    go(href);
  });
  const changed = useCallback(() => {
    again();
    look();
  }, [again, look]);
  const finding = (
    <>
      <Pick key={sessionId} overview={overview} chosen={{ sessionId, agentId, search }} found={all} />
      {search !== '' && (
        <p class="quiet line">
          <span role="status">{summary}</span>
          {'url' in overview.platform && (
            <button type="button" disabled={platform.isSearching} onClick={platform.start}>
              {platform.isSearching ? 'Searching …' : 'Search the platform'}
            </button>
          )}
        </p>
      )}
      {found?.length === 0 && search !== '' && (
        <p class="quiet">No session here holds these words. Open asks the platform for a session of this id.</p>
      )}
      <Problems problems={problems} />
    </>
  );
  const foot = (
    <>
      <Sync platform={overview.platform} onDone={again} />
      {overview.problems.length > 0 && (
        <details>
          <summary>{counted(overview.problems.length, 'pinned file')} could not be read</summary>
          <Problems problems={overview.problems} />
        </details>
      )}
    </>
  );
  if (sessionId === '') {
    return (
      <Start
        found={found === undefined ? undefined : all}
        isSearch={search !== ''}
        underWay={underWay}
        onStarted={look}
        finding={finding}
      >
        {foot}
      </Start>
    );
  }
  return (
    <div class="shell">
      <SessionList sessions={order} chosen={sessionId} search={finding} onGo={follow}>
        {foot}
      </SessionList>
      <Chosen
        key={sessionId}
        place={{ sessionId, agentId, resultId: of('result') }}
        agents={overview.agents}
        onChanged={changed}
      />
    </div>
  );
}

/** Finds a session by words, or opens one by its id. */
function Pick({
  overview,
  chosen: { sessionId, agentId, search },
  found,
}: {
  overview: Overview;
  chosen: { readonly sessionId: string; readonly agentId: string; readonly search: string };
  found: readonly SessionHead[];
}) {
  const [isTyped, setTyped] = useState(search !== '');
  const [agent, setAgent] = useState(agentId);
  useEffect(() => setAgent(agentId), [agentId]);
  const text = isTyped ? search : sessionId;
  const open = () => {
    // A whole id means that session, even if others mention it.
    const hit = found.find(({ id }) => id === text.trim()) ?? (isTyped ? found[0] : undefined);
    go(START, { sessionId: hit?.id ?? text.trim(), agentId: agent.trim() });
  };
  return (
    <form
      class="pick"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') open();
      }}
    >
      <label>
        Session id, or words to search for
        <input
          type="search"
          id="search"
          value={text}
          autocomplete="off"
          onInput={({ currentTarget }) => {
            setTyped(true);
            note({ search: currentTarget.value });
          }}
        />
      </label>
      <label>
        Agent id
        <input
          list="agents"
          value={agent}
          autocomplete="off"
          placeholder="as the session says"
          onInput={({ currentTarget }) => setAgent(currentTarget.value)}
        />
      </label>
      <datalist id="agents">
        {overview.agents.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </datalist>
      <button type="submit" disabled={text.trim() === ''}>
        Open
      </button>
    </form>
  );
}
