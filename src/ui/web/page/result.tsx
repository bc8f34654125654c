import type { SessionView } from '../../../report/index.ts';
import type { RunEvent, RunResult } from '../../index.ts';
import { Facts } from '../parts/facts.tsx';
import { Problems } from '../parts/problems.tsx';
import { Session } from '../parts/session.tsx';
import { Notes } from './live.tsx';

/** Whoever cancelled a run knows why it was interrupted, so that is said once, above. */
function withoutInterrupted(session: SessionView): SessionView {
  const turns = session.turns.map((turn) => ({
    ...turn,
    // Unverified sessions are what cancelling means.
    sentence: turn.tone === 'doubt' ? '' : turn.sentence,
    problems: turn.problems.filter(({ code }) => code !== 'INTERRUPTED'),
  }));
  return { ...session, turns };
}

/** The result of a run. */
export function Result({
  result: { report, cancelled },
  events,
}: {
  result: RunResult;
  /** Of its run, if the page followed it. */
  events: readonly RunEvent[];
}) {
  const [whole] = report.sessions;
  const told = whole && cancelled !== undefined ? withoutInterrupted(whole) : whole;
  return (
    <section class="result" aria-labelledby="result">
      {cancelled !== undefined && (
        <p>
          {cancelled.came === 0
            ? `Cancelled before any of ${cancelled.total} replays finished: nothing is known of them.`
            : `Cancelled when ${cancelled.came} of ${cancelled.total} replays had finished. What they did is compared below; nothing is known of the others.`}
        </p>
      )}
      <Problems problems={report.problems} />
      {told !== undefined && <Session session={told} />}
      <Notes events={events} />
      <details class="about">
        <summary>
          {report.usage} <span class="more">About this run</span>
        </summary>
        <Facts facts={report.facts} />
        {report.log.length > 0 && (
          <pre class="log" tabIndex={0} dir="auto">
            {report.log.join('\n')}
          </pre>
        )}
      </details>
    </section>
  );
}
