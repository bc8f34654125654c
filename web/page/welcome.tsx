import type { ComponentChildren } from 'preact';
import type { SessionHead } from '../../src/dashboard/index.ts';
import { Spark } from '../parts/spark.tsx';
import { Text } from '../parts/text.tsx';
import { Time } from '../parts/time.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { Link, NO_PLACE, withQuery } from './address.tsx';

/** Before a session is chosen: what there is, and what to do with it. */
export function Welcome({ found }: { found: readonly SessionHead[] | undefined }) {
  if (found?.length === 0) {
    return (
      <div class="shell-run">
        <section class="overview" aria-labelledby="choose">
          <h2 id="choose">No session is here yet</h2>
          <p>A session is one recorded conversation with your agent. There are three ways to get some:</p>
          <ul>
            <li>
              <strong>Sync now</strong>, in the list of sessions, brings those of your tracing platform.
            </li>
            <li>
              <code>npx agent-replay record -- node server.js</code> pins what you ask your agent.
            </li>
            <li>
              <code>npx agent-replay pin SESSION_ID</code> pins one from the platform by its id.
            </li>
          </ul>
        </section>
      </div>
    );
  }
  const sessions = found ?? [];
  const parted = sessions.filter(({ last }) => last?.passed === false && !last.isCancelled);
  const passed = sessions.filter(({ last }) => last?.passed === true);
  const rest = sessions.length - parted.length - passed.length;
  return (
    <div class="shell-run">
      <section class="overview" aria-labelledby="choose">
        <h2 id="choose">Choose a session</h2>
        <p>
          It is replayed against your agent as often as you like, and you see where the runs part from what was
          recorded, and why.
        </p>
        {sessions.length > 0 && (
          <>
            <div class="shares" aria-hidden="true">
              <span data-tone="good" style={{ flexGrow: String(passed.length) }} />
              <span data-tone="bad" style={{ flexGrow: String(parted.length) }} />
              <span style={{ flexGrow: String(rest) }} />
            </div>
            <ul class="counts">
              <Count of={passed.length} tone="good" sign="✔">
                passed
              </Count>
              <Count of={parted.length} tone="bad" sign="✘">
                did not pass
              </Count>
              <Count of={rest} sign="○">
                not run yet
              </Count>
            </ul>
          </>
        )}
        {parted.length > 0 && (
          <section aria-labelledby="parted">
            <h3 id="parted">To be looked into</h3>
            <ul class="parted">
              {parted.slice(0, MAX_PARTED).map((session) => (
                <li key={session.id}>
                  <Link to={toLast(session)} current={false}>
                    <strong>
                      <Text>{session.title || session.id}</Text>
                    </strong>
                    {session.last !== undefined && <Verdict {...session.last} word={session.last.verdict} />}
                    <span class="quiet">
                      {session.last?.asRecorded} as recorded · <Time iso={session.last?.startedAt ?? ''} />
                    </span>
                    {session.trend !== undefined && session.trend.length > 1 && <Spark shares={session.trend} />}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        )}
        <p class="quiet">
          <kbd>j</kbd> opens the first one, <kbd>/</kbd> searches, <kbd>?</kbd> lists the keys. Tick several to run them
          all.
        </p>
      </section>
    </div>
  );
}

/** More of them are in the list. */
const MAX_PARTED = 8;

/** The newest result of a session. */
function toLast({ id, agentId, last }: SessionHead): string {
  return withQuery({ sessionId: id, agentId, ...NO_PLACE, result: last?.id ?? '' });
}

function Count({ of, sign, tone, children }: { of: number; sign: string; tone?: string; children: ComponentChildren }) {
  if (of === 0) return null;
  return (
    <li data-tone={tone}>
      <strong>
        <span aria-hidden="true">{sign}</span> {of}
      </strong>{' '}
      {children}
    </li>
  );
}
