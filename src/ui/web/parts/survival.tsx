import type { TurnView } from '../../../report/view/view-shapes.ts';

const WIDTH = 320;
const HEIGHT = 120;
const LEFT = 40;
const BOTTOM = 22;

/** Share of runs still on the recorded path after each step. */
export function Survival({ turn: { survival, n } }: { turn: TurnView }) {
  const x = (step: number) => LEFT + (step / survival.length) * (WIDTH - LEFT - 8);
  const y = (share: number) => 8 + (1 - share) * (HEIGHT - BOTTOM - 8);
  let line = `M${x(0)} ${y(1)}`;
  for (const [index, { share }] of survival.entries()) line += ` H${x(index + 0.5)} V${y(share)} H${x(index + 1)}`;
  return (
    <section>
      <h3>Still as recorded</h3>
      <svg
        class="survival"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`Share of ${n} runs still on the recorded path after each step: ${survival.map(({ text }, index) => `step ${index + 1} ${text}`).join(', ')}`}
      >
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line class="grid" x1={LEFT} x2={WIDTH - 8} y1={y(share)} y2={y(share)} />
            <text class="tick" x={LEFT - 6} y={y(share) + 4} text-anchor="end">
              {share * 100} %
            </text>
          </g>
        ))}
        <path class="area" d={`${line} V${y(0)} H${x(0)} Z`} />
        <path class="curve" d={line} />
        <text class="tick" x={x(0.5)} y={HEIGHT - 4} text-anchor="middle">
          step 1
        </text>
        {survival.length > 1 && (
          <text class="tick" x={x(survival.length - 0.5)} y={HEIGHT - 4} text-anchor="middle">
            {survival.length}
          </text>
        )}
      </svg>
      <p class="quiet">
        {survival.at(-1)?.text} of {n} runs reach the end on the recorded path.
      </p>
    </section>
  );
}
