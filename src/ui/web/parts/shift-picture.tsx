import { useContext } from 'preact/hooks';
import type { PictureRow, TurnView } from '../../../report/view/view-shapes.ts';
import { WithIds } from './ids.tsx';
import { Text } from './text.tsx';
import { OfTurn } from './turn-name.ts';

const WIDTH = 320;
const HEIGHT = 46;
const EDGE = 10;
/** Distance of dots that are stacked at one place. */
const STACK = 3;

/** What raises an alarm, and how recordings and replays differ, in sentences. */
export function Separation({ turn: { separation, besides } }: { turn: TurnView }) {
  return (
    <section class="shift-card" aria-label={`What sets ${besides.many} and replays apart${useContext(OfTurn)}`}>
      <h3>What sets {besides.many} and replays apart</h3>
      <ul class="separation">
        {separation.map((sentence) => (
          <li key={sentence}>
            <Text>
              <WithIds text={sentence} />
            </Text>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Recordings and replays as two rows of dots per channel: if the rows lie apart, behaviour has shifted. */
export function ShiftPicture({ turn: { picture, besides } }: { turn: TurnView }) {
  return (
    <section class="shift-picture" aria-label={`Replays and ${besides.many}${useContext(OfTurn)}`}>
      <h3>How far they lie apart</h3>
      <p class="quiet">
        <span class="dot" data-side="recorded" /> a {besides.one} <span class="dot" data-side="replayed" /> a replay,
        the further to the right, the more it is like the replays
      </p>
      <div class="shifts">
        {picture.map((row) => (
          <figure key={row.name} class="shift">
            <figcaption>
              <strong>{row.name}</strong>
              {row.feature !== '' && (
                <>
                  {': '}
                  <Text>
                    <WithIds text={row.feature} />
                  </Text>
                </>
              )}
            </figcaption>
            <Dots row={row} besides={besides.many} />
          </figure>
        ))}
      </div>
    </section>
  );
}

function Dots({ row: { name, recordings, replays }, besides }: { row: PictureRow; besides: string }) {
  const x = (place: number) => EDGE + place * (WIDTH - 2 * EDGE);
  const told = (places: readonly number[]) => places.map((place) => place.toFixed(2)).join(', ');
  return (
    <svg
      class="dots"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`${name}: ${besides} at ${told(recordings)}; replays at ${told(replays)}`}
    >
      <line class="grid" x1={EDGE} x2={WIDTH - EDGE} y1={HEIGHT / 2} y2={HEIGHT / 2} />
      {stacked(recordings).map(({ place, level }) => (
        <circle key={`${place} ${level}`} class="recorded" cx={x(place)} cy={HEIGHT / 2 - 8 - level * STACK} r="4" />
      ))}
      {stacked(replays).map(({ place, level }) => (
        <circle key={`${place} ${level}`} class="replayed" cx={x(place)} cy={HEIGHT / 2 + 8 + level * STACK} r="4" />
      ))}
    </svg>
  );
}

/** Further dots at one place need no space. */
const MAX_LEVEL = 4;

function stacked(places: readonly number[]): { place: number; level: number }[] {
  const seen = new Map<number, number>();
  return places.map((place) => {
    const level = seen.get(place) ?? 0;
    seen.set(place, level + 1);
    return { place, level: Math.min(level, MAX_LEVEL) };
  });
}
