import type { TurnView } from '../../../report/view/view-shapes.ts';
import { Cause } from './cause.tsx';
import { Differences, Texts } from './differences.tsx';
import { Facts } from './facts.tsx';
import { Ids, WithIds } from './ids.tsx';
import { Problems } from './problems.tsx';
import { RunsTable } from './runs-table.tsx';
import { Separation, ShiftPicture } from './shift-picture.tsx';
import { stepTable } from './step-table.ts';
import { Steps } from './steps.tsx';
import { Survival } from './survival.tsx';
import { Text } from './text.tsx';
import { OfTurn } from './turn-name.ts';
import { isOff, Verdict } from './verdict.tsx';

/**
 * One turn. If there are several, turns that do not decide the session's verdict are short until opened.
 * @param isOpen it decides the verdict, or something in it is selected
 */
export function Turn({
  turn,
  isOnly,
  isOpen,
  isShown,
}: {
  turn: TurnView;
  isOnly: boolean;
  isOpen: boolean;
  /** The details belong to it. */
  isShown: boolean;
}) {
  const { figuresLine, warnings } = turn;
  const whole = <Whole turn={turn} isShown={isShown} withFigures={isOnly} />;
  return (
    <Ids.Provider value={turn.ids}>
      <OfTurn.Provider value={isOnly ? '' : ` of turn ${turn.turn}`}>
        {isOnly ? (
          <section class="turn" aria-label={`Turn ${turn.turn}`}>
            {whole}
          </section>
        ) : (
          <details class="turn of-several" open={isOpen || isOff(turn) || warnings.length > 0}>
            <summary>
              <h3>Turn {turn.turn}</h3> <Verdict {...turn} /> <span class="quiet">{figuresLine}</span>
            </summary>
            {whole}
          </details>
        )}
      </OfTurn.Provider>
    </Ids.Provider>
  );
}

/** First what differs, then why, then where; then the rest. */
function Whole({ turn, isShown, withFigures }: { turn: TurnView; isShown: boolean; withFigures: boolean }) {
  const { sentence, cause, line, notes, figuresLine, behaviours, problems, warnings } = turn;
  const said = sentence === '' && turn.tone === 'good' ? asRecorded(turn.n) : sentence;
  const parted = behaviours.filter(({ recorded, count }) => !recorded && count > 0);
  // A foreign report may contain differences but no steps.
  const hasTable = stepTable(turn).rows.length > 0;
  return (
    <>
      {said !== '' && <Said class="sentence">{said}</Said>}
      {withFigures && <p class={said === '' ? 'sentence' : 'quiet figures-line'}>{figuresLine}</p>}
      {(line !== null || cause !== '') && (
        <Cause kind={cause} detail={turn.causeDetail} line={line} measure={turn.measure} />
      )}
      <Problems problems={problems} />
      {warnings.length > 0 && <Problems problems={warnings} />}
      {turn.separation.length > 0 && <Separation turn={turn} />}
      {hasTable ? <Steps turn={turn} isShown={isShown} /> : parted.length > 0 && <Differences behaviours={parted} />}
      {turn.picture.length > 0 && <ShiftPicture turn={turn} />}
      {notes.map((note) => (
        <Said key={note} class="quiet note">
          {note}
        </Said>
      ))}
      {turn.texts.length > 0 && <Texts turn={turn} />}
      <Figures turn={turn} />
    </>
  );
}

function asRecorded(runs: number): string {
  return runs === 1 ? 'No divergence in 1 run' : `No divergence in ${runs} runs`;
}

function Said({ class: name, children }: { class: string; children: string }) {
  return (
    <p class={name}>
      <Text>
        <WithIds text={children} />
      </Text>
    </p>
  );
}

function Figures({ turn }: { turn: TurnView }) {
  const { figures, survival, runs, n } = turn;
  return (
    <details class="figures">
      <summary>Figures and runs</summary>
      {runs.length > 0 && <RunsTable turn={turn} />}
      <div class="columns">
        <section>
          <h3>Figures</h3>
          <Facts facts={figures} />
        </section>
        {n > 0 && survival.length > 0 && <Survival turn={turn} />}
      </div>
    </details>
  );
}
