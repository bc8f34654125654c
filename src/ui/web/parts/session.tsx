import { useContext, useMemo } from 'preact/hooks';
import type { SessionView } from '../../../report/index.ts';
import { turnToShow } from './chosen.ts';
import { Copy } from './copy.tsx';
import { PlaceContext } from './place.tsx';
import { Problems } from './problems.tsx';
import { promptFor } from './prompt.ts';
import { Turn } from './turn.tsx';
import { useDifferenceKeys } from './use-difference-keys.ts';

/** A session's results: its problems, and each of its turns. */
export function Session({ session }: { session: SessionView }) {
  const { turns, problems } = session;
  const places = useContext(PlaceContext);
  const shown = turnToShow(session, places[0]);
  useDifferenceKeys(turns, places, shown);
  return (
    <>
      <Problems problems={problems} />
      {turns.map((turn) => (
        <Turn
          key={turn.turn}
          turn={turn}
          isOnly={turns.length === 1}
          isOpen={turn === shown || turn === turnToShow(session, {})}
          isShown={turn === shown}
        />
      ))}
    </>
  );
}

/** Text to paste for a coding agent; none if everything is as recorded. */
export function CopyPrompt({ session }: { session: SessionView }) {
  const prompt = useMemo(() => promptFor(session), [session]);
  return session.tone === 'good' ? null : <Copy text={prompt} label="Copy as prompt" />;
}
