/**
 * Draws the picture of docs/gate.md from tests of a simulated support agent: `node scripts/gate-pictures.ts`. A seed
 * decides the agent's runs, so that the pictures are the same every time.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ReadStep } from '../src/compare/index.ts';
import { channelStatistics, relabelingsOf } from '../src/shift/channels.ts';
import { shiftRun } from '../src/shift/index.ts';
import { type Random, randomFrom } from '../src/shift/random.ts';
import { type RunTable, tableOf } from '../src/shift/table.ts';

const IMAGES = path.join(import.meta.dirname, '..', 'docs', 'images');

/** One run of an agent that answers a customer who wants a refund. Runs may differ. */
function supportRun(random: Random, checksPolicy: boolean): ReadStep[] {
  const call = (name: string, value: Record<string, string>): ReadStep => ({
    kind: 'call',
    name,
    value,
    isCompared: true,
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
    { kind: 'final', value, isCompared: true },
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
  .mark { fill: #bc4c00 }
  .line { stroke: #d1d9e0 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .quiet { fill: #9198a1 }
    .bar { fill: #656c76 }
    .mark { fill: #f0883e }
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

export const PICTURES: Readonly<Record<string, () => string>> = {
  'gate-relabelings.svg': relabelingsPicture,
};

if (import.meta.main) {
  for (const [name, draw] of Object.entries(PICTURES)) writeFileSync(path.join(IMAGES, name), draw());
}
