import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { runNumbers, whatOf } from '../../../report/words/pages.ts';
import { Copy } from './buttons.tsx';
import { Ids, WithIds, withIds } from './ids.tsx';
import { useKeys } from './keys.tsx';
import { Letter } from './look.tsx';
import { type Place, PlaceContext } from './place.tsx';
import type { Difference, LaidStep, SessionResult } from './shapes.ts';
import { safe, Text } from './text.tsx';
import { TracePanel } from './trace.tsx';
import { Traces, useKept } from './traces.tsx';
import { type Chosen, differencesIn, type Row, type Way } from './turns.ts';
import { type Side, SideBySide, Value } from './value.tsx';

/** Details of the selection: a step side by side, a whole run, or what the page knows of the session. */
export function Detail({
  session,
  chosen,
  about,
}: {
  session: SessionResult;
  chosen: Chosen;
  about?: ComponentChildren;
}) {
  const [place, go] = useContext(PlaceContext);
  const traces = useContext(Traces);
  const { turn, row, behaviour } = chosen;
  const usual = row !== undefined || traces === undefined ? 'step' : 'run';
  const view = place.view === 'session' && about === undefined ? usual : (place.view ?? usual);
  const look = (more: Place) => go({ turn: turn.turn, step: row?.key, behaviour: behaviour?.letter, ...more });
  const tabs = [
    ['step', 'Step'],
    ['run', 'Whole run'],
    ...(about === undefined ? [] : ([['session', 'Session']] as const)),
  ] as const;
  return (
    <section class="detail" aria-label="What is chosen">
      <div class="tabs" role="tablist" aria-label="Details">
        {tabs.map(([name, word]) => (
          <button
            key={name}
            type="button"
            role="tab"
            class="plain"
            aria-selected={view === name}
            onClick={() => look({ view: name })}
          >
            {word}
          </button>
        ))}
      </div>
      {view === 'session' && about}
      {view === 'run' && <TracePanel key={`${turn.turn} ${behaviour?.letter}`} turn={turn} behaviour={behaviour} />}
      {view === 'step' &&
        (row === undefined ? (
          <p class="quiet">
            {chosen.lanes.rows.length === 0 ? 'The steps of this turn were not kept.' : 'Choose a step on the left.'}
          </p>
        ) : (
          <StepPanel key={`${turn.turn} ${row.key}`} turn={turn.turn} row={row} behaviour={behaviour} />
        ))}
      <NextDifference session={session} chosen={chosen} />
    </section>
  );
}

function NextDifference({ session, chosen }: { session: SessionResult; chosen: Chosen }) {
  const [, go] = useContext(PlaceContext);
  const { all, at } = differencesIn(session, chosen);
  const move = (by: number) => {
    const next = at === -1 ? all.at(by > 0 ? 0 : -1) : all[at + by];
    if (next !== undefined) go({ ...next, view: 'step' });
  };
  useKeys({ n: () => move(1), p: () => move(-1) });
  if (all.length < 2) return null;
  return (
    <p class="quiet next line">
      {(
        [
          ['p', 'Previous difference', -1],
          ['n', 'Next difference', 1],
        ] as const
      ).map(([key, name, by]) => (
        <button key={key} type="button" onClick={() => move(by)}>
          {name} <kbd>{key}</kbd>
        </button>
      ))}
    </p>
  );
}

/** What a side says that lacks a step. */
const NO_STEP = ['not recorded', 'not replayed'] as const;

/** One step of the recording and of a behaviour, side by side. */
export function StepPanel({ turn, row, behaviour }: { turn: number; row: Row; behaviour: Way | undefined }) {
  const ids = useContext(Ids);
  const of = behaviour?.cluster.id ?? 0;
  const left = useWhole(turn, null, row.left);
  const right = useWhole(turn, of, row.same ? null : row.right);
  const { kind, name } = row.left ?? row.right ?? { kind: 'end' };
  const areOther = row.left !== null && row.right !== null && row.left.name !== row.right.name;
  const side = (
    step: LaidStep | null,
    text: string | undefined,
    whose: number | null,
    label: ComponentChildren,
  ): Side => {
    const Mark = whose === null ? 'del' : 'ins';
    return {
      label: (
        <>
          <span class="grow">
            {label} {areOther && step?.name !== undefined && <Mark>{safe(step.name)}</Mark>}{' '}
            <span class="quiet">{step === null ? NO_STEP[whose === null ? 0 : 1] : `step ${step.number}`}</span>
          </span>
          {step !== null && <Copy text={() => withIds(text ?? step.text ?? '', ids, whose)} />}
        </>
      ),
      of: whose,
      text: step === null ? null : (text ?? step.text ?? ''),
    };
  };
  const sides = [
    side(row.left, left.text, null, 'recorded'),
    side(
      row.right,
      row.same ? left.text : right.text,
      of,
      behaviour && (
        <>
          <Letter way={behaviour} />
          {safe(runNumbers(behaviour.cluster.runs))}
        </>
      ),
    ),
  ] as const;
  return (
    <div class="step-panel">
      <h3>
        Step {row.left?.number ?? row.key} <span class="kind">{kind === 'final' ? 'answer' : kind}</span>{' '}
        {name !== undefined && <Text>{name}</Text>}
      </h3>
      {row.differences.length > 0 && (
        <ul class="differences">
          {row.differences.map((each, at) => (
            <li key={at}>
              <DifferenceWords difference={each} />
            </li>
          ))}
        </ul>
      )}
      {behaviour === undefined ? (
        <Value text={sides[0].text ?? ''} />
      ) : (
        <SideBySide left={sides[0]} right={sides[1]} areOther={areOther} />
      )}
      <Cut side="left" whole={left} step={row.left} />
      {!row.same && <Cut side="right" whole={right} step={row.right} />}
    </div>
  );
}

/** What differs at a step, and how much that matters. */
function DifferenceWords({ difference }: { difference: Difference }) {
  const { severity, downstream } = difference;
  return (
    <>
      <WithIds text={whatOf(difference)} />{' '}
      <span class="quiet">
        {severity === 'behaviour' ? '' : `(${severity})`}
        {downstream ? ' follows from an earlier one' : ''}
      </span>
    </>
  );
}

/** The whole text of a step that is cut, read at once, because the difference may be behind the cut. */
function useWhole(turn: number, of: number | null, step: LaidStep | null) {
  const run = useKept(turn, of, step?.whole !== undefined);
  const text = typeof run === 'object' ? run.steps?.find(({ number }) => number === step?.number)?.text : undefined;
  return { isMissing: run !== 'loading' && text === undefined, text };
}

function Cut({ side, whole, step }: { side: string; whole: ReturnType<typeof useWhole>; step: LaidStep | null }) {
  if (step?.whole === undefined || whole.text !== undefined) return null;
  return (
    <p class="quiet cut" role="status">
      The {side} side is cut: {(step.text ?? '').length} of {step.whole} characters are here.{' '}
      {whole.isMissing ? 'The whole is in the traces of the run.' : 'Opening the whole …'}
    </p>
  );
}
