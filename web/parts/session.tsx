import type { SessionView } from '../../src/report/index.ts';
import { Copy } from './copy.tsx';
import { Problems } from './problems.tsx';
import { Text } from './text.tsx';
import { Turn } from './turn.tsx';
import { Verdict } from './verdict.tsx';

/** One session: what it is, how it fared, and each of its turns. */
export function Session({ session, heading = true }: { session: SessionView; heading?: boolean }) {
  const { name, pin, title, agentId, rerun, turns, problems } = session;
  return (
    <>
      {heading && (
        <header class="title">
          <h2>
            <Text>{name}</Text> <Verdict {...session} />
          </h2>
          {title !== '' && (
            <p>
              <Text>{title}</Text>
            </p>
          )}
          <p class="quiet">
            <Text>{pin}</Text>
            {agentId !== '' && (
              <>
                , agent <Text>{agentId}</Text>
              </>
            )}
          </p>
          <p class="rerun">
            <code class="value" tabIndex={0}>
              {rerun}
            </code>
            <Copy text={rerun} label="Copy command" />
          </p>
        </header>
      )}
      <Problems problems={problems} />
      {turns.map((turn) => (
        <Turn key={turn.turn} turn={turn} decides={turns.length === 1 || turn.verdict === session.verdict} />
      ))}
    </>
  );
}
