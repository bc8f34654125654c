import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { counted, isAsRecorded, OUTCOMES } from '../../../report/words/pages.ts';
import type { RunUnderWay, SessionHead } from '../../index.ts';
import { type PlacedProblem, Problems, Sign, Time } from '../parts/look.tsx';
import { Overview, RowLink } from '../parts/overview.tsx';
import type { SessionResult } from '../parts/shapes.ts';
import { Text } from '../parts/text.tsx';
import { Choices, doubtWord, failingTurns } from '../parts/what.tsx';
import { addressOf, follow, START } from './address.ts';
import { listed } from './listed.ts';
import { ask, problemOf } from './server.ts';

/** The start: the latest results by cause, and the sessions that were never run, with what was asked. */
export function Start({
  found,
  isSearch,
  underWay,
  onStarted,
  finding,
  children,
}: {
  found: readonly SessionHead[] | undefined;
  /** These are matches, not all sessions. */
  isSearch: boolean;
  underWay: ReadonlyMap<string, RunUnderWay>;
  onStarted: () => void;
  /** The field to search with. */
  finding: ComponentChildren;
  children: ComponentChildren;
}) {
  if (found === undefined) return <p class="overview quiet">Looking for sessions …</p>;
  const heads = new Map(found.map((head) => [head.id, head]));
  const results = found.flatMap(({ last }) => (last?.isCancelled ? [] : (last?.session ?? [])));
  const unrun = found.filter(({ last }) => last === undefined || last.isCancelled || last.session === undefined);
  const newest = found
    .flatMap(({ last }) => last?.startedAt ?? [])
    .sort()
    .at(-1);
  const linkTo = ({ id }: { readonly id: string }) => {
    const { agentId = '', last } = heads.get(id) ?? {};
    return addressOf(START, { sessionId: id, agentId, result: last?.id ?? '' });
  };
  if (found.length === 0 && !isSearch) return <Nothing finding={finding}>{children}</Nothing>;
  return (
    <Overview
      title={titleOf(results, found.length, isSearch)}
      about={
        found.length === 0 ? (
          'Search for other words, or clear the fields to see all sessions.'
        ) : newest === undefined ? (
          'Run them: each is replayed against your agent, and what differs is shown here, by its cause.'
        ) : (
          <>
            last run <Time iso={newest} />
          </>
        )
      }
      sessions={results}
      unrun={unrun.length}
      isPart={isSearch}
      nameOf={({ id, title }) => heads.get(id)?.title || title || id}
      linkTo={linkTo}
      onGo={follow}
      actions={<RunAll sessions={found} isSearch={isSearch} underWay={underWay} onStarted={onStarted} />}
      first={
        <>
          <Choices
            turns={failingTurns(results)}
            sessions={results}
            wanted="open each session, accept it there and commit the recordings"
            look="open a session: recording and replays stand side by side"
          />
          {finding}
        </>
      }
    >
      {unrun.length > 0 && (
        <section class="card" aria-label="No result yet">
          {results.length > 0 && (
            <header>
              <h2>{counted(unrun.length, 'session')} without a result</h2>
            </header>
          )}
          <ul>
            {unrun.slice(0, MAX_ROWS).map((head) => {
              const { id, name, about = '', state = 'not run here' } = listed(head, underWay);
              return (
                <li key={id}>
                  <RowLink href={linkTo({ id })} onGo={follow} sign={<Sign />} name={name} count={state}>
                    <Text>{head.replayable ? about : 'not replayable'}</Text>
                  </RowLink>
                </li>
              );
            })}
          </ul>
        </section>
      )}
      {children}
    </Overview>
  );
}

/** The search finds the others. */
const MAX_ROWS = 200;

