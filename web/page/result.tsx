import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { RunResult, SessionDetail } from '../../src/dashboard/index.ts';
import type { TraceView } from '../../src/report/index.ts';
import { Copy } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { type Place, PlaceContext, parametersOf, placeIn } from '../parts/place.tsx';
import { Problems } from '../parts/problems.tsx';
import { RunsTable } from '../parts/runs-table.tsx';
import { Session } from '../parts/session.tsx';
import { Text } from '../parts/text.tsx';
import { type ReadTrace, Traces } from '../parts/traces.tsx';
import { Accept } from './accept.tsx';
import { go, NO_PLACE, withQuery } from './address.tsx';
import { Download } from './download.tsx';
import { Outcome } from './outcome.tsx';
import { PinButton } from './pin-button.tsx';
import { ask } from './server.ts';

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
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isNew) return;
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: 'start' });
  }, [isNew]);
  const [told] = report.sessions;
  const read: ReadTrace = useCallback(
    (turn, of) => ask<TraceView>('/api/trace', { query: { session, id, turn: String(turn), of } }),
    [session, id],
  );
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
        <Download name={`${session}-${id}.json`} result={id} session={session} />
        {detail.source === 'pinned' && (
          <Accept
            session={session}
            result={id}
            onAccepted={async (done) => {
              setSaid(done);
              await onChanged();
            }}
          />
        )}
      </header>
      <p class="quiet">{report.usage}</p>
      <p role="status" class="quiet">
        <Text>{said}</Text>
      </p>
      {cancelled !== undefined && (
        <p>
          Cancelled when {cancelled.came} of {cancelled.total} replays had come. They are compared below; nothing is
          said of the others.
        </p>
      )}
      <Problems problems={report.problems} />
      {told !== undefined && (
        <PlaceContext.Provider value={[placeIn(new URLSearchParams(location.search)), look]}>
          <Traces.Provider value={read}>
            <Session session={told} heading={false} />
          </Traces.Provider>
        </PlaceContext.Provider>
      )}
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

/** What is looked at in a result stands in the address, so that back, reload and a shared link show it again. */
function look(place: Place): void {
  go(withQuery({ ...NO_PLACE, ...parametersOf(place) }));
}
