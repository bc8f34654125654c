import { useContext } from 'preact/hooks';
import type { BehaviourView, TurnView } from '../../../report/view/view-shapes.ts';
import { Difference } from './step-panel.tsx';
import { OfTurn } from './turn-name.ts';
import { Letter } from './verdict.tsx';

/** What each behaviour does differently, if its steps were not kept. */
export function Differences({ behaviours }: { behaviours: readonly BehaviourView[] }) {
  return (
    <section>
      <h3>Recorded and replayed</h3>
      {behaviours.map((behaviour) => (
        <section key={behaviour.letter}>
          <p>
            <Letter letter={behaviour.letter} recorded={behaviour.recorded} /> {behaviour.runs}: {behaviour.label}
          </p>
          <Plain behaviour={behaviour} />
        </section>
      ))}
    </section>
  );
}

/** Texts that differ from the recorded ones, whether or not they count: only a reader can judge other words. */
export function Texts({ turn: { texts, moreTexts } }: { turn: TurnView }) {
  return (
    <section class="texts" aria-label={`Texts that are not as recorded${useContext(OfTurn)}`}>
      <h3>Texts that are not as recorded</h3>
      <ul class="plain">
        {texts.map(({ letter, recorded, runs, difference }) => (
          <li key={`${letter} ${runs} ${difference.what} ${difference.recordedStep} ${difference.replayed}`}>
            <Letter letter={letter} recorded={recorded} /> {runs}, step{' '}
            {difference.recordedStep ?? difference.replayedStep} <Difference difference={difference} of={letter} />
          </li>
        ))}
      </ul>
      {moreTexts > 0 && (
        <p class="quiet">
          {moreTexts} more {moreTexts === 1 ? 'text is' : 'texts are'} not listed.
        </p>
      )}
    </section>
  );
}

function Plain({ behaviour: { differences, letter } }: { behaviour: BehaviourView }) {
  return (
    <ul class="plain">
      {differences.map((difference) => (
        <li key={`${difference.what} ${difference.recordedStep} ${difference.replayedStep}`}>
          step {difference.recordedStep ?? difference.replayedStep} <Difference difference={difference} of={letter} />
        </li>
      ))}
    </ul>
  );
}