/** `2 of 8 sessions changed, 1 varies, 4 as recorded, 1 without a result` */
function titleOf(results: readonly SessionResult[], total: number, isSearch: boolean): string {
  if (isSearch) return `${counted(total, 'session')} found`;
  const told = (['changed', 'varies', 'could-not-tell', 'as-recorded'] as const).flatMap((each) => {
    const own = results.filter(({ verdict }) => verdict === each);
    const words = Map.groupBy(own, (one) => doubtWord(one) ?? OUTCOMES[each][own.length === 1 ? 'word' : 'plural']);
    return [...words].map(([word, { length }]) => [length, word] as const);
  });
  const [first, ...others] = told;
  if (first === undefined) return `${counted(total, 'session')}, none run on this page yet`;
  const unrun = total - results.length;
  const isAll = results.every(({ verdict }) => isAsRecorded(verdict)) && unrun === 0;
  if (isAll) return `${total === 1 ? 'The session is' : `All ${total} sessions are`} as recorded`;
  const rest = [
    ...others.map(([count, word]) => `${count} ${word}`),
    ...(unrun === 0 ? [] : [`${unrun} without a result`]),
  ];
  return [`${first[0]} of ${counted(total, 'session')} ${first[1]}`, ...rest].join(', ');
}

/**
 * Every session that can be replayed, one after another if they have the same agent; while some run, their progress. What was
 * only synced is left out: nobody has chosen to run it, and its tools act for real.
 */
function RunAll({
  sessions,
  isSearch,
  underWay,
  onStarted,
}: {
  sessions: readonly SessionHead[];
  isSearch: boolean;
  underWay: ReadonlyMap<string, RunUnderWay>;
  onStarted: () => void;
}) {
  const [problems, setProblems] = useState<readonly PlacedProblem[]>([]);
  const here = sessions.filter(({ replayable }) => replayable);
  const pinned = here.filter(({ source }) => source === 'pinned');
  const all = isSearch || pinned.length === 0 ? here : pinned;
  const run = async () => {
    const refused: PlacedProblem[] = [];
    for (const { id, agentId } of all) {
      try {
        await ask('/api/runs', { method: 'POST', body: { session: id, agentId } });
        onStarted();
      } catch (error) {
        refused.push({ ...problemOf(error), where: id });
      }
    }
    setProblems(refused);
  };
  const cancel = () =>
    Promise.all([...underWay.values()].map(({ id }) => ask('/api/cancel', { method: 'POST', body: { id } })));
  if (underWay.size > 0) {
    const [came, total] = [...underWay.values()].reduce(([a, b], { came, total }) => [a + came, b + total], [0, 0]);
    const waiting = [...underWay.values()].filter(({ isWaiting }) => isWaiting).length;
    return (
      <>
        <span role="status">
          {total === 0 ? 'Starting' : `${came} of ${counted(total, 'run')}`}
          {waiting > 0 && `, ${counted(waiting, 'session')} ${waiting === 1 ? 'waits' : 'wait'}`}
        </span>
        <button type="button" class="danger" onClick={() => void cancel().catch(() => {})}>
          Cancel
        </button>
      </>
    );
  }
  return (
    <>
      {all.length > 0 && (
        <button type="button" class="primary" onClick={() => void run()}>
          {all.length < here.length
            ? `Run the ${all.length} pinned`
            : all.length === 1
              ? 'Run it'
              : `Run ${isSearch ? 'these' : 'all'} ${all.length}`}
        </button>
      )}
      <Problems problems={problems} />
    </>
  );
}

function Nothing({ finding, children }: { finding: ComponentChildren; children: ComponentChildren }) {
  return (
    <div class="overview">
      <h1>No session is here yet</h1>
      <p class="quiet">A session is one recorded conversation with your agent. There are three ways to get some:</p>
      <ul class="ways-in">
        <li>
          <b>Your tracing platform</b> gives those that it holds: sync them below, or see there how it is set up.
        </li>
        <li>
          <code>npx agent-replay record -- node server.js</code> pins what you ask your agent.
        </li>
        <li>
          <code>npx agent-replay pin SESSION_ID</code> pins one from the platform by its id.
        </li>
      </ul>
      {finding}
      {children}
    </div>
  );
}
