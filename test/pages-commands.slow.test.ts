import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { chmod, cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { demoProject } from './cli/demo-project.ts';
import { folderWith } from './config/folder.ts';
import { plainTraces } from './tracing/fixtures/exports/plain.ts';
import { runsOf } from './tracing/langsmith-server.ts';
import { exchanges, KEYS, platform, serve } from './tracing/platform-server.ts';

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, '..');

/** Lines that a page has its reader type, in their order; a comment behind a command is none of it. */
function linesOf(page: string): string[] {
  const blocks = readFileSync(path.join(ROOT, page), 'utf8').matchAll(
    /^```(?:sh|bash|console)[^\n]*\n([\s\S]*?)^```$/gm,
  );
  return [...blocks]
    .flatMap(([, block = '']) => block.split('\n').map((line) => line.replace(/\s+# .*$/, '').trim()))
    .filter((line) => line !== '');
}

/** Getting started is run as a whole, with what it prints: test/examples/getting-started.slow.test.ts. */
const PAGES = globSync(['*.md', '{docs,bench,python}/*.md', 'examples/*/README.md'], { cwd: ROOT })
  .sort()
  .filter((page) => page !== 'docs/getting-started.md');

interface Ran {
  readonly command: string;
  readonly code: number;
  readonly said: string;
}

/** Runs lines as a shell does, with `npx agent-replay` as it is when it is installed. */
async function inShell(lines: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<Ran[]> {
  await using installed = await folderWith({});
  const bin = installed.path;
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${path.join(ROOT, 'bin/agent-replay.js')}" "$@"\n`;
  await writeFile(path.join(bin, 'npx'), npx);
  await chmod(path.join(bin, 'npx'), 0o755);
  const { PATH = '', HOME = '' } = process.env;
  const ran: Ran[] = [];
  for (const line of lines) {
    const options = { cwd, env: { PATH: `${bin}:${path.dirname(process.execPath)}:${PATH}`, HOME, ...env } };
    const { stdout, stderr, code } = await run('/bin/sh', ['-c', line], options).then(
      (ended) => ({ ...ended, code: 0 }),
      (error: { stdout: string; stderr: string; code: number }) => error,
    );
    ran.push({ command: line, code, said: stdout + stderr });
  }
  return ran;
}

const codes = (ran: readonly Ran[]) => ran.map(({ command, code, said }) => [command, code, code > 1 ? said : '']);
const ends = (expected: Readonly<Record<string, number>>) =>
  Object.entries(expected).map(([command, code]) => [command, code, '']);

/** In a project whose agent has an edited prompt: 1 is a run that is red because of it. */
const IN_A_PROJECT = {
  'npx agent-replay doctor': 0,
  'npx agent-replay doctor --json': 0,
  'npx agent-replay doctor --fix': 0,
  'npx agent-replay run': 1,
  'npx agent-replay merge .agent-replay': 1,
};

/** On a platform that holds recorded sessions. */
const ON_A_PLATFORM = {
  'npx agent-replay sessions --since 7d --search refund': 0,
  'npx agent-replay pin sess-refund-001': 0,
  'npx agent-replay pin --since 24h --limit 5 --agent-id support': 0,
};

/** Beside files that others have exported. */
const BESIDE_EXPORTS = {
  'npx agent-replay pin --from traces/': 0,
  'npx agent-replay pin --from runs.jsonl': 0,
  'npx agent-replay sessions --from exports/': 0,
};

const IN_SHARDS = ['npx agent-replay run --shard 1/4', 'npx agent-replay merge shards'];

/** Those that ask for more than a line: where they are led through, with people, servers or another commit. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'npx agent-replay init': 'test/init/init.test.ts',
  'npx agent-replay record': 'test/cli/record.test.ts',
  'npx agent-replay record -- node server.js': 'test/cli/record.test.ts',
  'npx agent-replay doctor --start "node server.js" --url http://127.0.0.1:3000/replay':
    'test/doctor/command.slow.test.ts',
  'npx agent-replay fork refund-order': 'test/fork',
  'npx agent-replay fork refund-order --turn 1 --step 5 --runs 40': 'test/fork',
  'npx agent-replay run --base main': 'test/cli/base.slow.test.ts',
  'npx agent-replay run --offline': 'test/offline/offline.slow.test.ts',
  'npx agent-replay run --offline --base main': 'test/offline/offline.slow.test.ts',
  'npx agent-replay ui': 'test/cli/ui.test.ts',
  'npm run demo:live': 'test/examples/live.slow.test.ts',
  'npm run demo:shift': 'test/examples/live.slow.test.ts',
  'npm run demo:recorded': 'test/tools/demo.slow.test.ts',
  'npx agent-replay tools-proxy -- npx @modelcontextprotocol/server-filesystem data': 'test/tools/proxy.slow.test.ts',
  'npx agent-replay tools-proxy --url https://mcp.example.com/mcp --port 4311': 'test/tools/proxy.slow.test.ts',
};

/** In a clone: what a script of the demo ends with. */
const IN_A_CLONE = {
  'npm run demo': 0,
  'npm run demo:flaky': 1,
  'npm run demo:changed': 1,
};

/** What is no command of ours: what runs just that, or why nothing does. */
const OTHERS: Readonly<Record<string, string>> = {
  'npm ci': '.ci/run',
  'npm test': '.ci/run',
  'npm run check': '.ci/run',
  'npm run test:slow': '.ci/run',
  'npm ci && npm test': '.ci/run',
  'npm ci && npm run demo': '.ci/run',
  '.ci/run': '.ci/run',
  'npm run results -- after.json before.json': 'not run: it runs every example, and is compared by hand',
  "npx vitest run --project='fast*' test/questions": '.ci/run',
  'npm run test:soak': 'not run: it takes hours, and bench/soak.md says what came of the last one',
  'npm run build:site': 'test/site.soak.test.ts',
  'npm install ./agent-replay-0.1.0.tgz': 'test/examples/getting-started.slow.test.ts',
  'npm install --save-dev ../agent-replay/agent-replay-0.1.0.tgz': 'test/frameworks/walks.soak.test.ts',
  'pip install ./agent-replay-python': 'test/python/walks.soak.test.ts',
  'PYTHONPATH=src python3 -m unittest discover -s tests': 'test/python/package.slow.test.ts',
  mypy: 'test/python/package.slow.test.ts',
  'cd examples/express-agent': 'test/examples/examples.test.ts',
  'cd examples/hono-agent': 'test/examples/examples.test.ts',
  'cd examples/python-agent': 'test/examples/examples.test.ts',
  'cd examples/vitest-agent': 'test/examples/vitest-agent.slow.test.ts',
  'npx vitest run': 'test/examples/vitest-agent.slow.test.ts',
  'npx vitest': 'test/plugin/watch.slow.test.ts',
  'npx vitest run -u': 'test/plugin/updates.slow.test.ts',
  'node examples/record.ts . examples/support-agent/conversations.json':
    'not run: it writes the pins of the example anew; test/examples/pins.test.ts holds that they are what the agent does',
  'AGENT_REPLAY_TOOLS_URL=http://127.0.0.1:4319/tools AGENT_REPLAY_TOOLS_TOKEN=<a long random word>':
    'test/tools/fails-closed.slow.test.ts',
};

test('every line that a page has its reader type is run here, names the test that runs it, or the reason why none does', () => {
  const shown = new Set(PAGES.flatMap(linesOf));
  const known = { ...IN_A_PROJECT, ...ON_A_PLATFORM, ...BESIDE_EXPORTS, ...IN_A_CLONE, ...ELSEWHERE, ...OTHERS };
  const tried = new Set([...Object.keys(known), ...IN_SHARDS]);
  expect([...shown].filter((line) => !tried.has(line))).toEqual([]);
  expect([...tried].filter((line) => !shown.has(line))).toEqual([]);
  const files = [...Object.values(ELSEWHERE), ...Object.values(OTHERS)].filter((file) => !file.startsWith('not run: '));
  expect(files.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
});

test.each(Object.entries(IN_A_CLONE))('%s ends with %i', async (line, code) => {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const [, name = '', more = ''] = /^npm run (\S+)(?: --(.*))?$/.exec(line) ?? [];
  // The other tests use what is built.
  const script = scripts[name].replace('npm run build && ', '');
  await using output = await folderWith({});
  const [ran] = await inShell([`${script}${more} --output-dir "${output.path}"`], ROOT);
  expect([ran?.code, ran?.said]).toEqual([code, expect.not.stringContaining('USAGE')]);
});

test('the commands of the pages, in a project whose prompt was edited', async () => {
  await using project = await demoProject();
  expect(codes(await inShell(Object.keys(IN_A_PROJECT), project.path))).toEqual(ends(IN_A_PROJECT));
});

test('the commands of docs/sharding.md, in one folder a job', async () => {
  await using project = await demoProject();
  const jobs = ['1/4', '2/4', '3/4', '4/4'].map((shard) => `npx agent-replay run --shard ${shard}`);
  for (const [at, job] of jobs.entries()) {
    const [{ code, said }] = (await inShell([job], project.path)) as [Ran];
    expect([code, said]).toEqual([expect.toBeOneOf([0, 1]), said]);
    await cp(path.join(project.path, '.agent-replay'), path.join(project.path, 'shards', String(at)), {
      recursive: true,
    });
  }
  expect(codes(await inShell(['npx agent-replay merge shards'], project.path))).toEqual(
    ends({ 'npx agent-replay merge shards': 1 }),
  );
});

test('the commands of docs/platform.md, on a platform with sessions of today', async () => {
  // What a real server holds, an hour old.
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString().slice(0, 13);
  const bodies = ['v4-dual.trace-get-1', 'v4-dual.trace-get-2'].flatMap((name) =>
    exchanges(name).map(({ response }) => response.body),
  );
  const text = JSON.stringify(bodies)
    .replaceAll(/2026-11-\d\dT\d\d/g, anHourAgo)
    .replaceAll('support-agent', 'support');
  await using server = await serve(platform('dual', { traces: JSON.parse(text) }));
  await using folder = await folderWith({});
  const env = { TRACING_HOST: server.url, TRACING_PUBLIC_KEY: KEYS.publicKey, TRACING_SECRET_KEY: KEYS.secretKey };
  expect(codes(await inShell(Object.keys(ON_A_PLATFORM), folder.path, env))).toEqual(ends(ON_A_PLATFORM));
});

test('the commands that read exports, beside such files', async () => {
  const runs = await runsOf({ session_id: 's2', agent_id: 'support', run_id: 'run-2' });
  const plain = JSON.stringify(plainTraces);
  await using folder = await folderWith({
    'runs.jsonl': runs.map((each) => JSON.stringify(each)).join('\n'),
    'traces/export.json': plain,
    'exports/export.json': plain,
  });
  expect(codes(await inShell(Object.keys(BESIDE_EXPORTS), folder.path))).toEqual(ends(BESIDE_EXPORTS));
});
