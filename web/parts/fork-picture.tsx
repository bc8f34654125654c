import type { BehaviourView, TurnView } from '../../src/report/view-shapes.ts';
import { Text } from './text.tsx';
import { Letter, toneOf } from './verdict.tsx';

const LANE_PX = 34;
const STEP_PX = 26;
const START_PX = 12;
/** Room for the numbers of the steps. */
const HEAD_PX = 22;
/** Lanes that are drawn; the table below has them all. */
const MAX_LANES = 8;
/** More steps than this are drawn closer together. */
const MAX_WIDTH_PX = 640;
const MIN_STROKE = 2;
const MAX_STROKE = 9;

/** Which run went where, and at which step: the recording as a line, and the runs that leave it. */
export function ForkPicture({ turn }: { turn: TurnView }) {
  const lanes = turn.behaviours.filter(({ count }, place) => place === 0 || count > 0);
  const drawn = lanes.slice(0, MAX_LANES);
  const steps = Math.max(turn.survival.length, ...drawn.map(({ leavesAt }) => leavesAt ?? 0)) + 1;
  const gap = Math.min(STEP_PX, MAX_WIDTH_PX / steps);
  const x = (step: number) => START_PX + (step - 1) * gap;
  const y = (lane: number) => HEAD_PX + LANE_PX / 2 + lane * LANE_PX;
  const width = x(steps) + START_PX;
  const every = Math.ceil(STEP_PX / 2 / gap) * (steps > 12 ? 2 : 1);
  return (
    <section>
      <h4>Where runs part</h4>
      <div class="picture">
        <svg
          width={width}
          height={y(drawn.length)}
          role="img"
          aria-label={`${drawn.length} ways through ${steps - 1} steps; the list beside it tells them`}
        >
          {Array.from({ length: steps - 1 }, (_, index) => index + 1)
            .filter((step) => step === 1 || step % every === 0)
            .map((step) => (
              <text key={step} class="tick" x={x(step)} y={12} text-anchor="middle">
                {step}
              </text>
            ))}
          {drawn.map((lane, place) => (
            <Lane key={lane.letter} lane={lane} x={x} y={y} place={place} end={x(steps)} of={turn.n} last={steps - 1} />
          ))}
        </svg>
        <ol class="lanes" style={{ '--head': `${HEAD_PX}px`, '--lane': `${LANE_PX}px` }}>
          {drawn.map((lane) => (
            <li key={lane.letter}>
              <Letter letter={lane.letter} recorded={lane.recorded} />{' '}
              <span>
                {lane.runs === '' ? 'no run' : lane.runs}: <Text>{lane.label}</Text>
                {lane.leavesAt !== null && ` at step ${lane.leavesAt}`}
                {lane.meetsAgainAt !== null && `, as recorded again at ${lane.meetsAgainAt}`}
              </span>
            </li>
          ))}
        </ol>
      </div>
      {lanes.length > drawn.length && (
        <p class="quiet">{lanes.length - drawn.length} further behaviours are not drawn.</p>
      )}
      {turn.forks.length > 0 && <Forks turn={turn} />}
    </section>
  );
}

function Lane({
  lane: { letter, recorded, count, leavesAt, meetsAgainAt },
  x,
  y,
  place,
  end,
  of,
  last,
}: {
  lane: BehaviourView;
  x: (step: number) => number;
  y: (lane: number) => number;
  place: number;
  end: number;
  of: number;
  last: number;
}) {
  const trunk = y(0);
  const own = y(place);
  const stroke = count === 0 ? MIN_STROKE : MIN_STROKE + (MAX_STROKE - MIN_STROKE) * (count / Math.max(of, 1));
  const tone = toneOf(letter, recorded);
  if (place === 0) {
    return (
      <g data-tone={tone} class="lane" data-empty={count === 0}>
        <line x1={x(1)} y1={trunk} x2={end} y2={trunk} stroke-width={stroke} />
        {Array.from({ length: last }, (_, index) => (
          <circle key={index} cx={x(index + 1)} cy={trunk} r={3} class="step" />
        ))}
      </g>
    );
  }
  const leaves = x(Math.max(1, leavesAt ?? last));
  const bend = Math.min(16, (end - leaves) / 2);
  const back = meetsAgainAt === null ? undefined : Math.max(x(meetsAgainAt), leaves + bend + 4);
  const from = Math.max(x(1) - 8, leaves - 8);
  const path = `M${from} ${trunk} C${leaves + bend / 2} ${trunk} ${from} ${own} ${leaves + bend} ${own}`;
  return (
    <g data-tone={tone} class="lane">
      <path d={`${path} H${back ?? end}`} stroke-width={stroke} />
      {back !== undefined && (
        <path class="again" d={`M${back} ${own} C${back + 12} ${own} ${back} ${trunk} ${back + 14} ${trunk}`} />
      )}
      <circle cx={back ?? end} cy={own} r={4} class="end" />
    </g>
  );
}

function Forks({ turn }: { turn: TurnView }) {
  return (
    <section class="table" tabIndex={0} aria-label="Forks">
      <table>
        <thead>
          <tr>
            <th>step</th>
            <th>runs</th>
            <th>what they do there</th>
          </tr>
        </thead>
        <tbody>
          {turn.forks.flatMap(({ step, branches }) =>
            branches.map(({ label, runs, count, recorded }, index) => (
              <tr key={`${step} ${label}`}>
                <td>{index === 0 ? step : ''}</td>
                <td>{count === 0 ? 'none' : `${count}: ${runs}`}</td>
                <td>
                  <Text>{label}</Text>{' '}
                  {recorded && (
                    <span class="badge" data-verdict="reproduced">
                      as recorded
                    </span>
                  )}
                </td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </section>
  );
}
