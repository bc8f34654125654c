import { useCallback } from 'preact/hooks';
import type { Overview } from '../../index.ts';
import { useKeys } from '../parts/keys.tsx';
import { placeIn } from '../parts/place.tsx';
import { paneOf, Shell } from '../parts/shell.tsx';
import { go, withQuery } from './address.tsx';
import { Chosen } from './chosen.tsx';
import { filtered, pressedIn } from './filters.tsx';
import { NO_RESULT, SessionPane } from './session-pane.tsx';
import { useSessions } from './sessions.ts';
import { useUnderWay } from './use-under-way.ts';
import { Welcome } from './welcome.tsx';

/** The sessions of the project, and the chosen one. */
export function Reproducibility({ overview, address }: { overview: Overview; address: URL }) {
  const of = (name: string) => address.searchParams.get(name) ?? '';
  const [sessionId, agentId] = [of('sessionId'), of('agentId')];
  const sessions = useSessions({ text: of('search'), agentId: '', since: '' });
  const { again } = sessions;
  const { underWay, look } = useUnderWay(again);
  const move = (by: number) => {
    const shown = filtered(sessions.found ?? [], pressedIn(address.searchParams));
    const place = shown.findIndex(({ id }) => id === sessionId);
    const next = shown[place === -1 ? (by > 0 ? 0 : shown.length - 1) : place + by];
    if (next === undefined) return;
    (document.activeElement as HTMLElement | null)?.blur();
    go(withQuery({ sessionId: next.id, agentId: next.agentId, ...NO_RESULT }));
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    '/': () => document.getElementById('search')?.focus(),
  });
  const changed = useCallback(() => {
    again();
    look();
  }, [again, look]);
  return (
    <>
      <h1 class="hidden">Reproducibility</h1>
      <Shell
        pane={paneOf(sessionId === '' ? undefined : sessionId, placeIn(address.searchParams))}
        list={
          <SessionPane address={address} overview={overview} sessions={sessions} underWay={underWay} onStarted={look} />
        }
      >
        {sessionId === '' ? (
          <Welcome found={sessions.found} isSearch={of('search').trim() !== ''} underWay={underWay} onStarted={look} />
        ) : (
          <Chosen
            key={sessionId}
            place={{ sessionId, agentId, resultId: of('result') }}
            agents={overview.agents}
            onChanged={changed}
          />
        )}
      </Shell>
    </>
  );
}
