import { isAsRecorded, OUTCOMES, outcomeWord, type Tone } from '../../compare/index.ts';
import { counted } from '../../counted.ts';
import { forXml } from '../../untrusted.ts';
import { nameOfPin } from '../words/words.ts';
import type { Trend, TrendPoint } from './trend.ts';

/** In pixels; letters are 12 high. */
const WIDTH = 720;
const ROW = 34;
const NAME_WIDTH = 190;
const FIGURES_WIDTH = 150;
const CHART = { left: NAME_WIDTH + 10, right: WIDTH - FIGURES_WIDTH - 10 };
/** Space above and below the line of a row. */
const ROW_PADDING = 8;
const HEAD = 22;
const FOOT = 22;

/** Further rows are counted and not drawn: nobody scrolls a chart. */
const MAX_ROWS = 40;
/** The longest name that certainly fits its column. */
const MAX_NAME_CHARS = 28;

/** Red and green have equal weight on light and dark. Every verdict has a shape as well. */
const STYLE = `
.agent-replay-trend{font:12px system-ui,-apple-system,"Segoe UI",sans-serif;--ink:#1f2328;--faint:#59636e;--rule:#d1d9e0;--good:#1a7f37;--bad:#cf222e;--doubt:#9a6700;--ground:#fff}
@media(prefers-color-scheme:dark){.agent-replay-trend{--ink:#f0f6fc;--faint:#9198a1;--rule:#3d444d;--good:#3fb950;--bad:#f85149;--doubt:#d29922;--ground:#0d1117}}
.agent-replay-trend .ground{fill:var(--ground)}.agent-replay-trend text{fill:var(--ink)}.agent-replay-trend .faint{fill:var(--faint)}
.agent-replay-trend path{fill:none;stroke:var(--faint);stroke-width:1.5}.agent-replay-trend line{stroke:var(--rule)}
.agent-replay-trend .good{fill:var(--good)}.agent-replay-trend .bad{fill:var(--bad)}.agent-replay-trend .doubt{fill:none;stroke:var(--doubt);stroke-width:1.5}`;

/** Of the background, around the drawing. */
const GROUND_PADDING = 12;

/**
 * Draws how many runs of each session were as recorded over time: one self-contained SVG for light and dark, one row per
 * session. Sessions that do not reproduce now come first.
 * @param ground adds a background, for pages that may be light or dark whatever the browser prefers
 */
export function renderTrendSvg(trends: readonly Trend[], ground = false): string {
  const shown = worstFirst(trends).slice(0, MAX_ROWS);
  const times = [...new Set(shown.flatMap(({ points }) => points.map(({ startedAt }) => startedAt)))].sort();
  const place = new Map(times.map((time, index) => [time, xOf(index, times.length)]));
  const height = HEAD + shown.length * ROW + FOOT;
  const padding = ground ? GROUND_PADDING : 0;
  const whole = { width: WIDTH + 2 * padding, height: height + 2 * padding };
  const left = trends.length - shown.length;
  const label = `Runs as recorded over time: ${counted(trends.length, 'session')}, ${counted(times.length, 'run')}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="agent-replay-trend" viewBox="${-padding} ${-padding} ${whole.width} ${whole.height}" width="${whole.width}" height="${whole.height}" role="img" aria-label="${label}">`,
    `<style>${STYLE}</style>`,
    ...(ground
      ? [
          `<rect class="ground" x="${-padding}" y="${-padding}" width="${whole.width}" height="${whole.height}" rx="6"/>`,
        ]
      : []),
    `<text class="faint" x="0" y="14">runs as recorded</text>`,
    `<text class="faint" x="${WIDTH}" y="14" text-anchor="end">latest</text>`,
    ...shown.map((trend, index) => row(trend, HEAD + index * ROW, place)),
    ...foot(times, height - 6, left),
    '</svg>',
    '',
  ].join('\n');
}

