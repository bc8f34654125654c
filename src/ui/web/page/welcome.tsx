import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ProblemView } from '../../../report/index.ts';
import type { RunUnderWay, SessionHead } from '../../index.ts';
import { Problems } from '../parts/problems.tsx';
import { Spark } from '../parts/spark.tsx';
import { Text } from '../parts/text.tsx';
import { Time } from '../parts/time.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { Link, NO_PLACE, withQuery } from './address.tsx';
import { runSessions } from './run-sessions.ts';

/** Before a session is chosen: the sessions, their results, what is running, and what to do next. */
export function Welcome({
  found,
  isSearch,
  underWay,
  onStarted,
}: {
  found: readonly SessionHead[] | undefined;
  /** These are matches, not all sessions. */
  isSearch: boolean;
  underWay: ReadonlyMap<string, RunUnderWay>;
  onStarted: () => void;
}) {
  if (isSearch && found?.length === 0) return null;
  if (found?.length === 0) {
    return (
      <div class="shell-run" data-alone="true">
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
        <h2 id="choose">{isSearch ? 'What was found' : 'Choose a session'}</h2>
        {!isSearch && (
          <p>
            It is replayed against your agent as often as you like, and you see where the runs part from what was
            recorded, and why.
          </p>
        )}
        {sessions.length > 0 && (
          <>
            <div class="shares" aria-hidden="true">
              <Share of={passed.length} tone="good" />
              <Share of={parted.length} tone="bad" />
              <Share of={rest} />
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
        <RunAll sessions={sessions} underWay={underWay} onStarted={onStarted} />
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
                    {session.last !== undefined && <Verdict {...session.last} />}
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
          <kbd>j</kbd> opens the first one, <kbd>/</kbd> searches, <kbd>?</kbd> lists the keys.
        </p>
      </section>
    </div>
  );
}

/** Every session that can be replayed; while some run, their progress. */
function RunAll({
  sessions,
  underWay,
  onStarted,
}: {
  sessions: readonly SessionHead[];
  underWay: ReadonlyMap<string, RunUnderWay>;
  onStarted: () => void;
}) {
  const [problems, setProblems] = useState<readonly ProblemView[]>([]);
  const all = sessions.filter(({ replayable, source }) => replayable !== false && source !== 'platform');
  const going = sessions.filter(({ id }) => underWay.get(id)?.isWaiting === false);
  const waiting = sessions.filter(({ id }) => underWay.get(id)?.isWaiting === true).length;
  if (all.length === 0) return null;
  if (underWay.size > 0) {
    return (
      <p class="under-way" role="status">
        {going.map(({ id, title }) => {
          const { came = 0, total = 0 } = underWay.get(id) ?? {};
          return (
            <span key={id}>
              <strong>
                <Text>{title || id}</Text>
              </strong>{' '}
              {total === 0 ? 'starting' : `${came} of ${total}`}
            </span>
          );
        })}
        {waiting > 0 && <span class="quiet">{waiting} more wait</span>}
      </p>
    );
  }
  return (
    <>
      <div class="line">
        <button
          type="button"
          onClick={async () => {
            setProblems([]);
            setProblems(await runSessions(all, onStarted));
          }}
        >
          {all.length === 1 ? 'Run it' : `Run all ${all.length}`}
        </button>
        {all.length > 1 && <span class="quiet">Tick some in the list to run only these.</span>}
      </div>
      <Problems problems={problems} />
    </>
  );
}

/** The list has more of them. */
const MAX_PARTED = 8;

/** The newest result of a session. */
function toLast({ id, agentId, last }: SessionHead): string {
  return withQuery({ sessionId: id, agentId, ...NO_PLACE, result: last?.id ?? '' });
}

function Share({ of, tone }: { of: number; tone?: string }) {
  return of === 0 ? null : <span data-tone={tone} style={{ flexGrow: String(of) }} />;
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
