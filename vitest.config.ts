import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './test/patience.ts';

/** Tests that leave nothing behind in their process: they share it, which spares half of their time. */
const SHARED = [
  'action',
  'chat',
  'cli',
  'compare',
  'config',
  'contract',
  'faults',
  'init',
  'job',
  'json',
  'replay',
  'report',
  'session',
  'shift',
  'tau',
  'trace',
  'verdicts',
];
/** Rooms of which only the fast tests do. */
const SHARED_WHERE_FAST = [
  'agent',
  'bounded',
  'doctor',
  'examples',
  'fork',
  'frameworks',
  'http',
  'mutants',
  'offline',
  'plugin',
  'python',
  'redaction',
  'tools',
  'tracing',
  'ui',
];
/** These register an SDK for their whole process, or set its environment. */
const ALONE = ['test/tracing/{langsmith,receiver-media}.test.ts', 'test/tools/replay-tools.test.ts'];
const SLOW = '**/*.slow.test.ts';
const SOAK = '**/*.soak.test.ts';

// Hundreds of processes load the same modules: the workers of Vitest, and what they start.
process.env.NODE_COMPILE_CACHE ??= path.join(tmpdir(), 'agent-replay-test-cache');

/** Whether a suite is asked for by its name. Only then it takes files of others, so that a file that is named runs once. */
function isAsked(suite: string): boolean {
  return process.argv.some((argument) => argument.startsWith(`--project=${suite}`));
}

interface Suite {
  /** Ends of the names of its files. */
  readonly files: string;
  /** Others that share their process. */
  readonly besides?: readonly string[];
  readonly exclude?: readonly string[];
  /** Cases of each property of the comparison. */
  readonly cases: string;
  /** Rooms that share their process in this suite. */
  readonly rooms?: readonly string[];
  /** Files in them that do not. */
  readonly alone?: readonly string[];
  /** Of hundreds of cases every so-manieth is tried (`test/sample.ts`). */
  readonly every?: string;
}

/** A suite is two projects: tests that share their process, and those that each have their own. */
function projectsOf(
  name: string,
  { files, besides = [], exclude = [], cases, rooms = SHARED, alone = [], every = '1' }: Suite,
) {
  const env = {
    FC_RUNS: process.env.FC_RUNS ?? cases,
    FC_SEED: process.env.FC_SEED ?? '1',
    EVERY: process.env.EVERY ?? every,
  };
  const shared = [`test/{${rooms}}/**/${files}`, ...besides];
  const isolated = [`test/${files}`, `test/!(${rooms.join('|')})/**/${files}`, ...alone];
  return [
    { extends: true as const, test: { name, isolate: false, include: shared, exclude: [...exclude, ...alone], env } },
    {
      extends: true as const,
      test: { name: `${name}-isolated`, include: isolated, exclude: [...exclude, ...besides], env },
    },
  ];
}

/** `vitest run --project=fast*`; without a project, a named file runs in the suite that it belongs to. */
export default defineConfig({
  test: {
    reporters: ['default', './test/counting-reporter.ts'],
    // Most of a test's time is waiting: for processes of its own, and for traces that come late.
    maxWorkers: Math.ceil(2.5 * availableParallelism()),
    // No promise is kept by a clock: these only end what hangs, on a machine that does much else besides.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    projects: [
      // What is tried at every change.
      ...projectsOf('fast', {
        files: '*.test.ts',
        besides: ['test/*.test.ts'],
        exclude: [SLOW, SOAK],
        rooms: [...SHARED, ...SHARED_WHERE_FAST],
        alone: ALONE,
        cases: '25',
        every: '10',
      }),
      // What takes longer than a few seconds, and what the fast suite tries samples of, in all its cases.
      ...projectsOf('slow', {
        files: '*.slow.test.ts',
        besides: isAsked('slow')
          ? ['test/{cli/help,compare/{generated,properties,rules},job/shift,verdicts/verdicts}.test.ts']
          : [],
        cases: '100',
      }),
      // What takes as long as it takes: kills, long fuzzing, many builds, installs of foreign frameworks. One at a time.
      {
        extends: true,
        test: {
          name: 'soak',
          include: [
            `test/${SOAK}`,
            ...(isAsked('soak')
              ? [
                  'test/action/{comment,group}.slow.test.ts',
                  'test/compare/{planted,properties,rules,self-test}.test.ts',
                  'test/faults/{kills.slow,fuzz}.test.ts',
                  'test/job/merge.test.ts',
                  'test/report/markdown.test.ts',
                  'test/plugin/*.slow.test.ts',
                  'test/frameworks/captured-walks.slow.test.ts',
                  'test/shift/{base,planted,unchanged}.slow.test.ts',
                  'test/tracing/{arrivals,platform-waiting}.test.ts',
                ]
              : []),
          ],
          // Fewer can be asked for: `FUZZ_SECONDS=60 npm run test:soak -- test/faults/runs`.
          env: {
            KILLS: process.env.KILLS ?? '200',
            FUZZ_SECONDS: process.env.FUZZ_SECONDS ?? '600',
            SECOND_START: '1',
            SUITES: process.env.SUITES ?? '200',
            ORDERS: process.env.ORDERS ?? '400',
            CAPTURES: 'all',
            FC_RUNS: process.env.FC_RUNS ?? '2000',
          },
          testTimeout: 3 * 3_600_000,
          hookTimeout: 3_600_000,
        },
      },
    ],
  },
});
