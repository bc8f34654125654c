// Measures whole commands side by side on the same calls: `node peers.ts`. `--shape N` measures one row alone,
// `--rounds N` changes the number of rounds. Needs `npm ci` here and in the root.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { agentFor } from '../agent-for.ts';
import { many, medianOf, ratiosOf, record, results } from '../results.ts';
import { measured, OWN_MODULES, type Shape, type Tool, toolsFor } from './tools.ts';

const SHAPES: readonly Shape[] = [
  { sessions: 1, runs: 1, latencyMs: 0, workers: 1 },
  { sessions: 20, runs: 5, latencyMs: 200, workers: 16 },
  { sessions: 100, runs: 10, latencyMs: 20, workers: 16 },
  { sessions: 100, runs: 10, latencyMs: 0, workers: 16 },
  { sessions: 500, runs: 20, latencyMs: 20, workers: 16 },
];

const { values } = parseArgs({ options: { rounds: { type: 'string' }, shape: { type: 'string' } } });
const rounds = Number(values.rounds ?? many(3));
const asked = SHAPES.slice(0, many(SHAPES.length, 2));
const shapes = values.shape === undefined ? asked : SHAPES.slice(Number(values.shape), Number(values.shape) + 1);

interface Row {
  readonly shape: Shape;
  /** Wall times in milliseconds, by tool, one per round. */
  readonly times: Record<string, number[]>;
}

const rows: Row[] = [];
for (const shape of shapes) {
  await using agent = await agentFor(shape);
  const tools = await toolsFor(shape, agent.url);
  const times: Record<string, number[]> = Object.fromEntries(tools.map(({ name }) => [name, []]));
  // Each round runs all of them in turn, so that a busy machine treats all alike. The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    for (const tool of tools) {
      const ms = await timeOf(tool);
      if (round > 0) times[tool.name]?.push(ms);
    }
  }
  rows.push({ shape, times });
}

const versions = {
  vitest: versionOf('vitest', OWN_MODULES),
  ...Object.fromEntries(['promptfoo', 'vitest-evals'].map((name) => [name, versionOf(name)])),
};
// A row that was measured alone joins the rows that were measured before.
const before = (results().commands?.figures as { rows: Row[] } | undefined)?.rows ?? [];
const isNew = (row: Row) => rows.some(({ shape }) => JSON.stringify(shape) === JSON.stringify(row.shape));
record('commands', { versions, rows: [...before.filter((row) => !isNew(row)), ...rows] });
console.log(table(rows));
console.log(`\nMedians of ${rounds} rounds, with their range. ${versionsLine()}`);

/** Wall time in milliseconds. Throws if the tool fails, because it has not made all calls then. */
async function timeOf(tool: Tool): Promise<number> {
  const { ms, code, output } = await measured(tool);
  if (code !== 0) throw new Error(`${tool.name} ended with ${code}:\n${output}`);
  return ms;
}

function table(all: readonly Row[]): string {
  const names = Object.keys(all[0]?.times ?? {}).filter((name) => name !== 'bare loop');
  const lines = all.map(({ shape: { sessions, runs, latencyMs, workers }, times }) => {
    const least = times['bare loop'] ?? [];
    const cells = names.map((name) => {
      const ratios = ratiosOf(times[name] ?? [], least);
      const [median, from, to] = [medianOf(ratios), Math.min(...ratios), Math.max(...ratios)];
      return `${median.toFixed(2)} (${from.toFixed(2)} to ${to.toFixed(2)})`;
    });
    const limit = medianOf(least).toFixed(0);
    return `| ${sessions} x ${runs}, ${latencyMs} ms, ${workers} at once | ${limit} ms | ${cells.join(' | ')} |`;
  });
  return [`| calls | bare loop | ${names.join(' | ')} |`, `|---|---|${'---|'.repeat(names.length)}`, ...lines].join(
    '\n',
  );
}

function versionOf(name: string, modules = path.join(import.meta.dirname, 'node_modules')): string {
  return JSON.parse(readFileSync(path.join(modules, name, 'package.json'), 'utf8')).version;
}

function versionsLine(): string {
  return Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
}
