import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { BehaviourView, TurnView } from '../../../report/view/view-shapes.ts';
import type { Chosen } from './chosen.ts';
import { shortName } from './short-names.ts';
import type { Item, StepTable } from './step-table.ts';
import { OfTurn } from './turn-name.ts';
import { Letter, toneOf } from './verdict.tsx';

const LANE_PX = 30;
/** Space for letters and counts before the lines. */
const LEFT_PX = 126;
const RIGHT_PX = 28;
/** Names are upright if a step has this much room; otherwise they lean. */
const UPRIGHT_PX = 84;
const MIN_GAP_PX = 30;
/** Longest distance from one line to another. */
const MAX_BEND_PX = 60;
/** Width of a name's letter. */
const CHARACTER_PX = 6.4;
/** How much height a letter adds to a leaning name: the sine of 38 degrees of its width. */
const LEANING_CHARACTER_PX = 4;
const MAX_LEANING_CHARS = 20;
/** Lanes in the picture; the table has all of them. */
const MAX_LANES = 6;
const MIN_STROKE = 2;
const MAX_STROKE = 12;

/** Which run goes where, and at which step; lines are as wide as they have runs. Equal steps are folded into one place. */
export function ForkHead({
  turn,
  table,
  items,
  chosen,
  onChoose,
}: {
  turn: TurnView;
  table: StepTable;
  items: readonly Item[];
  chosen: Chosen;
  onChoose: (step: string, column?: number) => void;
}) {
  const box = useRef<HTMLElement>(null);
  const width = useWidth(box);
  const lanes = table.columns.slice(0, MAX_LANES);
  const nodes = aroundDifferences(items);
  const gap = Math.max(MIN_GAP_PX, (width - LEFT_PX - RIGHT_PX) / Math.max(nodes.length, 1));
  const upright = Math.floor(gap / CHARACTER_PX) - 1;
  const isUpright = gap >= UPRIGHT_PX && nodes.every((node) => nameOf(node).length <= upright);
  const longest = Math.max(0, ...nodes.map((node) => shortName(nameOf(node), MAX_LEANING_CHARS).length));
  const head = isUpright ? 26 : Math.ceil(18 + longest * LEANING_CHARACTER_PX);
  const x = (at: number) => LEFT_PX + gap * (at + 0.5);
  const y = (lane: number) => head + LANE_PX * (lane + 0.5);
  const stroke = (count: number) =>
    count === 0 ? MIN_STROKE : MIN_STROKE + (MAX_STROKE - MIN_STROKE) * (count / Math.max(turn.n, 1));
  const end = Math.max(width, LEFT_PX + gap * nodes.length + RIGHT_PX) - 10;
  const paths = lanes.map((lane, at) => offTrunk(nodes, at, lane));
  /** Runs on the recorded line between two places. */
  const together = (from: number) =>
    (turn.behaviours[0]?.count ?? 0) +
    lanes.reduce((sum, lane, at) => sum + (paths[at]?.[from] || paths[at]?.[from + 1] ? 0 : lane.count), 0);
  const height = y(lanes.length) + LANE_PX / 2;
  return (
    <section class="fork" ref={box} tabIndex={0} aria-label={`Where runs part${useContext(OfTurn)}`}>
      <svg width={end + 10} height={height} role="img" aria-label={pictureInWords(turn, lanes)}>
        {nodes.map((node, at) => {
          const name = nameOf(node);
          return (
            <text
              key={at}
              class="tick"
              data-fold={node.kind === 'fold'}
              x={x(at)}
              y={head - 10}
              text-anchor={isUpright ? 'middle' : 'start'}
              transform={isUpright ? undefined : `rotate(-38 ${x(at)} ${head - 10})`}
            >
              <title>{name}</title>
              {isUpright ? name : shortName(name, MAX_LEANING_CHARS)}
            </text>
          );
        })}
        {nodes.slice(0, -1).map((_, at) => (
          <line
            key={at}
            class="trunk"
            data-tone="recorded"
            data-empty={together(at) === 0}
            x1={x(at)}
            x2={x(at + 1)}
            y1={y(0)}
            y2={y(0)}
            stroke-width={stroke(together(at))}
          />
        ))}
        {lanes.map((lane, at) => (
          <path
            key={lane.letter}
            class="branch"
            data-tone={toneOf(lane.letter, lane.recorded)}
            data-chosen={at === chosen.column}
            d={lanePath(paths[at] as boolean[], { x, gap, trunk: y(0), own: y(at + 1), end })}
            stroke-width={stroke(lane.count)}
          />
        ))}
        {nodes.map((node, at) => {
          const key = node.kind === 'row' ? node.row.key : undefined;
          const isChosen = key !== undefined && key === chosen.row?.key;
          if (node.kind === 'row' && node.row.recorded === null) return null;
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: for a pointer alone; the table has a button for the same
            <circle
              key={at}
              class="node"
              data-tone="recorded"
              data-fold={node.kind === 'fold'}
              data-chosen={isChosen}
              cx={x(at)}
              cy={y(0)}
              r={node.kind === 'fold' ? 3 : 6}
              onClick={() => key !== undefined && onChoose(key)}
            >
              <title>{nameOf(node)}</title>
            </circle>
          );
        })}
        {lanes.flatMap((lane, column) =>
          nodes.map((node, at) => {
            if (node.kind === 'fold') return null;
            const { state, differences } = node.row.cells[column] ?? { state: 'none', differences: [] };
            if (state === 'same' || state === 'none' || state === 'unknown') return null;
            const isChosen = node.row.key === chosen.row?.key && column === chosen.column;
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: for a pointer alone; the table has a button for the same
              <circle
                key={`${lane.letter} ${at}`}
                class="node"
                data-tone={toneOf(lane.letter, lane.recorded)}
                data-state={state}
                data-chosen={isChosen}
                cx={x(at)}
                cy={y(column + 1)}
                r={6}
                onClick={() => onChoose(node.row.key, column)}
              >
                <title>
                  {lane.letter}, {lane.runs}: {nameOf(node)}, {state}
                  {differences[0] === undefined ? '' : `: ${differences[0].what}`}
                </title>
              </circle>
            );
          }),
        )}
      </svg>
      <ol class="lanes" style={{ '--head': `${head}px`, '--lane': `${LANE_PX}px` }}>
        <li>
          <Letter letter="A" recorded={true} /> <span>{laneOf(turn.behaviours[0], 'as recorded')}</span>
        </li>
        {lanes.map((lane) => (
          <li key={lane.letter}>
            <Letter letter={lane.letter} recorded={lane.recorded} /> <span>{laneOf(lane, `of ${turn.n}`)}</span>
          </li>
        ))}
      </ol>
      {table.columns.length > lanes.length && (
        <p class="quiet">{table.columns.length - lanes.length} further behaviours are in the table below.</p>
      )}
    </section>
  );
}

