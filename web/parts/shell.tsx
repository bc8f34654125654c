import type { ComponentChildren } from 'preact';
import type { Place } from './place.tsx';
import { Splitter, usePaneWidth } from './splitter.tsx';

const LIST_PX = 310;
const DETAILS_PX = 440;

/** The pane that is there where there is room for one. */
export type Pane = 'sessions' | 'run' | 'details';

/** Whoever has chosen a step or a view on a phone looks at its details. */
export function paneOf(session: string | undefined, { step, view }: Place): Pane {
  if (session === undefined) return 'sessions';
  return step === undefined && view === undefined ? 'run' : 'details';
}

/**
 * Sessions on the left, the run in the middle, details of what is selected on the right: each scrolls by itself. Where
 * there is no room for three the details stand below the run, and on a phone one pane is there at a time.
 */
export function Shell({
  pane,
  list,
  children,
}: {
  pane: Pane;
  /** Of sessions; null where there is one alone. */
  list: ComponentChildren;
  /** Panes of what is chosen. */
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
  /** What stays above the run and its details. */
  bar: ComponentChildren;
  run: ComponentChildren;
  details: ComponentChildren;
  /** The details stand with the run on a phone, too. */
  isShort?: boolean;
  /** The link to the pane before. */
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