function worstFirst(trends: readonly Trend[]): Trend[] {
  const isFine = ({ points }: Trend) => Number(isAsRecorded(points.at(-1)?.verdict));
  return trends.toSorted((a, b) => isFine(a) - isFine(b));
}

/** A single run stands in the middle. */
function xOf(index: number, count: number): number {
  const share = count === 1 ? 0.5 : index / (count - 1);
  return rounded(CHART.left + share * (CHART.right - CHART.left));
}

function row({ pin, points }: Trend, top: number, place: ReadonlyMap<string, number>): string {
  const latest = points.at(-1) as TrendPoint;
  const baseline = top + ROW / 2 + 4;
  const floor = top + ROW - ROW_PADDING;
  const dots = points.map((point) => {
    const y = rounded(floor - (point.share ?? 0) * (ROW - 2 * ROW_PADDING));
    return { point, x: place.get(point.startedAt) as number, y };
  });
  return [
    '<g>',
    `<text x="0" y="${baseline}">${shortened(nameOfPin(pin))}</text>`,
    `<line x1="${CHART.left}" y1="${floor}" x2="${CHART.right}" y2="${floor}"/>`,
    `<path d="${lineThrough(dots)}"/>`,
    ...dots.map(({ point, x, y }) => mark(point, x, y)),
    `<text x="${WIDTH}" y="${baseline}" text-anchor="end">${outcomeWord(latest.verdict)} ${latest.asRecorded}/${latest.n}</text>`,
    '</g>',
  ].join('');
}

/** A run without a result leaves a gap. */
function lineThrough(dots: readonly { point: TrendPoint; x: number; y: number }[]): string {
  return dots
    .flatMap(({ point, x, y }, index) => {
      if (point.share === null) return [];
      const isStart = index === 0 || dots[index - 1]?.point.share === null;
      return `${isStart ? 'M' : 'L'}${x} ${y}`;
    })
    .join('');
}

const SHAPES: Readonly<Record<Tone, (x: number, y: number) => string>> = {
  good: disc,
  plain: disc,
  bad: diamond,
  doubt: (x, y) => `<circle class="doubt" cx="${x}" cy="${y}" r="2.5">`,
};

function disc(x: number, y: number): string {
  return `<circle class="good" cx="${x}" cy="${y}" r="2.5">`;
}

function diamond(x: number, y: number): string {
  return `<polygon class="bad" points="${x},${rounded(y - 4)} ${rounded(x + 4)},${y} ${x},${rounded(y + 4)} ${rounded(x - 4)},${y}">`;
}

/** With a tooltip for the pointer. */
function mark(point: TrendPoint, x: number, y: number): string {
  const { verdict, asRecorded, n, commit, startedAt } = point;
  const shape = SHAPES[OUTCOMES[verdict].tone](x, y);
  const told = `${startedAt.slice(0, 10)}${commit === undefined ? '' : ` ${commit.slice(0, 9)}`}: ${outcomeWord(verdict)}, ${asRecorded} of ${n} runs as recorded`;
  return `${shape}<title>${forXml(told)}</title></${/^<(\w+)/.exec(shape)?.[1]}>`;
}

function foot(times: readonly string[], y: number, left: number): string[] {
  const [first, last] = [times[0], times.at(-1)].map((time) => forXml(time?.slice(0, 10) ?? ''));
  return [
    ...(left > 0 ? [`<text class="faint" x="0" y="${y}">and ${counted(left, 'more session')}</text>`] : []),
    `<text class="faint" x="${CHART.left}" y="${y}">${first}</text>`,
    ...(times.length > 1 ? [`<text class="faint" x="${CHART.right}" y="${y}" text-anchor="end">${last}</text>`] : []),
  ];
}

function shortened(name: string): string {
  const characters = [...name.slice(0, 4 * MAX_NAME_CHARS).toWellFormed()];
  return forXml(characters.length <= MAX_NAME_CHARS ? name : `${characters.slice(0, MAX_NAME_CHARS - 1).join('')}…`);
}

/** Nobody sees a tenth of a pixel. */
function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
