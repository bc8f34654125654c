const BAR_PX = 5;
const HEIGHT_PX = 14;

/** A bar per recent run: its share of replays as recorded, null if none could be compared. */
export function Spark({ shares }: { shares: readonly (number | null)[] }) {
  const told = shares.map((share) => (share === null ? '?' : `${Math.round(share * 100)} %`)).join(', ');
  return (
    <svg
      class="spark"
      role="img"
      aria-label={`As recorded, run by run: ${told}`}
      width={shares.length * BAR_PX}
      height={HEIGHT_PX}
    >
      <title>As recorded, run by run: {told}</title>
      {shares.map((share, index) => {
        const height = Math.max(2, Math.round((share ?? 1) * HEIGHT_PX));
        const tone = share === null ? 'doubt' : share === 1 ? 'good' : 'bad';
        return (
          <rect
            key={index}
            data-tone={tone}
            x={index * BAR_PX}
            y={HEIGHT_PX - height}
            width={BAR_PX - 1}
            height={height}
          />
        );
      })}
    </svg>
  );
}
