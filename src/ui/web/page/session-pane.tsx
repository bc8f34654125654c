import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Overview, RunUnderWay, SessionHead } from '../../index.ts';
import { Problems } from '../parts/problems.tsx';
import { Text } from '../parts/text.tsx';
import { Windowed } from '../parts/windowed.tsx';
import { go, Link, NO_PLACE, note, withQuery } from './address.tsx';
import { Filters, filtered, pressedIn } from './filters.tsx';
import { RunSelected } from './run-selected.tsx';
import { Head, sharedFacts } from './session-head.tsx';
import type { FoundSessions } from './sessions.ts';
import { Sync } from './sync.tsx';
import { searchSummary, usePlatformSearch } from './use-platform-search.ts';

/** All sessions of the project with their latest results. The start page. */
export function SessionPane({
  address,
  overview,
  sessions: { found, problem, again },
  underWay,
  onStarted,
}: {
  address: URL;
  overview: Overview;
  sessions: FoundSessions;
  underWay: ReadonlyMap<string, RunUnderWay>;
  onStarted: () => void;
}) {
  const of = (name: string) => address.searchParams.get(name) ?? '';
  const [sessionId, agentId, search] = [of('sessionId'), of('agentId'), of('search')];
  const [isTyped, setTyped] = useState(search !== '');
  const [agent, setAgent] = useState(agentId);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  // Another session is shown, so the text typed to find it is no longer needed.
  useEffect(() => setAgent(agentId), [sessionId, agentId]);
  useEffect(() => setTyped(search !== ''), [sessionId]);
  const platform = usePlatformSearch({ text: search, agentId: '', since: '' });
  const all = useMemo(() => {
    const here = new Set(found?.map(({ id }) => id));
    return [...(found ?? []), ...(platform.hits?.sessions.filter(({ id }) => !here.has(id)) ?? [])];
  }, [found, platform.hits]);
  const pressed = pressedIn(address.searchParams);
  const shown = useMemo(() => filtered(all, pressed), [all, pressed.last.join(), pressed.source.join()]);
  const shared = useMemo(() => sharedFacts(all), [all]);
  const selected = all.filter(({ id }) => ticked.has(id));
  const text = isTyped ? search : sessionId;
  const open = () => {
    // A whole id means that session, even if others mention it.
    const hit = found?.find((each) => each.id === text.trim()) ?? (isTyped ? shown[0] : undefined);
    go('/reproducibility', { sessionId: hit?.id ?? text.trim(), agentId: agent.trim() });
    setTyped(false);
  };
  const tick = (ids: readonly string[], isOn: boolean) => {
    const next = new Set(ticked);
    for (const id of ids) isOn ? next.add(id) : next.delete(id);
    setTicked(next);
  };
  return (
    <nav class="sessions" aria-label="Sessions">
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
            placeholder="search, or paste an id"
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
            placeholder="as recorded"
            onInput={({ currentTarget }) => setAgent(currentTarget.value)}
          />
          <datalist id="agents">
            {overview.agents.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </datalist>
        </label>
        <button type="submit" class="outline" disabled={text.trim() === ''}>
          Open
        </button>
      </form>
      {all.length > 0 && <Filters sessions={all} pressed={pressed} />}
      {problem !== undefined && <Problems problems={[problem]} />}
      {found !== undefined && all.length === 0 && search !== '' && <None />}
      {all.length > 0 && (
        <Told
          found={all}
          shown={shown}
          shared={shared}
          ticked={selected.length}
          onTick={(isOn) => tick(runnable(shown), isOn)}
        />
      )}
      {shown.length > 0 && (
        <Windowed
          items={shown}
          keyOf={({ id }) => id}
          row={(session) => (
            <div class="tickable">
              <input
                type="checkbox"
                aria-label={`Select ${session.title || session.id}`}
                checked={ticked.has(session.id)}
                disabled={session.replayable === false}
                onChange={({ currentTarget }) => tick([session.id], currentTarget.checked)}
              />
              <Link
                to={withQuery({ sessionId: session.id, agentId: session.agentId || agent.trim(), ...NO_RESULT })}
                current={session.id === sessionId}
              >
                <Head session={session} run={underWay.get(session.id)} shared={shared} />
              </Link>
            </div>
          )}
        />
      )}
      {search.trim() !== '' && 'url' in overview.platform && (
        <div class="line">
          <button type="button" class="outline small" disabled={platform.isSearching} onClick={platform.start}>
            {platform.isSearching ? 'Searching …' : 'Search the platform'}
          </button>
          {platform.hits !== undefined && (
            <span class="quiet" role="status">
              {searchSummary(found ?? [], all.length - (found?.length ?? 0), platform.hits)}
            </span>
          )}
        </div>
      )}
      {platform.problem !== undefined && <Problems problems={[platform.problem]} />}
      {selected.length > 0 && (
        <RunSelected
          selected={selected}
          underWay={underWay}
          onStarted={onStarted}
          onClear={() => setTicked(new Set())}
        />
      )}
      <Sync platform={overview.platform} onDone={again} />
      <Unread problems={overview.problems} />
    </nav>
  );
}

/** The parts of an address that name a result of another session. */
export const NO_RESULT = { result: '', ...NO_PLACE } as const;

function runnable(sessions: readonly SessionHead[]): string[] {
  return sessions.filter(({ replayable }) => replayable !== false).map(({ id }) => id);
}

function None() {
  return <p class="quiet">No session here holds these words. Open asks the platform for a session of this id.</p>;
}

/** Pins that could not be read. */
export function Unread({ problems }: { problems: Overview['problems'] }) {
  if (problems.length === 0) return null;
  return (
    <details class="unread">
      <summary>
        {problems.length} pinned {problems.length === 1 ? 'file' : 'files'} could not be read
      </summary>
      <Problems problems={problems} />
    </details>
  );
}

/** The number of sessions, and one tick for all that are shown. */
function Told({
  found,
  shown,
  shared,
  ticked,
  onTick,
}: {
  found: readonly SessionHead[];
  shown: readonly SessionHead[];
  shared: readonly string[];
  ticked: number;
  onTick: (isOn: boolean) => void;
}) {
  const count = runnable(shown).length;
  const isNear = found.some(({ match }) => match?.isNear);
  return (
    <div class="line told">
      <label class="quiet">
        <input
          type="checkbox"
          checked={count > 0 && ticked >= count}
          disabled={count === 0}
          onChange={({ currentTarget }) => onTick(currentTarget.checked)}
        />
        {ticked > 0 ? `${ticked} selected` : 'Select all'}
      </label>
      <span class="grow" />
      <span class="quiet" role="status">
        {shown.length} {shown.length === 1 ? 'session' : 'sessions'}
        {shown.length < found.length && ` of ${found.length}`}
        {isNear && ' with words very like these'}
      </span>
      {shared.length > 0 && (
        <span class="quiet">
          all <Text>{shared.map((fact) => (fact === found[0]?.agentId ? `agent ${fact}` : fact)).join(', ')}</Text>
        </span>
      )}
    </div>
  );
}
