/**
 * Measures the comparison of runs beside usual ways to compare two JSON values. `node compare.ts` prints a Markdown
 * table.
 */
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { create } from 'jsondiffpatch';
import { markdownTable } from 'markdown-table';
import microdiffModule from 'microdiff';
import { compareRules } from '../src/compare/index.ts';
import { compareTurn } from '../src/compare/turn.ts';
import { canonical } from '../src/json/index.ts';
import type { Observation, Recording } from '../src/trace/index.ts';
import { observationsOf, outputOf } from '../test/tau/conversation.ts';
import { readTrials } from '../test/tau/trials.ts';
import { many, record } from './results.ts';

const ROUNDS = many(7);
const rules = compareRules.parse({});
// microdiff's types describe only its CommonJS build.
const microdiff = microdiffModule as unknown as (a: object, b: object) => unknown[];
const patch = create();

/** A run of an agent that calls a tool `steps` times. Arguments and result have about 150 bytes each. */
function recorded(steps: number, changedStep = -1): Recording {
  const start = Date.parse('2026-01-01T00:00:00Z');
  const at = (tick: number) => new Date(start + tick * 10).toISOString();
  const observations = Array.from({ length: steps }, (_, i): Observation[] => {
    const args = { query: i === changedStep ? 'something else' : `${'word '.repeat(20)}${i}`, page: i };
    const name = `tool_${i % 7}`;
    const call = { id: `call_${i}`, type: 'function', function: { name, arguments: JSON.stringify(args) } };
    return [
      {
        id: `g${i}`,
        parentId: null,
        type: 'generation',
        name: 'chat',
        startTime: at(2 * i),
        endTime: at(2 * i + 1),
        input: [{ role: 'user', content: 'hello' }],
        output: { role: 'assistant', content: null, tool_calls: [call] },
      },
      {
        id: `t${i}`,
        parentId: null,
        type: 'tool',
        name,
        startTime: at(2 * i + 1),
        endTime: at(2 * i + 2),
        callId: `call_${i}`,
        input: args,
        output: { ok: true, rows: [i, i + 1], text: 'answer '.repeat(15) },
      },
    ];
  }).flat();
  return { observations, output: 'It is done.' };
}

function answer(text: string): Recording {
  return { output: text, observations: [] };
}

/** All four runs of a task of tau-bench. No two are alike. */
function realRuns(task: number): Recording[] {
  return readTrials()
    .filter((trial) => trial.task === task)
    .map((trial) => ({ observations: observationsOf(trial), output: outputOf(trial) }));
}

interface Case {
  readonly name: string;
  readonly original: Recording;
  readonly replays: readonly Recording[];
}

const runs = (count: number, make: (run: number) => Recording) => Array.from({ length: count }, (_, run) => make(run));
const long = 'word '.repeat(1_000_000);
const unlike = (letter: string) => Array.from({ length: 3_000 }, (_, i) => `${letter}${i % 97}${letter}`).join(' ');

const [real, ...others] = realRuns(2) as [Recording, ...Recording[]];

const cases: Case[] = [
  { name: 'four runs of a real agent, all different', original: real, replays: others },
  ...[10, 100, 1_000].flatMap((steps): Case[] => [
    { name: `${steps} calls x 20, alike`, original: recorded(steps), replays: runs(20, () => recorded(steps)) },
    {
      name: `${steps} calls x 20, last call differs`,
      original: recorded(steps),
      replays: runs(20, () => recorded(steps, steps - 1)),
    },
  ]),
  { name: '10 calls x 10,000, alike', original: recorded(10), replays: runs(10_000, () => recorded(10)) },
  { name: '5 MB answer, one letter at the end', original: answer(long), replays: [answer(`${long}x`)] },
  { name: '20 KB answers, nothing in common', original: answer(unlike('a')), replays: [answer(unlike('b'))] },
];

/** The system counts CPU time in ticks of some milliseconds, so shorter work is repeated. */
const SAMPLE_MS = 40;

/**
 * The least CPU time of a few rounds, in milliseconds. It counts this thread alone, so other work of the machine is not
 * in it.
 */
function least(work: () => unknown, rounds = ROUNDS): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const before = process.threadCpuUsage();
    let taken = 0;
    let times = 0;
    while (taken < SAMPLE_MS) {
      work();
      times++;
      const { user, system } = process.threadCpuUsage(before);
      taken = (user + system) / 1_000;
    }
    best = Math.min(best, taken / times);
  }
  return best;
}

const times: Record<string, { readonly ms: number; readonly replays: number }> = {};
const rows = cases.map(({ name, original, replays }) => {
  const numbered = replays.map((recording, index) => ({ run: index + 1, recording }));
  const ours = least(() => compareTurn([original], numbered, rules), replays.length > 1_000 ? 2 : ROUNDS);
  const each = (work: (replay: Recording) => unknown, rounds = 3) =>
    (least(() => replays.forEach((replay) => void work(replay)), replays.length > 1_000 ? 1 : rounds) / ours).toFixed(
      2,
    );
  times[name] = { ms: ours, replays: replays.length };
  const text = JSON.stringify(original);
  return [
    name,
    `${ours.toFixed(1)} ms`,
    each((replay) => hash('sha256', canonical(replay as never))),
    each((replay) => text === JSON.stringify(replay)),
    each((replay) => isDeepStrictEqual(original, replay)),
    each((replay) => microdiff(original, replay)),
    each((replay) => patch.diff(original, replay), 1),
  ];
});

record('compare', times);
console.log(`The peers' columns are their time over ours: above 1 they take longer.\n`);
console.log(
  markdownTable([
    [
      'case',
      'agent-replay',
      'one canonical hash a run',
      'JSON.stringify ===',
      'isDeepStrictEqual',
      'microdiff',
      'jsondiffpatch',
    ],
    ...rows,
  ]),
);
