import { useState } from 'preact/hooks';
import type { RunEvent, RunResult, SessionDetail } from '../../src/dashboard/index.ts';
import type { SessionView } from '../../src/report/index.ts';
import { Copy } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { Problems } from '../parts/problems.tsx';
import { CopyPrompt, Session } from '../parts/session.tsx';
import { Text } from '../parts/text.tsx';
import { Accept } from './accept.tsx';
import { Download } from './download.tsx';
import { Notes } from './live.tsx';
import { PinButton } from './pin-button.tsx';

/** Whoever has cancelled a run knows why it was interrupted: that is said once, above. */
function withoutInterrupted(session: SessionView): SessionView {
  const turns = session.turns.map((turn) => ({
    ...turn,
    problems: turn.problems.filter(({ code }) => code !== 'INTERRUPTED'),
  }));
  return { ...session, turns };
}

/** What came of a run, and what can be done with it. */
export function Result({
  result: { id, session, report, markdown, cancelled },
  events,
  detail,
  onChanged,
}: {
  result: RunResult;
  /** Of the run that it came of, where that was followed. */
  events: readonly RunEvent[];
  detail: SessionDetail;
  onChanged: () => Promise<void>;
}) {
  const [said, setSaid] = useState('');
  const [whole] = report.sessions;
  const told = whole && cancelled !== undefined ? withoutInterrupted(whole) : whole;
  return (
    <section class="result" aria-labelledby="result">
      <div class="line">
        {told !== undefined && cancelled === undefined && <CopyPrompt session={told} />}
        <Copy text={markdown} label="Copy as Markdown" />
        <Download name={`${session}-${id}.json`} result={id} session={session} />
        {detail.source === 'pinned' ? (
          <Accept
            session={session}
            result={id}
            onAccepted={async (done) => {
              setSaid(done);
              await onChanged();
            }}
          />
        ) : (
          <PinButton
            session={session}
            onPinned={async (pin) => {
              setSaid(`Pinned as ${pin}`);
              await onChanged();
            }}
          />
        )}
      </div>
      <p role="status" class="done">
        <Text>{said}</Text>
      </p>
      {cancelled !== undefined && (
        <p>
          Cancelled when {cancelled.came} of {cancelled.total} replays had come. They are compared below; nothing is
          said of the others.
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
