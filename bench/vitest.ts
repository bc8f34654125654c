// Measures the wall time of `vitest run` on pinned sessions, beside the bare command on the same project and the same
// calls written by hand as tests with fetch and toEqual. Each is a whole process from start to end, agent included.
// Needs `npm run build` in the root.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './agent-for.ts';
import { many, medianOf, record } from './results.ts';

const SESSIONS = many(50, 5);
const RUNS = 5;
const LATENCY_MS = 20;
/** Calls in flight at once. Vitest runs as many tests of one file side by side. */
const WORKERS = 5;
const ROUNDS = many(3);

const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run'];
const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-vitest-'));
try {
  await writeProject();
  const arms = {
    'plain tests, one file': [...vitest, '--config', 'one.config.ts'],
    'plain tests, a file a session': [...vitest, '--config', 'many.config.ts'],
    'agent-replay run': [path.join(root, 'bin/agent-replay.js'), 'run', '--quiet'],
    'the plugin': [...vitest, '--config', 'plugin.config.ts'],
    'the plugin, no isolation': [...vitest, '--config', 'plugin.config.ts', '--no-isolate'],
    'the plugin, with traces': [...vitest, '--config', 'traced.config.ts'],
    'the plugin, with traces, no isolation': [...vitest, '--config', 'traced.config.ts', '--no-isolate'],
    'agent-replay run, with traces': [
      path.join(root, 'bin/agent-replay.js'),
      'run',
      '--quiet',
      '--set',
      'tracing.source=embedded',
    ],
  };
  const times = new Map<string, number[]>(Object.keys(arms).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    // Each round runs all of them in turn, so that a busy machine treats all alike. The first round is a warm-up.
    for (const [name, args] of Object.entries(arms)) {
      const ms = await timed(args);
      if (round > 0) times.get(name)?.push(ms);
    }
  }
  const ideal = Math.ceil((SESSIONS * RUNS) / WORKERS) * LATENCY_MS;
  const median = (name: string) => medianOf(times.get(name) ?? []);
  const plain = median('plain tests, a file a session');
  const one = median('plain tests, one file');
  console.log(
    `${SESSIONS} sessions x ${RUNS} runs, agent of ${LATENCY_MS} ms, ${WORKERS} at once: ${ideal} ms at least\n`,
  );
  record('vitest', Object.fromEntries(Object.keys(arms).map((name) => [name, median(name)])));
  console.log('| | time | over a plain file a session | over one plain file |\n|---|---|---|---|');
  for (const name of Object.keys(arms)) {
    const ms = median(name);
    console.log(`| ${name} | ${ms.toFixed(0)} ms | ${(ms / plain).toFixed(2)} | ${(ms / one).toFixed(2)} |`);
  }
} finally {
  await rm(folder, { recursive: true });
}

async function timed(args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const { CI: _, ...env } = process.env;
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'ignore'] });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return performance.now() - startedAt;
}

async function writeProject(): Promise<void> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/replay`;
  const agent = { PORT: `${port}`, LATENCY_MS: `${LATENCY_MS}` };
  const command = `exec "${process.execPath}" "${path.join(root, 'bench/agent.ts')}"`;
  const files: Record<string, string> = {
    'package.json': '{"type":"module"}',
    'agent-replay.config.json': JSON.stringify({
      agent: { command, url, env: agent },
      runs: RUNS,
      workers: WORKERS,
      tracing: 'none',
    }),
    'plugin.config.ts': `import { agentReplay } from 'agent-replay/vitest';\nexport default { plugins: [agentReplay()], test: { include: [] } };`,
    'traced.config.ts': `import { agentReplay } from 'agent-replay/vitest';\nexport default { plugins: [agentReplay({ tracing: 'embedded' })], test: { include: [] } };`,
    'one.config.ts': `export default { test: { globalSetup: './setup.ts', include: ['one.test.ts'], maxConcurrency: ${WORKERS} } };`,
    'many.config.ts': `export default { test: { globalSetup: './setup.ts', include: ['plain/*.test.ts'] } };`,
    'setup.ts': `
      import { spawn } from 'node:child_process';
      export default async function () {
        const agent = spawn(process.execPath, [${JSON.stringify(path.join(root, 'bench/agent.ts'))}], { env: { ...process.env, ...${JSON.stringify(agent)} } });
        while (!(await fetch('${url}').then(() => true, () => false))) await new Promise((resolve) => setTimeout(resolve, 10));
        return () => agent.kill();
      }`,
    'one.test.ts': plainTest(url, SESSIONS),
  };
  for (let session = 1; session <= SESSIONS; session++) {
    const output = 'x'.repeat(20);
    const observation = { id: 'r', parentId: null, type: 'agent', name: 'turn', output };
    const time = { startTime: '2026-01-01T00:00:00.000Z', endTime: '2026-01-01T00:00:01.000Z' };
    const tool = { id: 't', parentId: 'r', type: 'tool', name: 'search', ...time };
    const recorded = { output, observations: [{ ...observation, ...time }, tool] };
    files[`replays/s${session}.session.json`] = JSON.stringify({
      version: 1,
      id: `s${session}`,
      turns: [{ request: { input: 'Where is my order?' }, recorded }],
    });
    files[`plain/s${session}.test.ts`] = plainTest(url, 1);
  }
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const modules = path.join(folder, 'node_modules');
  await mkdir(modules);
  await symlink(root, path.join(modules, 'agent-replay'));
  await symlink(path.join(root, 'node_modules/vitest'), path.join(modules, 'vitest'));
}

/** A user's own tests: one per session, side by side, with its runs one after another. */
function plainTest(url: string, count: number): string {
  return `
    import { expect, test } from 'vitest';
    for (let session = 1; session <= ${count}; session++) {
      test.concurrent('session ' + session, async ({ expect }) => {
        for (let run = 1; run <= ${RUNS}; run++) {
          const response = await fetch('${url}', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ input: 'Where is my order?', is_replay: true, svc_replay_run_id: session + '.' + run }),
          });
          expect((await response.json()).output).toEqual('${'x'.repeat(20)}');
        }
      });
    }`;
}
