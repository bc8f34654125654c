import { duration } from '../../../report/words/pages.ts';
import type { RunUnderWay } from '../../index.ts';
import { Text } from '../parts/text.tsx';

/** What to know about a run. */
export function Notes({ notes }: { notes: readonly string[] }) {
  return (
    <>
      {notes.map((note) => (
        <p key={note} class="problem said">
          <span aria-hidden="true">⚠</span> <Text>{note}</Text>
        </p>
      ))}
    </>
  );
}

/** How far a run is. */
export function Progress({ run: { said, came, total, ms } }: { run: RunUnderWay }) {
  return (
    <div class="progress">
      <div class="line">
        <p role="status" class="quiet grow">
          <Text>{said}</Text>
        </p>
        {/* Not announced to screen readers, because it changes each second. */}
        <span class="quiet">{duration(Math.floor(ms / 1_000) * 1_000)}</span>
      </div>
      <progress aria-label="Runs" max={Math.max(total, 1)} value={total === 0 ? undefined : came} />
    </div>
  );
}
