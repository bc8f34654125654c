import type { SessionDetail } from '../../index.ts';
import { Time } from '../parts/time.tsx';

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
    <section class="past" aria-labelledby="past">
      <h4 id="past">Past results</h4>
      <ul>
        {past.map(({ id, startedAt, sign, word, asRecorded, isCancelled }) => (
          <li key={id}>
            <button type="button" class="ghost small" aria-pressed={id === shown} onClick={() => onShow(id)}>
              <span aria-hidden="true">{isCancelled ? '■' : sign}</span> {isCancelled ? 'cancelled' : word},{' '}
              {asRecorded} as recorded <Time iso={startedAt} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
