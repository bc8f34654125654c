import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunResult, SessionDetail } from '../../src/dashboard/index.ts';
import type { ProblemView } from '../../src/report/index.ts';
import { Copy } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { Problems } from '../parts/problems.tsx';
import { RunsTable } from '../parts/runs-table.tsx';
import { Session } from '../parts/session.tsx';
import { Text } from '../parts/text.tsx';
import { Outcome } from './outcome.tsx';
import { PinButton } from './pin-button.tsx';
import { ask, problemOf } from './server.ts';

/** Instead of one behaviour as the original. */
const RECORDINGS = 'recordings';

/** What came of a run, and what can be done with it. */
export function Result({
  result,
  isNew,
  detail,
  onChanged,
}: {
  result: RunResult;
  /** It has just come: the reader is taken to it. */
  isNew: boolean;
  detail: SessionDetail;
  onChanged: () => Promise<void>;
}) {
  const { id, session, report, markdown, cancelled } = result;
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState<ProblemView>();
  const [choice, setChoice] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isNew) return;
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: 'start' });
  }, [isNew]);
  const [told] = report.sessions;
  const wanders = told?.turns.some(({ behaviours }) => behaviours.filter(({ count }) => count > 0).length > 1) === true;
  const runs = [...new Set(told?.turns.flatMap((turn) => turn.runs.map(({ run }) => run)))];
  const accept = async () => {
    try {
      setProblem(undefined);
      const meant = choice === RECORDINGS ? { asRecordings: true } : choice === '' ? {} : { run: Number(choice) };
      const { pin } = await ask<{ pin: string }>('/api/accept', { method: 'POST', body: { session, id, ...meant } });
      setSaid(
        choice === RECORDINGS
          ? `${pin} has what the replays did as further recordings now`
          : `The replayed behaviour is the original of ${pin} now`,
      );
      await onChanged();
    } catch (error) {
      setSaid('');
      setProblem(problemOf(error));
    }
  };
  return (
    <section class="result" aria-labelledby="result">
      <header class="line">
        <h2 id="result" ref={heading} tabIndex={-1}>
          Result <Outcome result={result} />
        </h2>
        <span class="grow" />
        <Copy text={markdown} label="Copy as Markdown" />
        {detail.source !== 'pinned' && (
          <PinButton
            session={session}
            onPinned={async (pin) => {
              setSaid(`Pinned as ${pin}`);
              await onChanged();
            }}
          />
        )}
        {detail.source === 'pinned' && wanders && (
          <select
            aria-label="What is accepted"
            value={choice}
            onChange={({ currentTarget }) => setChoice(currentTarget.value)}
          >
            <option value="">what all replays did</option>
            {runs.map((run) => (
              <option key={run} value={run}>
                what run {run} did
              </option>
            ))}
            <option value={RECORDINGS}>all of it, as further recordings</option>
          </select>
        )}
        <button
          type="button"
          class="outline small"
          disabled={
            detail.source !== 'pinned' || ['reproduced', 'reworded', 'inconclusive'].includes(told?.verdict ?? '')
          }
          title={
            detail.source !== 'pinned'
              ? 'Pin the session first'
              : told?.verdict === 'inconclusive'
                ? 'What failed or could not be compared is no original'
                : 'The replayed behaviour becomes the original of the pin'
          }
          onClick={accept}
        >
          Accept
        </button>
      </header>
      <p class="quiet">{report.usage}</p>
      <p role="status" class="quiet">
        <Text>{said}</Text>
      </p>
      {problem !== undefined && <Problems problems={[problem]} />}
      {cancelled !== undefined && (
        <p>
          Cancelled when {cancelled.came} of {cancelled.total} replays had come. They are compared below; nothing is
          said of the others.
        </p>
      )}
      <Problems problems={report.problems} />
      {told !== undefined && <Session session={told} heading={false} />}
      {told !== undefined && <RunsTable turns={told.turns} />}
      <details class="about">
        <summary>About this run</summary>
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
