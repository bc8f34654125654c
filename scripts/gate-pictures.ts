/**
 * Draws the pictures of docs/gate.md from tests of a simulated support agent: `node scripts/gate-pictures.ts`. A seed
 * decides the agent's runs, so that the pictures are the same every time.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ComparedStep } from '../src/compare/index.ts';
import { channelStatistics, relabelingsOf, viewsOf } from '../src/shift/channels.ts';
import { shiftRun } from '../src/shift/index.ts';
import { type Random, randomFrom } from '../src/shift/random.ts';
import { combinedP, rarities } from '../src/shift/rarity.ts';
import { MAX_RELABELINGS } from '../src/shift/relabelings.ts';
import { separation } from '../src/shift/separation.ts';
import type { DotRow } from '../src/shift/shift-result.ts';
import { type RunTable, tableOf } from '../src/shift/table.ts';
import { turnTest } from '../src/shift/turn-test.ts';

const IMAGES = path.join(import.meta.dirname, '..', 'docs', 'images');

/** One run of an agent that answers a customer who wants a refund. Runs may differ. */
function supportRun(random: Random, checksPolicy: boolean): ComparedStep[] {
  const call = (name: string, value: Record<string, string>): ComparedStep => ({
    kind: 'call',
    name,
    value,
    seen: true,
  });
  const one = (...of: string[]): string => of[random(of.length)] as string;
  const find = () =>
    call('find_order', { query: `${one('kettle', 'blue kettle', 'the kettle')} ${one('order', 'from May', 'Ann')}` });
  const value = `${one('Thanks', 'Sorry', 'Hello')}: your ${one('kettle', 'order')} ${one('can be', 'will be')} refunded ${one('today', 'this week')}.`;
  return [
    find(),
    ...(random(3) === 0 ? [find()] : []),
    ...(checksPolicy ? [call('check_policy', { topic: one('refund', 'refunds') })] : []),
    call('refund', { order: 'A-17' }),
    { kind: 'final', value, seen: true },
  ];
}

