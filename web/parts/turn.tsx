import type { LineView, TurnView } from '../../src/report/view/view-shapes.ts';
import { Differences, Texts } from './differences.tsx';
import { Facts } from './facts.tsx';
import { Ids, WithIds } from './ids.tsx';
import { Problems } from './problems.tsx';
import { RunsTable } from './runs-table.tsx';
import { ShiftPicture } from './shift-picture.tsx';
import { stepTable } from './step-table.ts';
import { Steps } from './steps.tsx';
import { Survival } from './survival.tsx';
import { Text } from './text.tsx';
import { Verdict } from './verdict.tsx';

const PASSING: ReadonlySet<string> = new Set(['reproduced', 'reworded', 'varies']);

/**
 * One turn. A turn that is not what its session is judged by is told in few words, and opened by whoever wants more.
 * @param isOpen it gives the session its verdict, or something in it is looked at
 */
export function Turn({ turn, isOpen }: { turn: TurnView; isOpen: boolean }) {
  const { verdict, sentence, cause, line, notes, figures, figuresLine, behaviours, problems, warnings } = turn;
  const parted = behaviours.filter(({ recorded, count }) => !recorded && count > 0);
  // A report that was made elsewhere may hold differences, and no steps.
  const hasTable = stepTable(turn).rows.length > 0;
  return (
    <Ids.Provider value={turn.ids}>
      <details class="turn" open={isOpen || !PASSING.has(verdict) || warnings.length > 0}>
        <summary>
          <h3>Turn {turn.turn}</h3> <Verdict {...turn} /> <span class="quiet">{figuresLine}</span>
        </summary>
        {verdict === 'inconclusive' && <Problems problems={problems} />}
        {sentence !== '' && (
          <p class="sentence">
            <Text>
              <WithIds text={sentence} />
            </Text>
          </p>
        )}
        {(line !== null || cause !== '') && <Cause kind={cause} detail={turn.causeDetail} line={line} />}
        {verdict !== 'inconclusive' && <Problems problems={problems} />}
        {warnings.length > 0 && <Problems problems={warnings} />}
        {(turn.separation.length > 0 || turn.picture.length > 0) && <ShiftPicture turn={turn} />}
        {hasTable ? <Steps turn={turn} /> : parted.length > 0 && <Differences behaviours={parted} />}
        {turn.texts.length > 0 && <Texts turn={turn} />}
        {notes.map((note) => (
          <p key={note} class="quiet note">
            <Text>
              <WithIds text={note} />
            </Text>
          </p>
        ))}
        <details class="figures">
          <summary>Figures and runs</summary>
          <div class="columns">
            <section>
              <h4>Figures</h4>
              <Facts facts={figures} />
            </section>
            {turn.n > 0 && turn.survival.length > 0 && <Survival turn={turn} />}
          </div>
          {turn.runs.length > 0 && <RunsTable turns={[turn]} label={`Runs of turn ${turn.turn}`} />}
        </details>
      </details>
    </Ids.Provider>
  );
}

/** Why the runs part, and what was edited, as a diff of the line: most often the whole answer. */
function Cause({ kind, detail, line }: { kind: string; detail: string; line: LineView | null }) {
  return (
    <section class="cause" aria-label="Cause">
      <h4>
        <span class="badge outline">cause: {kind}</span>{' '}
        <span>
          <WithIds text={detail} />
        </span>
      </h4>
      {line !== null && (
        <figure>
          <figcaption>{line.place}</figcaption>
          <div class="line-diff" dir="auto">
            {line.recorded !== null && (
              <del>
                <span aria-hidden="true">- </span>
                {line.recorded}
              </del>
            )}
            {line.replayed !== null && (
              <ins>
                <span aria-hidden="true">+ </span>
                {line.replayed}
              </ins>
            )}
          </div>
        </figure>
      )}
    </section>
  );
}
