import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { hueOf, Letter } from './look.tsx';
import type { TurnResult } from './shapes.ts';
import { safe } from './text.tsx';
import { behavioursOf, type Way } from './turns.ts';

const LANE_PX = 26;
const HEAD_PX = 30;
const LEFT_PX = 10;
/** For the count at the end of a line. */
const RIGHT_PX = 108;
const BEND_PX = 28;
const MIN_STROKE = 2;
const MAX_STROKE = 9;
const CHARACTER_PX = 6.6;

/** Where runs leave the recording, and how many go which way; lines are as wide as they have runs. */
export function Fork({
  turn,
  ways,
  left,
  chosen,
}: {
  turn: TurnResult;
  ways: readonly Way[];
  /** Further ways, which share one line. */
  left: readonly Way[];
  chosen: Way | undefined;
}) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const lanes = ways.filter(({ cluster }) => cluster.id > 0);
  const rest = left.filter(({ cluster }) => cluster.runs.length > 0);
  const steps = [...new Set([...lanes, ...rest].map(leaves))].sort((a, b) => a - b);
  const { n } = turn.comparison.figures;
  const room = (width - LEFT_PX - RIGHT_PX) / Math.max(steps.length, 1);
  const x = (step: number) => LEFT_PX + BEND_PX + 20 + Math.max(0, steps.indexOf(step)) * room;
  const y = (lane: number) => HEAD_PX + LANE_PX * (lane + 0.5);
  const stroke = (runs: number) =>
    runs === 0 ? MIN_STROKE : MIN_STROKE + (MAX_STROKE - MIN_STROKE) * (runs / Math.max(n, 1));
  const end = width - RIGHT_PX;
  const [trunk] = behavioursOf(turn);
  if (trunk === undefined) return null;
  const most = Math.floor(room / CHARACTER_PX) - 1;
  const told = lanes.map(
    (lane) => `${lane.cluster.runs.length} of ${n} runs from step ${leaves(lane)} on: ${lane.label}`,
  );
  const others = rest.reduce((sum, { cluster }) => sum + cluster.runs.length, 0);
  const drawn = [
    ...lanes.map((lane) => ({ lane, runs: lane.cluster.runs.length, from: leaves(lane) })),
    ...(others === 0 ? [] : [{ lane: undefined, runs: others, from: Math.min(...rest.map(leaves)) }]),
  ];
  return (
    <div class="fork" ref={box}>
      <svg
        width={width}
        height={y(drawn.length) + LANE_PX / 2}
        role="img"
        aria-label={safe([`${trunk.cluster.runs.length} of ${n} runs ${trunk.label}`, ...told].join('; '))}
      >
        {steps.map((step) => {
          const name = shortName(nameOf(turn, step), most);
          return (
            <text key={step} x={Math.max(x(step), (name.length * CHARACTER_PX) / 2)} y={HEAD_PX - 12}>
              {name}
            </text>
          );
        })}
        <path
          style={{ '--hue': hueOf(trunk) }}
          d={`M${LEFT_PX} ${y(0)} H${end}`}
          stroke-width={stroke(trunk.cluster.runs.length)}
        />
        <Count at={[end, y(0)]} way={trunk} runs={trunk.cluster.runs.length} of={n} />
        {drawn.map(({ lane, runs, from: step }, at) => {
          const from = x(step);
          const [bend, own] = [from - BEND_PX / 2, y(at + 1)];
          return (
            <g key={lane?.letter} data-chosen={lane !== undefined && lane.letter === chosen?.letter}>
              <path
                style={{ '--hue': lane === undefined ? 'var(--edge)' : hueOf(lane) }}
                d={`M${from - BEND_PX} ${y(0)} C${bend} ${y(0)} ${bend} ${own} ${from} ${own} H${end}`}
                stroke-width={stroke(runs)}
              />
              <Count at={[end, own]} way={lane} runs={runs} of={n} />
            </g>
          );
        })}
      </svg>
    </div>
  );
}

/** @param way undefined for several */
function Count({
  at: [x, y],
  way,
  runs,
  of,
}: {
  at: readonly [number, number];
  way: Way | undefined;
  runs: number;
  of: number;
}) {
  return (
    <foreignObject x={x + 6} y={y - 10} width={RIGHT_PX - 6} height={20}>
      {way !== undefined && <Letter way={way} />}
      <small>
        {way === undefined ? 'others: ' : ''}
        {runs} of {of}
      </small>
    </foreignObject>
  );
}

/** The recorded step at which a behaviour leaves the recording. */
function leaves({ cluster: { divergence, firstDifference } }: Way): number {
  return divergence?.recordedStep ?? divergence?.replayedStep ?? firstDifference?.step ?? 1;
}

function nameOf({ steps }: TurnResult, step: number): string {
  const { name, kind } = steps[step - 1] ?? {};
  return `${step} ${name ?? (kind === 'final' ? 'answer' : (kind ?? ''))}`;
}

/** With its middle left out: names of tools start alike. */
function shortName(name: string, most: number): string {
  return name.length <= most ? safe(name) : safe(`${name.slice(0, Math.max(3, most - 5))}…${name.slice(-4)}`);
}

function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(640);
  useLayoutEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return width;
}
