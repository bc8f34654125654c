import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../config/folder.ts';
import { command } from './command.ts';
import { pinOf } from './project.ts';

// What a run does beside its calls, in counts, because a count is the same on a busy machine and a time is not. A test
// that fails names what came in anew. Whoever makes a count smaller lowers its limit.

interface Counted {
  readonly kind: 'loaded' | 'schemas' | 'process' | 'thread' | 'message' | 'created' | 'renamed' | 'removed';
  readonly name: string;
  readonly size?: number;
}

const COUNTING = new URL('./fixtures/counting.js', import.meta.url).href;

const AS_RECORDED = 'answer to a';

/** Counts a run of one session without traces, with the reporters that a CI job needs. */
async function countsOf(runs: number, answer = AS_RECORDED): Promise<Counted[]> {
  await using agent = await startAgent(answer);
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({ agent: { url: agent.url }, tracing: 'none', runs, workers: 1 }),
    'replays/one.session.json': JSON.stringify(pinOf('one', ['a'])),
  });
  const counts = path.join(folder.path, 'counts.ndjson');
  const { code, stderr } = await command(['run', '--reporter', 'json,table'], {
    cwd: folder.path,
    env: { COUNTS: counts, NODE_OPTIONS: `--import=${COUNTING}` },
  });
  // 2: nobody has judged the other words.
  expect([code, stderr]).toEqual([answer === AS_RECORDED ? 0 : 2, expect.anything()]);
  const lines = (await readFile(counts, 'utf8')).trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

async function startAgent(answer: string) {
  const server = createServer((request, response) => {
    const pieces: string[] = [];
    request.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece));
    request.on('end', () => {
      const { svc_replay_run_id } = JSON.parse(pieces.join('') || '{}');
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ svc_replay_run_id, output: answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/replay`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Names of one kind, in order. */
function namesOf(counts: readonly Counted[], kind: Counted['kind']): string[] {
  return counts.filter((each) => each.kind === kind).map(({ name }) => name);
}

/** What is above its limit, or has none because it is new. */
function above(sizes: ReadonlyMap<string, number>, limits: Readonly<Record<string, number>>): string[] {
  return [...sizes].filter(([name, size]) => size > (limits[name] ?? 0)).map(([name, size]) => `${name}: ${size}`);
}

/**
 * Files of `lib/` in bytes: the core, what an agent's endpoint shares with it, the HTTP
 * client. Traces, patterns, pins, merging, explanations and all outputs but the two that were asked for stay on the disk
 * (`scripts/wings.ts`).
 */
const FILES = {
  'command.js': 4_700,
  'start.js': 1_000,
  'commander.js': 110_000,
  'core.js': 788_000,
  'endpoint-core.js': 286_000,
  'undici.js': 476_000,
  'plugin-core.js': 7_500,
  'rolldown-runtime.js': 2_000,
  'http.js': 1_000,
};

/**
 * Initialisers that zod runs for the schemas of a module: a schema takes about four. The configuration and the pins are
 * read by theirs, and the report is written by its own, which is the largest (`compare`, `shift`, `report`).
 */
const INITIALISERS = {
  agent: 530,
  compare: 1_920,
  config: 1_080,
  contract: 350,
  job: 205,
  json: 20,
  'pattern.ts': 40,
  replay: 465,
  report: 1_792,
  session: 405,
  shift: 575,
  tools: 100,
  trace: 595,
};

/** What a run of one call starts and writes. */
const STARTED = {
  // The commit, if the environment does not name it.
  process: ['git'],
  thread: [],
  created: [
    // The lock is complete before it has its name.
    '.agent-replay-*.tmp',
    '.run.lock',
    'journal.ndjson',
    // The recording, what the replay did, and the report, each under another name until it is whole.
    '.agent-replay-*.tmp',
    '.agent-replay-*.tmp',
    '.agent-replay-*.tmp',
  ],
  renamed: ['one.1.recorded.json', 'one.1.0.json', 'report.json'],
  removed: [
    '.agent-replay-*.tmp',
    '.agent-replay-*.tmp',
    // What an earlier run may have left.
    'report.json',
    'junit.xml',
    'report.html',
    'report.md',
    'journal.ndjson',
    '.agent-replay-*.tmp',
    '.agent-replay-*.tmp',
    '.agent-replay-*.tmp',
    '.run.lock',
    '.run.lock',
  ],
};

/** What each further replay adds: it is read, noted down and compared where it is. */
const PER_REPLAY = { loaded: 0, process: 0, thread: 0, message: 0, created: 0, renamed: 0, removed: 0 };

const one = countsOf(1);

test('a run of one call loads none of the parts that it does not open', async () => {
  const loaded = (await one).filter(({ kind }) => kind === 'loaded');
  const sizes = new Map(loaded.map(({ name, size = 0 }) => [name, size]));
  expect([...sizes.keys()].sort()).toEqual(Object.keys(FILES).sort());
  expect(above(sizes, FILES)).toEqual([]);
});

test('no schemas are made before the first call but those of settings, pins and the report', async () => {
  const sizes = new Map<string, number>();
  for (const { kind, name, size = 0 } of await one) {
    const [, module = name] = name.split('/');
    if (kind === 'schemas') sizes.set(module, (sizes.get(module) ?? 0) + size);
  }
  expect([...sizes.keys()].sort()).toEqual(Object.keys(INITIALISERS).sort());
  expect(above(sizes, INITIALISERS)).toEqual([]);
});

test('a run of one call starts and writes no more than it must', async () => {
  const counts = await one;
  const found = Object.keys(STARTED).map((kind) => [kind, namesOf(counts, kind as Counted['kind'])]);
  expect(Object.fromEntries(found)).toEqual(STARTED);
});

test('a further replay loads, starts and writes nothing, and sends nothing to another thread', async () => {
  const [few, many] = [await one, await countsOf(4)];
  const added = (kind: Counted['kind']) => (namesOf(many, kind).length - namesOf(few, kind).length) / 3;
  const found = Object.keys(PER_REPLAY).map((kind) => [kind, added(kind as Counted['kind'])]);
  expect(Object.fromEntries(found)).toEqual(PER_REPLAY);
});

test('a run whose answers are larger than 256 KB starts one thread for all of them', async () => {
  const counts = await countsOf(3, 'another answer. '.repeat(20_000));
  expect(namesOf(counts, 'thread')).toEqual(['ledger-thread.js']);
});
