import { useCallback } from 'preact/hooks';
import type { Overview } from '../../src/dashboard/index.ts';
import { go, withQuery } from './address.tsx';
import { Chosen } from './chosen.tsx';
import { filtered, pressedIn } from './filters.tsx';
import { useKeys } from './keys.tsx';
import { NO_RESULT, SessionPane } from './session-pane.tsx';
import { useSessions } from './sessions.ts';
import { Splitter, usePaneWidth } from './splitter.tsx';
import { useUnderWay } from './use-under-way.ts';
import { Welcome } from './welcome.tsx';

/** The sessions of the project, and the one that was chosen. */
export function Reproducibility({ overview, address }: { overview: Overview; address: URL }) {
  const of = (name: string) => address.searchParams.get(name) ?? '';
  const [sessionId, agentId] = [of('sessionId'), of('agentId')];
  const sessions = useSessions({ text: of('search'), agentId: '', since: '' });
  const { again } = sessions;
  const { underWay, look } = useUnderWay(again);
  const [width, setWidth] = usePaneWidth('sessions', 320);
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
    <div class="workbench" data-chosen={sessionId !== ''} style={{ '--sessions': `${width}px` }}>
      <h1 class="hidden">Reproducibility</h1>
      <SessionPane address={address} overview={overview} sessions={sessions} underWay={underWay} onStarted={look} />
      <Splitter label="Width of the sessions" width={width} onWidth={setWidth} />
      {sessionId === '' ? (
        <Welcome found={sessions.found} />
      ) : (
        <Chosen
          key={sessionId}
          place={{ sessionId, agentId, resultId: of('result') }}
          agents={overview.agents}
          onChanged={changed}
        />
      )}
    </div>
  );
}
