import type { SessionHead } from '../../src/dashboard/index.ts';

/** Before a session is chosen: what there is, and what to do with it. */
export function Welcome({ found }: { found: readonly SessionHead[] | undefined }) {
  if (found?.length === 0) {
    return (
      <section class="card empty" aria-labelledby="choose">
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
    );
  }
  const count = (test: (session: SessionHead) => boolean) => found?.filter(test).length ?? 0;
  const kinds = [
    [count(({ last }) => last?.passed === true), 'passed'],
    [count(({ last }) => last?.passed === false), 'did not pass'],
    [count(({ last }) => last === undefined), 'were never run'],
  ] as const;
  return (
    <section class="card empty" aria-labelledby="choose">
      <h2 id="choose">Choose a session</h2>
      <p>
        It is replayed against your agent as often as you like, and you see where the runs part from what was recorded,
        and why.
      </p>
      {found !== undefined && (
        <p>
          {found.length === 1 ? '1 session' : `${found.length} sessions`}:{' '}
          {kinds
            .filter(([number]) => number > 0)
            .map(([number, what]) => `${number} ${what}`)
            .join(', ')}
          .
        </p>
      )}
      <p class="quiet">
        <kbd>j</kbd> opens the first one, <kbd>/</kbd> searches, <kbd>?</kbd> lists the keys. Tick several to run them
        all.
      </p>
    </section>
  );
}
