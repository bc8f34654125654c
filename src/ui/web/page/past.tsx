import { isAsRecorded, lookOf, verdictWord } from '../../../report/words/pages.ts';
import type { PastResult, SessionDetail } from '../../index.ts';
import { Sign, Time } from '../parts/look.tsx';
import { toldRow } from '../parts/what.tsx';

/** The kept results of a session. */
export function Past({
  detail: { past },
  shown,
  onShow,
}: {
  detail: SessionDetail;
  shown: string | undefined;
  onShow: (id: string) => void;
}) {
  if (past.length === 0) return null;
  return (
    <section class="past" aria-label="Past results">
      <h3>Past results</h3>
      <ul>
        {past.map((each) => (
          <li key={each.id}>
            <button type="button" class="plain" aria-pressed={each.id === shown} onClick={() => onShow(each.id)}>
              <One result={each} /> <Time iso={each.startedAt} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function One({ result: { session, isCancelled } }: { result: PastResult }) {
  if (isCancelled || session === undefined) return <span>■ cancelled</span>;
  return (
    <>
      <Sign {...lookOf(session)} /> {!isAsRecorded(session.verdict) && `${verdictWord(session)}, `}
      {toldRow(session).count}
    </>
  );
}
