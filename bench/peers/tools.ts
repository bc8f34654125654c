// The same calls as a user of each tool would write them: one case per session, N runs each, equally many in flight,
// and the answer compared with the expected one.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Shape {
  readonly sessions: number;
  readonly runs: number;
  readonly latencyMs: number;
  readonly workers: number;
}

/** A tool, ready to run in its folder. */
export interface Tool {
  readonly name: string;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

const HERE = import.meta.dirname;
const MODULES = path.join(HERE, 'node_modules');
/** Vitest itself is measured in our version. vitest-evals supports none above 4, so it has its own. */
export const OWN_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const BIN = fileURLToPath(new URL('../../bin/agent-replay.js', import.meta.url));
/** What the agent of these benchmarks answers. */
const ANSWER = 'x'.repeat(20);

/** Sets all tools up for these calls, each in a folder of its own. */
export async function toolsFor(shape: Shape, url: string): Promise<Tool[]> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'peers-'));
  const folder = async (name: string, files: Readonly<Record<string, string>>, modules = MODULES) => {
    const cwd = path.join(root, name);
    await mkdir(cwd);
    await symlink(modules, path.join(cwd, 'node_modules'));
    for (const [file, text] of Object.entries(files)) await writeFile(path.join(cwd, file), text);
    return cwd;
  };
  const { sessions, runs, workers } = shape;
  const node = process.execPath;
  const bin = (file: string) => [node, path.join(MODULES, file)];
  const numbers = Array.from({ length: sessions }, (_, index) => index);
  return [
    {
      name: 'bare loop',
      command: [node, path.join(HERE, 'limit.js'), url, `${sessions}`, `${runs}`, `${workers}`],
      cwd: HERE,
    },
    {
      name: 'agent-replay',
      command: [node, BIN, 'run', '--reporter', 'json,table'],
      cwd: await folder('agent-replay', {
        'agent-replay.config.json': JSON.stringify({
          agent: { url },
          sessions: '*.session.json',
          tracing: 'none',
          runs,
          workers,
        }),
        ...Object.fromEntries(numbers.map((session) => [`${session}.session.json`, pin(session)])),
      }),
    },
    {
      name: 'Vitest, fetch and toEqual',
      command: [node, path.join(OWN_MODULES, 'vitest/vitest.mjs'), 'run', '--maxConcurrency', `${workers}`],
      cwd: await folder('vitest', { 'replay.test.js': plainTests(shape, url) }, OWN_MODULES),
    },
    {
      name: 'vitest-evals',
      command: [...bin('vitest/vitest.mjs'), 'run', '--maxConcurrency', `${workers}`],
      cwd: await folder('vitest-evals', { 'replay.test.js': evals(shape, url) }),
    },
    {
      name: 'promptfoo',
      command: [
        ...bin('promptfoo/dist/src/entrypoint.js'),
        ...['eval', '-c', 'promptfooconfig.json', '--repeat', `${runs}`, '-j', `${workers}`],
        ...['--no-cache', '--no-write', '--no-progress-bar', '--no-table'],
      ],
      cwd: await folder('promptfoo', { 'promptfooconfig.json': JSON.stringify(promptfoo(numbers, url)) }),
      env: {
        PROMPTFOO_CONFIG_DIR: path.join(root, 'promptfoo'),
        PROMPTFOO_DISABLE_TELEMETRY: '1',
        PROMPTFOO_DISABLE_UPDATE: '1',
        PROMPTFOO_DISABLE_REMOTE_GENERATION: '1',
      },
    },
  ];
}

function pin(session: number): string {
  const turn = { request: { input: `question ${session}` }, recorded: { output: ANSWER, observations: [] } };
  return JSON.stringify({ version: 1, id: `s${session}`, turns: [turn] });
}

const CALL = (url: string) => `async function call(question, run) {
  const response = await fetch(${JSON.stringify(url)}, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: question, is_replay: true, svc_replay_run_id: question + run }),
  });
  return (await response.json()).output;
}
`;

function plainTests({ sessions, runs }: Shape, url: string): string {
  return `import { expect, test } from 'vitest';
${CALL(url)}
for (let session = 0; session < ${sessions}; session++) {
  for (let run = 1; run <= ${runs}; run++) {
    test.concurrent('session ' + session + ', run ' + run, async ({ expect }) => {
      expect(await call('question ' + session, run)).toEqual(${JSON.stringify(ANSWER)});
    });
  }
}
`;
}

function evals({ sessions, runs }: Shape, url: string): string {
  return `import { expect } from 'vitest';
import { createHarness, describeEval } from 'vitest-evals';
${CALL(url)}
const harness = createHarness({
  name: 'agent',
  run: async ({ input }) => {
    const output = await call(input.question, input.run);
    return { output, messages: [{ role: 'user', content: input.question }, { role: 'assistant', content: output }] };
  },
});
describeEval('sessions', { harness }, (it) => {
  for (let session = 0; session < ${sessions}; session++) {
    for (let run = 1; run <= ${runs}; run++) {
      it.concurrent('session ' + session + ', run ' + run, async ({ run: take, expect }) => {
        const result = await take({ question: 'question ' + session, run });
        expect(result.output).toEqual(${JSON.stringify(ANSWER)});
      });
    }
  }
});
`;
}

function promptfoo(numbers: readonly number[], url: string): object {
  return {
    prompts: ['{{question}}'],
    providers: [
      {
        id: url,
        config: {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: { input: '{{prompt}}', is_replay: true, svc_replay_run_id: '{{prompt}}' },
          transformResponse: 'json.output',
        },
      },
    ],
    tests: numbers.map((session) => ({
      vars: { question: `question ${session}` },
      assert: [{ type: 'equals', value: ANSWER }],
    })),
  };
}

/** Runs a tool to its end. @returns the wall time in milliseconds, and how it ended */
export async function measured({
  command,
  cwd,
  env,
}: Tool): Promise<{ ms: number; code: number | null; output: string }> {
  const [program = '', ...args] = command;
  const startedAt = performance.now();
  const { promise, resolve } = Promise.withResolvers<{ ms: number; code: number | null; output: string }>();
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4_000);
    });
  }
  child.on('close', (code) => resolve({ ms: performance.now() - startedAt, code, output }));
  return promise;
}