/** How many go there: replays, and recordings if several count. */
function laneOf(lane: BehaviourView | undefined, ofWhat: string): string {
  const { count = 0, recordings = null } = lane ?? {};
  return recordings === null ? `${count} ${ofWhat}` : `${recordings} rec., ${count} runs`;
}

/** Places in the picture: a run with hundreds of differences is better read in the table. */
const MAX_NODES = 40;

function aroundDifferences(items: readonly Item[]): readonly Item[] {
  return items.slice(0, MAX_NODES);
}

/** Places at which a lane is off the recorded line. */
function offTrunk(nodes: readonly Item[], column: number, { meetsAgainAt }: BehaviourView): boolean[] {
  const differs = nodes.map((node) => {
    if (node.kind === 'fold') return false;
    const state = node.row.cells[column]?.state ?? 'none';
    return state !== 'same' && state !== 'none' && state !== 'unknown';
  });
  // It stays off from its first difference until it is as recorded again.
  const first = differs.indexOf(true);
  const again = nodes.findIndex((node) => {
    const row = node.kind === 'row' ? node.row : node.rows[0];
    return meetsAgainAt !== null && (row?.recorded?.number ?? 0) >= meetsAgainAt;
  });
  const until = again === -1 ? differs.length : again;
  return differs.map((differs, at) => differs || (first !== -1 && at > first && at < until));
}

function lanePath(
  off: readonly boolean[],
  { x, gap, trunk, own, end }: { x: (at: number) => number; gap: number; trunk: number; own: number; end: number },
): string {
  const parts: string[] = [];
  const reach = Math.min(gap * 0.75, MAX_BEND_PX);
  for (const [at, isOff] of off.entries()) {
    if (!isOff) continue;
    if (!off[at - 1]) {
      const start = at === 0 ? LEFT_PX - 4 : x(at - 1);
      const from = Math.max(start, x(at) - reach);
      const bend = (from + x(at)) / 2;
      parts.push(`M${start} ${trunk} H${from} C${bend} ${trunk} ${bend} ${own} ${x(at)} ${own}`);
    }
    if (off[at + 1]) parts.push(`H${x(at + 1)}`);
    else if (at + 1 < off.length) {
      const to = x(at) + reach;
      const bend = (x(at) + to) / 2;
      parts.push(`C${bend} ${own} ${bend} ${trunk} ${to} ${trunk} H${x(at + 1)}`);
    } else parts.push(`H${end}`);
  }
  return parts.join(' ');
}

function nameOf(item: Item): string {
  if (item.kind === 'fold') return `${item.rows.length} the same`;
  const { step, recorded } = item.row;
  const name = step.name ?? (step.kind === 'final' ? 'answer' : step.kind);
  return `${recorded?.number ?? '+'} ${step.kind === 'result' ? `${name} ↩` : name}`;
}

function pictureInWords({ behaviours, n }: TurnView, lanes: readonly BehaviourView[]): string {
  const ways = lanes.map(
    ({ letter, runs, label, leavesAt }) =>
      `${letter}, ${runs}: ${label}${leavesAt === null ? '' : ` at step ${leavesAt}`}`,
  );
  return [`${behaviours[0]?.count ?? 0} of ${n} runs as recorded`, ...ways, 'the table below tells the same'].join(
    '; ',
  );
}

function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(800);
  useLayoutEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return width;
}
