import type { LineView, TurnView } from '../../src/report/view-shapes.ts';
import { Differences, Texts } from './differences.tsx';
import { Facts } from './facts.tsx';
import { ForkPicture } from './fork-picture.tsx';
import { Problems } from './problems.tsx';
import { Runs } from './runs.tsx';
import { ShiftPicture } from './shift-picture.tsx';
import { Survival } from './survival.tsx';
import { Text } from './text.tsx';
import { Verdict } from './verdict.tsx';

const PASSING: ReadonlySet<string> = new Set(['reproduced', 'reworded', 'varies']);

/**
 * One turn. A turn that is not what its session is judged by is told in few words, and opened by whoever wants more.
 * @param decides the verdict of the session is that of this turn
 */
export function Turn({ turn, decides }: { turn: TurnView; decides: boolean }) {
  const { verdict, sentence, cause, line, notes, figures, figuresLine, behaviours, problems, warnings } = turn;
  const parted = behaviours.filter(({ recorded, count }) => !recorded && count > 0);
  return (
    <details class="turn card" open={decides || !PASSING.has(verdict) || warnings.length > 0}>
      <summary>
        <h3>Turn {turn.turn}</h3> <Verdict {...turn} />
        {cause !== '' && <span class="badge outline">cause: {cause}</span>}
      </summary>
      {verdict === 'inconclusive' && <Problems problems={problems} />}
      {sentence !== '' && (
        <p class="sentence">
          <Text>{sentence}</Text>
        </p>
      )}
      {line !== null && <Cause line={line} />}
      {verdict !== 'inconclusive' && <Problems problems={problems} />}
      {warnings.length > 0 && <Problems problems={warnings} />}
      {notes.map((note) => (
        <p key={note} class="quiet">
          <Text>{note}</Text>
        </p>
      ))}
      {turn.picture.length > 0 && <ShiftPicture turn={turn} />}
      <Runs turn={turn} />
      {parted.length > 0 && <ForkPicture turn={turn} />}
      {parted.length > 0 && <Differences behaviours={parted} />}
      {turn.texts.length > 0 && <Texts turn={turn} />}
      <details class="figures">
        <summary class="quiet">{figuresLine}</summary>
        <div class="columns">
          <section>
            <h4>Figures</h4>
            <Facts facts={figures} />
          </section>
          {turn.n > 0 && turn.survival.length > 0 && <Survival turn={turn} />}
        </div>
      </details>
    </details>
  );
}

/** What was edited, as a diff of the line: most often the whole answer. */
function Cause({ line: { place, recorded, replayed } }: { line: LineView }) {
  return (
    <section class="cause" aria-label="Cause">
      <h4>{place}</h4>
      <div class="line-diff" dir="auto">
        {recorded !== null && (
          <del>
            <span aria-hidden="true">- </span>
            {recorded}
          </del>
        )}
        {replayed !== null && (
          <ins>
            <span aria-hidden="true">+ </span>
            {replayed}
          </ins>
        )}
      </div>
    </section>
  );
}