function tableFrom(seed: string, replaysCheck: boolean): RunTable {
  const random = randomFrom(seed);
  const runs = (count: number, checks: boolean) =>
    Array.from({ length: count }, () => shiftRun(supportRun(random, checks)));
  return tableOf(runs(10, true), runs(5, replaysCheck));
}

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600 }
  .quiet { fill: #59636e }
  .bar { fill: #afb8c1 }
  .mark, .replay { fill: #bc4c00 }
  .recording { fill: none; stroke: #0969da; stroke-width: 2 }
  .line { stroke: #d1d9e0 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .quiet { fill: #9198a1 }
    .bar { fill: #656c76 }
    .mark, .replay { fill: #f0883e }
    .recording { stroke: #4493f8 }
    .line { stroke: #3d444d }
  }`;

function svg(width: number, height: number, title: string, body: readonly string[]): string {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${title}">`;
  return `${[head, `<style>${STYLE}\n</style>`, ...body, '</svg>'].join('\n')}\n`;
}

const BARS = 30;

/** The distance between the groups' calls under every way to divide the runs, and the observed distance. */
function relabelingsPanel(table: RunTable, left: number, title: string): string[] {
  const ways = relabelingsOf(table, 60_000);
  const [distances] = channelStatistics(table, ways);
  if (distances === undefined) throw new Error('calls are a channel');
  const [least, most] = [Math.min(...distances), Math.max(...distances)];
  const barOf = (value: number) => Math.min(BARS - 1, Math.floor(((value - least) / (most - least)) * BARS));
  const counts = new Array<number>(BARS).fill(0);
  for (const value of distances) counts[barOf(value)] = (counts[barOf(value)] as number) + 1;
  const tallest = Math.max(...counts);
  const observed = barOf(distances[0] as number);
  const beyond = distances.filter((value) => value >= (distances[0] as number)).length;
  const bars = counts.map((count, bar) => {
    const height = count === 0 ? 0 : Math.max(1, Math.round((110 * count) / tallest));
    return `<rect class="bar" x="${left + bar * 11}" y="${160 - height}" width="10" height="${height}"/>`;
  });
  const x = left + observed * 11 + 5;
  const isRight = observed >= (2 * BARS) / 3;
  return [
    `<text x="${left}" y="20" class="title">${title}</text>`,
    ...bars,
    `<line class="line" x1="${left}" y1="160.5" x2="${left + BARS * 11}" y2="160.5"/>`,
    `<path class="mark" d="M${x} 164l-6 10h12z"/>`,
    `<text x="${x + (isRight ? 6 : -6)}" y="192" text-anchor="${isRight ? 'end' : 'start'}">as they came: ${told(beyond)} of ${told(distances.length)} ways</text>`,
    `<text x="${x + (isRight ? 6 : -6)}" y="210" text-anchor="${isRight ? 'end' : 'start'}">are at least as far apart</text>`,
  ];
}

function told(count: number): string {
  return count.toLocaleString('en');
}

export function relabelingsPicture(): string {
  return svg(760, 240, 'The distance between two groups of runs under every way to divide them', [
    ...relabelingsPanel(tableFrom('before', true), 20, 'Nothing changed'),
    ...relabelingsPanel(tableFrom('before', false), 400, 'check_policy is no longer called'),
    `<text class="quiet" x="20" y="232">left: the groups are alike, right: they are far apart; higher: more of the ways</text>`,
  ]);
}

const LEFT = 150;
const RIGHT = 720;
const RADIUS = 5;

export function dotsPicture(): string {
  const table = tableFrom('before', false);
  const test = turnTest(table);
  if (test === null) throw new Error('there are runs of both sides');
  const { rows, sentences } = separation(table, test.speaks);
  const views = Map.groupBy(viewsOf(table, relabelingsOf(table, MAX_RELABELINGS)), ({ channel }) => channel);
  const pOf = (channel: DotRow['channel']) =>
    combinedP((views.get(channel) ?? []).map(({ statistics }) => rarities(statistics)));
  const body = rows.flatMap((row, index) => {
    const y = 80 + index * 56;
    const [recordings, replays] = [row.recordings, row.replays].map((places) => spread(places, placed(row))) as [
      number[],
      number[],
    ];
    const dots = (xs: readonly number[], kind: string, cy: number) =>
      xs.map((x) => `<circle class="${kind}" cx="${x.toFixed(1)}" cy="${cy}" r="${RADIUS}"/>`);
    return [
      `<text x="20" y="${y + 4}" class="title">${row.channel}</text>`,
      `<text class="quiet" x="20" y="${y + 21}">p = ${Number(pOf(row.channel).toPrecision(2))}</text>`,
      `<line class="line" x1="${LEFT}" y1="${y + 0.5}" x2="${RIGHT}" y2="${y + 0.5}"/>`,
      ...dots(recordings, 'recording', y - 10),
      ...dots(replays, 'replay', y + 11),
    ];
  });
  return svg(760, 380, 'Recordings and replays of a turn, by how far each is like the replays', [
    `<text x="20" y="22" class="title">p = ${Number(test.p.toPrecision(2))}: ${sentences[0]}</text>`,
    `<circle class="recording" cx="${LEFT + RADIUS}" cy="38" r="${RADIUS}"/><text x="${LEFT + 18}" y="42">10 recordings</text>`,
    `<circle class="replay" cx="${LEFT + 130}" cy="38" r="${RADIUS}"/><text x="${LEFT + 143}" y="42">5 replays</text>`,
    ...body,
    `<text class="quiet" x="${LEFT}" y="366">like the recordings</text>`,
    `<text class="quiet" x="${RIGHT}" y="366" text-anchor="end">like the replays</text>`,
  ]);
}

/** Turns the place of a run into that of its dot; the outermost runs are at the ends of the row. */
function placed({ recordings, replays }: DotRow): (place: number) => number {
  const all = [...recordings, ...replays];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  return (place) =>
    LEFT + RADIUS + (RIGHT - LEFT - 2 * RADIUS) * (most === least ? 0 : (place - least) / (most - least));
}

/** Puts dots that would hide each other side by side, towards the middle. */
function spread(places: readonly number[], at: (place: number) => number): number[] {
  const taken: number[] = [];
  for (const place of places.map(at)) {
    const step = place > (LEFT + RIGHT) / 2 ? -1 : 1;
    let x = place;
    while (taken.some((other) => Math.abs(other - x) < 2 * RADIUS + 2)) x += step;
    taken.push(x);
  }
  return taken;
}

export const PICTURES: Readonly<Record<string, () => string>> = {
  'gate-relabelings.svg': relabelingsPicture,
  'gate-dots.svg': dotsPicture,
};

if (import.meta.main) {
  for (const [name, draw] of Object.entries(PICTURES)) writeFileSync(path.join(IMAGES, name), draw());
}
