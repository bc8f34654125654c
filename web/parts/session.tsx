import { useContext, useMemo, useState } from 'preact/hooks';
import type { SessionView } from '../../src/report/index.ts';
import { Copy } from './copy.tsx';
import { type Place, PlaceContext } from './place.tsx';
import { Problems } from './problems.tsx';
import { promptFor } from './prompt.ts';
import { Text } from './text.tsx';
import { Turn } from './turn.tsx';
import { useDifferenceKeys } from './use-difference-keys.ts';
import { Verdict } from './verdict.tsx';

/** One session: what it is, how it fared, and each of its turns. */
export function Session({ session, heading = true }: { session: SessionView; heading?: boolean }) {
  const { name, pin, title, agentId, rerun, turns, problems } = session;
  const own = useState<Place>({});
  const places = useContext(PlaceContext) ?? own;
  const decisive = turns.find(({ verdict }) => verdict === session.verdict) ?? turns[0];
  useDifferenceKeys(turns, places, decisive?.turn);
  const prompt = useMemo(() => promptFor(session), [session]);
  return (
    <PlaceContext.Provider value={places}>
      {heading && (
        <header class="title">
          <div class="line">
            <h2>
              <Text>{title === '' ? name : title}</Text>
            </h2>
            <Verdict {...session} />
            <span class="grow" />
            <span class="together">
              {session.verdict !== 'reproduced' && <Copy text={prompt} label="Copy as prompt" />}{' '}
              <Copy text={rerun} label="Copy command" />
            </span>
          </div>
          <p class="quiet">
            <Text>{pin}</Text>
            {agentId !== '' && (
              <>
                , agent <Text>{agentId}</Text>
              </>
            )}
            {' · '}
            <code>{rerun}</code>
          </p>
        </header>
      )}
      <Problems problems={problems} />
      {turns.map((turn) => (
        <Turn
          key={turn.turn}
          turn={turn}
          isOpen={turns.length === 1 || turn === decisive || places[0].turn === turn.turn}
        />
      ))}
    </PlaceContext.Provider>
  );
}
