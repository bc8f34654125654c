import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../../../report/index.ts';
import { counted } from '../../../report/words/pages.ts';
import type { Overview, RunUnderWay, SessionHead } from '../../index.ts';
import { useNeighbours } from '../parts/keys.tsx';
import { inGroups, SessionList } from '../parts/list.tsx';
import { Problems } from '../parts/look.tsx';
import { follow, go, note, START } from './address.ts';
import { Chosen } from './chosen.tsx';
import { listed } from './listed.ts';
import { ASKED_MS, ask, problemOf } from './server.ts';
import { Start } from './start.tsx';
import { Sync } from './sync.tsx';

const ASK = 'Open asks the platform for a session of this id, Sync now for what is searched for.';

/** The sessions of the project by cause, or one of them beside the others. */
export function Reproducibility({ overview, address }: { overview: Overview; address: URL }) {
  const of = (name: string) => address.searchParams.get(name) ?? '';
  const [sessionId, agentId, search] = [of('sessionId'), of('agentId'), of('search')];
  // Beside a session it is the agent of that.
  const wanted = sessionId === '' ? agentId : '';
  const { found, isSearch, problem, again } = useSessions({ text: search, agentId: wanted });
  const all = found ?? [];
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
      {isSearch && (
        // The start has it in its title.
        <p class={sessionId === '' ? 'hidden' : 'quiet'} role="status">
          {counted(all.length, 'session')}
        </p>
      )}
      {isSearch && found?.length === 0 && 'url' in overview.platform && <p class="quiet">{ASK}</p>}
      <Problems problems={[problem]} />
    </>
  );
  const foot = (
    <>
      <Sync
        platform={overview.platform}
        query={{ search: search.trim() || undefined, agentId: wanted || undefined }}
        onDone={again}
      />
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
      <Start found={found} isSearch={isSearch} underWay={underWay} onStarted={look} finding={finding}>
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
  chosen: Readonly<Record<'sessionId' | 'agentId' | 'search', string>>;
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
          onChange={({ currentTarget }) => sessionId === '' && note({ agentId: currentTarget.value })}
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

/** All running replays by session, whichever tab started them. */
function useUnderWay(onOver: () => void): {
  readonly underWay: ReadonlyMap<string, RunUnderWay>;
  /** Call this after starting a run. */
  look(): void;
} {
  const [runs, setRuns] = useState<readonly RunUnderWay[]>([]);
  const [round, setRound] = useState(0);
  const before = useRef(0);
  useEffect(() => {
    const controller = new AbortController();
    let timer = 0;
    const look = async () => {
      const now = await ask<RunUnderWay[]>('/api/runs', { signal: controller.signal }).catch(() => undefined);
      if (now === undefined || controller.signal.aborted) return;
      setRuns(now);
      if (now.length < before.current) onOver();
      before.current = now.length;
      if (now.length > 0) timer = window.setTimeout(look, ASKED_MS);
    };
    void look();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [round, onOver]);
  const look = useCallback(() => setRound((count) => count + 1), []);
  return { underWay: new Map(runs.map((run) => [run.session, run])), look };
}

/** A search starts after this pause in typing. */
const TYPING_MS = 120;

/** The sessions that are searched for, requested whenever the search changes or `again` is called. */
function useSessions({ text, agentId }: Readonly<Record<'text' | 'agentId', string>>) {
  const [shown, setShown] = useState<{ readonly found: readonly SessionHead[]; readonly isSearch: boolean }>();
  const [problem, setProblem] = useState<Problem>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(
      async () => {
        try {
          const query = { text, agentId };
          const found = await ask<SessionHead[]>('/api/sessions', { query, signal: controller.signal });
          // While somebody types, all sessions are not called matches.
          setShown({ found, isSearch: text + agentId !== '' });
          setProblem(undefined);
        } catch (error) {
          if (!controller.signal.aborted) setProblem(problemOf(error));
        }
      },
      round === 0 && text === '' ? 0 : TYPING_MS,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, agentId, round]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  return { found: shown?.found, isSearch: shown?.isSearch ?? false, problem, again };
}
