/**
 * `node bench/public.ts FOLDER [SET] [--list]`: runs that others published, pinned whole by the command, and compared with
 * themselves and with each other. FOLDER holds a checkout for each of `SETS`; nothing of theirs is kept here.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CompareRules, compareRules, RecordedTurn, type TurnComparison } from '../src/compare/index.ts';
import { divergenceWords } from '../src/report/index.ts';
import { loadPins, type Pin } from '../src/session/index.ts';
import { idOf, type PublicRun, SETS, traceOf } from './public-runs.ts';

const [folder = '.', only] = process.argv.slice(2).filter((each) => !each.startsWith('--'));
const isListed = process.argv.includes('--list');
const command = path.join(import.meta.dirname, '..', 'bin', 'agent-replay.js');

for (const [set, runsOf] of Object.entries(SETS)) {
  const checkout = path.join(folder, set);
  if (!existsSync(checkout) || (only && only !== set)) continue;
  const runs = runsOf(checkout);
  const root = mkdtempSync(path.join(tmpdir(), 'agent-replay-public-'));
  try {
    const pins = await pinned(set, runs, root);
    report(set, runs, pins);
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function pinned(set: string, runs: readonly PublicRun[], root: string): Promise<Map<string, Pin>> {
  const traces = path.join(root, 'traces.json');
  writeFileSync(traces, JSON.stringify({ version: 1, traces: runs.map((run) => traceOf(set, run)) }));
  writeFileSync(path.join(root, 'agent-replay.config.json'), '{}');
  mkdirSync(path.join(root, 'replays'));
  execFileSync('node', [command, 'pin', '--from', traces], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const { pins } = await loadPins('replays/**/*.json', { root });
  return new Map(pins.map((pin) => [pin.session.id, pin]));
}

function report(set: string, runs: readonly PublicRun[], pins: ReadonlyMap<string, Pin>): void {
  const unlike = runs.flatMap((run) => {
    const comparison = compared(pins.get(idOf(set, run)), pins.get(idOf(set, run)));
    return comparison?.verdict === 'as-recorded' ? [] : [`${idOf(set, run)}: ${comparison?.verdict ?? 'not pinned'}`];
  });
  console.log(`${set}: ${runs.length} runs, ${pins.size} pinned, ${unlike.length} not as recorded with themselves`);
  for (const each of unlike.slice(0, 10)) console.log(`  ${each}`);
  const counts = new Map<string, number>();
  for (const own of Map.groupBy(runs, ({ task }) => task).values()) {
    for (const [one, other] of own.flatMap((run, index) => own.slice(index + 1).map((next) => [run, next] as const))) {
      const comparison = compared(pins.get(idOf(set, one)), pins.get(idOf(set, other)));
      if (!comparison) continue;
      const { aspects, verdict, divergence } = comparison;
      const state = one.state === other.state ? 'the same' : 'another';
      const told = `${state} state afterwards: ${verdict}, did ${aspects.did.outcome}, said ${aspects.said.outcome}`;
      counts.set(told, (counts.get(told) ?? 0) + 1);
      if (isListed)
        console.log([idOf(set, one), other.run, told, divergence && divergenceWords(comparison)].join(' | '));
    }
  }
  for (const [told, count] of [...counts].sort()) console.log(`  ${count}: ${told}`);
}

function compared(recorded: Pin | undefined, replayed: Pin | undefined): TurnComparison | undefined {
  const [turn, replay] = [recorded?.session.turns[0], replayed?.session.turns[0]];
  if (!turn || !replay) return undefined;
  const rules: CompareRules = compareRules.parse({});
  const comparison = new RecordedTurn({ request: turn.request, recorded: turn.recorded, baselines: [] }, rules).start(
    1,
    { relation: rules.relation },
  );
  comparison.add(1, replay.recorded);
  return comparison.result();
}
