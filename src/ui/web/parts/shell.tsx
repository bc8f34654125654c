import type { ComponentChildren } from 'preact';
import type { Place } from './place.tsx';
import { Splitter, usePaneWidth } from './splitter.tsx';

const LIST_PX = 310;
const DETAILS_PX = 440;

/** The pane shown if there is room for only one. */
export type Pane = 'sessions' | 'run' | 'details';

/** On a phone, choosing a step or view opens its details. */
export function paneOf(session: string | undefined, { step, view }: Place): Pane {
  if (session === undefined) return 'sessions';
  return step === undefined && view === undefined ? 'run' : 'details';
}

/**
 * Sessions on the left, the run in the middle, details of the selection on the right, each scrolling separately. Without
 * room for three, details are below the run; on a phone only one pane is shown.
 */
export function Shell({
  pane,
  list,
  children,
}: {
  pane: Pane;
  /** Of sessions; null if there is only one. */
  list: ComponentChildren;
  /** Panes of the selection. */
  children: ComponentChildren;
}) {
  const [listPx, setListPx] = usePaneWidth('sessions', LIST_PX);
  const [detailsPx, setDetailsPx] = usePaneWidth('details', DETAILS_PX);
  return (
    <div class="shell" data-pane={pane} style={{ '--list': `${listPx}px`, '--details': `${detailsPx}px` }}>
      {list}
      {list !== null && <Splitter label="Width of the sessions" width={listPx} onWidth={setListPx} />}
      {children}
      <Splitter label="Width of the details" width={detailsPx} isRight onWidth={setDetailsPx} />
    </div>
  );
}

/** One session in the shell. */
export function Panes({
  bar,
  run,
  details,
  isShort = false,
  back,
}: {
  /** Stays above the run and its details. */
  bar: ComponentChildren;
  run: ComponentChildren;
  details: ComponentChildren;
  /** On a phone too, the details are shown with the run. */
  isShort?: boolean;
  /** The link to the previous pane. */
  back: ComponentChildren;
}) {
  return (
    <>
      <div class="shell-bar">
        <p class="back">{back}</p>
        {bar}
      </div>
      <div class="shell-run">{run}</div>
      {details !== null && (
        <section class="shell-details" data-short={isShort} aria-label="What is chosen">
          {details}
        </section>
      )}
    </>
  );
}
