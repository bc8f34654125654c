import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command } from '../cli/command.ts';
import { projectWith } from '../cli/project.ts';
import fc from '../fast-check.ts';
import { mutated } from './mutate.ts';
import { type Parser, parsers } from './parsers.ts';

/** `npm run test:soak` gives each parser its share of ten minutes; in the suite each gets a few hundred inputs. */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 0);
const RUNS = 60;
/** A changed input takes no more than this times the processor time that all the real ones take: they are of one size. */
const AS_LONG = 100;
/** The clock of the processor ticks every 4 ms on some machines. */
const TICK_MS = 4;
/** What takes too long is tried again: what else the machine does only adds. */
const TRIES = 5;

const NAMES = [
  'pins',
  'configurations',
  'traces, through to their comparison',
  'rows of the platform',
  'messages',
  'exports in OTLP/JSON',
  'exports in protobuf',
  'log records',
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

test.for(NAMES)('whatever comes, %s are read or refused with a code, in time, and pollute nothing', async (name) => {
  const parser = all.find((one) => one.name === name) as Parser;
  const real = await cpuMs(async () => {
    for (const seed of parser.seeds) await parser.parse(seed);
  });
  const most = AS_LONG * Math.max(TICK_MS, real);
  await fc.assert(
    fc.asyncProperty(mutated(parser.seeds), async (input) => {
      let least = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < TRIES && !(least < most); tries++) {
        least = Math.min(least, await cpuMs(() => parser.parse(input)));
      }
      expect(least).toBeLessThan(most);
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    }),
    SECONDS > 0
      ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: (SECONDS * 1_000) / NAMES.length }
      : { numRuns: RUNS },
  );
});

async function cpuMs(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
