import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command } from '../cli/command.ts';
import { projectWith } from '../cli/project.ts';
import { mutated } from './mutate.ts';
import { type Parser, parsers } from './parsers.ts';

/** `npm run test:soak` gives each parser its share of ten minutes; in the suite each gets a few hundred inputs. */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 0);
const RUNS = 150;
/** Of processor time, for an input of a few KB. What backtracks takes minutes. */
const MOST_CPU_MS = 10_000;

const NAMES = [
  'pins',
  'configurations',
  'traces, through to their comparison',
  'messages',
  'exports in OTLP/JSON',
  'exports in protobuf',
  'ingestion batches',
  'replay requests',
  'reports',
  'histories',
  'journals',
  'events of GitHub',
];

let all: Parser[] = [];

beforeAll(async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: ['b', 'c'] } });
  await command(['run', '--history', 'history.ndjson'], { cwd: project.path });
  const file = (name: string) => readFile(path.join(project.path, name));
  all = await parsers(
    await file('.agent-replay/report.json'),
    await file('.agent-replay/journal.ndjson'),
    await file('history.ndjson'),
  );
});
afterAll(() => Promise.all(all.map((parser) => parser[Symbol.asyncDispose]())));

test('every parser is fuzzed', () => {
  expect(all.map(({ name }) => name)).toEqual(NAMES);
  for (const { name, seeds } of all) expect(seeds.length, name).toBeGreaterThan(0);
});

test.for(NAMES)(
  'whatever comes, %s are read or refused with a code, in time, and pollute nothing',
  { timeout: SECONDS * 1_000 + 180_000 },
  async (name) => {
    const parser = all.find((one) => one.name === name) as Parser;
    for (const seed of parser.seeds) await parser.parse(seed);
    await fc.assert(
      fc.asyncProperty(mutated(parser.seeds), async (input) => {
        const start = process.cpuUsage();
        await parser.parse(input);
        const { user, system } = process.cpuUsage(start);
        expect((user + system) / 1_000).toBeLessThan(MOST_CPU_MS);
        expect(Object.keys(Object.prototype)).toEqual([]);
        expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      }),
      SECONDS > 0
        ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: (SECONDS * 1_000) / NAMES.length }
        : { numRuns: RUNS },
    );
  },
);
