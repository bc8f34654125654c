import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/index.ts';
import { inspectProject, PACKAGE, plannedFiles } from '../../src/init/index.ts';
import { command } from '../cli/command.ts';
import { steady } from '../whole-message.ts';

const run = promisify(execFile);
const PYTHON_HALF = fileURLToPath(new URL('../../python', import.meta.url));
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), content);
  }
}

/** A folder with these files, gone afterwards. */
async function projectWith(files: Readonly<Record<string, string>>) {
  const root = await mkdtemp(path.join(os.tmpdir(), 'init-'));
  await writeFiles(root, files);
  return {
    root,
    init: (...args: string[]) => command(['init', ...args], { cwd: root }),
    read: (file: string) => readFile(path.join(root, file), 'utf8'),
    /** Without the copy of the action. */
    files: async () =>
      (await readdir(root, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
        .filter((file) => path.dirname(file) !== ACTION)
        .sort(),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
}

/** The contents that `init --yes` gives a project of these files, by their paths; the command is not started for it. */
async function plannedFor(files: Readonly<Record<string, string>>): Promise<Map<string, string>> {
  await using folder = await projectWith(files);
  const project = await inspectProject(folder.root);
  const answers = { command: project.command ?? '', url: 'http://127.0.0.1:3000/replay', agentId: project.name };
  const planned = plannedFiles(project, { ...answers, agents: false, workflow: false, action: undefined });
  return new Map(planned.map(({ path, content }) => [path, content]));
}

const ACTION = '.github/actions/agent-replay';
const DIST = fileURLToPath(new URL('../../dist', import.meta.url));

/** As a workflow hands a secret on. */
const secretOf = (name: string) => `${name}: \${{ secrets.${name} }}`;

const manifest = (dependencies: readonly string[], more: object = {}) =>
  JSON.stringify({
    name: '@acme/desk',
    type: 'module',
    scripts: { start: 'node server.js' },
    dependencies: Object.fromEntries(dependencies.map((name) => [name, '*'])),
    ...more,
  });

test('a project gets a configuration, a pin folder, an endpoint, a workflow and a Vitest configuration', async () => {
  await using project = await projectWith({
    'package.json': manifest(['express', '@langfuse/otel', 'vitest']),
    'pnpm-lock.yaml': '',
    'tsconfig.json': '{}',
    'src/agent.ts': '',
  });
  const { code, stdout } = await project.init('--yes');
  expect(code).toBe(0);
  expect(steady(stdout.replaceAll(/ \(\d+ files\)/gm, ''))).toMatchInlineSnapshot(`
    "desk: TypeScript, pnpm, express, traced with langfuse

    create .gitignore: keeps what runs write out of the repository
    create agent-replay.config.ts: how your agent is started, and where it takes replays
    create replays/README.md: the folder of the pinned sessions
    create src/replay.ts: POST /replay: takes a recorded turn again
    create .github/workflows/agent-replay.yml: replays in every pull request, and comments on it
    create vitest.config.ts: every pinned session is a test
    create AGENTS.md: how a coding agent replays what it has changed
    create .agents/skills/agent-replay/SKILL.md: a skill: from a red replay to its cause, step by step
    create .github/actions/agent-replay/: the action, which the workflow uses

    Left for you:
      1. pnpm add ./agent-replay-0.1.0.tgz (what npm pack leaves in a clone of agent-replay)
      2. In src/replay.ts, check that takeTurn is the function with which your agent takes a turn, and call it as it wants to be called (one that keeps conversations itself: docs/endpoint.md, "The memory of a session").
      3. Mount it in your server: import { replay } from './replay.js'; app.all('/replay', replay); // before express.json()
      4. Where tracing is set up, put replaySpanProcessor() (from agent-replay/endpoint) before the processor that exports.
      5. Commit .gitignore, agent-replay.config.ts, replays/README.md, src/replay.ts, .github/workflows/agent-replay.yml, .github/actions/agent-replay/, AGENTS.md, .agents/skills/agent-replay/SKILL.md, pnpm-lock.yaml, package.json.

    note: replays call the tools of the agent for real, in every run: let the recording answer for them (--tools recorded, docs/tools.md), or give them a sandbox (docs/endpoint.md)
    note: npx agent-replay help PAGE shows docs/PAGE.md

    Then have it put in what it can, as a diff, and check endpoint and traces, rule by rule:
      npx agent-replay doctor --fix
    "
  `);
  expect(await project.files()).toEqual([
    '.agents/skills/agent-replay/SKILL.md',
    '.github/workflows/agent-replay.yml',
    '.gitignore',
    'AGENTS.md',
    'agent-replay.config.ts',
    'package.json',
    'pnpm-lock.yaml',
    'replays/README.md',
    'src/agent.ts',
    'src/replay.ts',
    'tsconfig.json',
    'vitest.config.ts',
  ]);
  expect(stdout).toContain('desk: TypeScript, pnpm, express, traced with langfuse');
  expect(await project.read('.github/workflows/agent-replay.yml')).toContain('pnpm install --frozen-lockfile');
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('  npx agent-replay doctor --fix');
});

test('the endpoint imports a function that a file of the agent exports, or says at the line what is wrong with it', async () => {
  const imported = async (files: Readonly<Record<string, string>>) => {
    const planned = await plannedFor({ 'package.json': manifest(['express']), ...files });
    return (planned.get('replay.js') ?? '').split('\n').slice(1, 3);
  };
  const rest = 'the function with which your agent takes a normal turn. There is no replay mode.';
  const agent = 'export const sessions = new Map();\nexport const handleMessage = async (id, text) => text;\n';
  expect(await imported({ 'agent.js': agent })).toEqual([
    `// Change this line, if another of ./agent.js takes the turn (it also exports sessions): ${rest}`,
    "import { handleMessage as takeTurn } from './agent.js';",
  ]);
  expect(await imported({ 'agent.js': agent, 'desk.js': 'export function takeTurn(messages) {}\n' })).toEqual([
    `// Change this line: ${rest}`,
    "import { takeTurn } from './desk.js';",
  ]);
  expect(await imported({ 'agent.js': 'export const sessions = new Map();\n' })).toEqual([
    `// Change this line, as ./agent.js exports no function by name: ${rest}`,
    "import { takeTurn } from './agent.js';",
  ]);
  const nameOf = async (files: Readonly<Record<string, string>>) => /\{.*/.exec((await imported(files))[1] ?? '')?.[0];
  const counting = 'export const messageCount = () => 1;\n';
  expect(await nameOf({ 'agent.js': `${counting}export function run() {}\n` })).toBe(
    "{ run as takeTurn } from './agent.js';",
  );
  expect(await nameOf({ 'agent.js': `${counting}export const chat = async () => 1;\n` })).toBe(
    "{ chat as takeTurn } from './agent.js';",
  );
  const turn = 'export async function takeTurn() {}\n';
  const handsOn = "export { takeTurn } from './lib/turn.js';\n";
  expect(await imported({ 'agent.js': handsOn, 'lib.js/turn.js': '', 'lib/turn.js': turn })).toEqual([
    `// Change this line: ${rest}`,
    "import { takeTurn } from './agent.js';",
  ]);
  expect(await nameOf({ 'index.js': handsOn, 'turn.mjs': turn })).toBe("{ takeTurn } from './turn.mjs';");
  expect((await imported({}))[0]).toBe(`// Change this line, as there is no ./agent.js: ${rest}`);
});

test('what the endpoint hands over in another shape is said, and that the calls of the model need lines of their own', async () => {
  const packages = ['@anthropic-ai/sdk', '@opentelemetry/sdk-trace-node', '@opentelemetry/exporter-trace-otlp-proto'];
  await using project = await projectWith({
    'package.json': manifest(packages, { type: 'commonjs' }),
    'server.js': '',
  });
  const { stdout } = await project.init('--yes');
  expect(await project.read('replay.mjs')).toContain('// It is given { system, messages }; ');
  expect(stdout).toMatch(
    /node --import \.\/replay-tracing\.mjs \.\.\.\n +5\. Have the calls of the model traced, too: .* Anthropic\.\n/,
  );
});

test('the workflow finds its action: init copies it to where git ignores none of it, and says all that is to be committed', async () => {
  await using project = await projectWith({
    '.gitignore': 'node_modules\n*.txt\ndist\nindex.js\n.agent-replay*\n',
    'package.json': manifest(['express'], { dependencies: { 'agent-replay': 'file:agent-replay-0.1.0.tgz' } }),
    'package-lock.json': '{}',
    'agent-replay-0.1.0.tgz': '',
    'server.js': '',
  });
  await run('git', ['init', '--quiet'], { cwd: project.root });
  const { stdout } = await project.init('--yes');
  const committed = await run('git', ['ls-files', '--others', '--exclude-standard', ACTION], { cwd: project.root });
  const bundle = await readdir(DIST);
  expect(committed.stdout.trim().split('\n').sort()).toEqual(
    ['.gitattributes', '.gitignore', 'action.yml', ...bundle].map((file) => `${ACTION}/${file}`).sort(),
  );
  const { runs } = parse(await project.read(`${ACTION}/action.yml`));
  expect(runs).toEqual({ using: 'node24', main: 'index.js', post: 'index.js' });
  expect(await project.read(`${ACTION}/index.js`)).toBe(await readFile(path.join(DIST, 'index.js'), 'utf8'));
  expect(/Commit (.*)\.$/m.exec(stdout)?.[1]?.split(', ')).toEqual([
    '.gitignore',
    'agent-replay.config.js',
    'replays/README.md',
    'replay.js',
    '.github/workflows/agent-replay.yml',
    `${ACTION}/`,
    'AGENTS.md',
    '.agents/skills/agent-replay/SKILL.md',
    'package-lock.json',
    'package.json',
    'agent-replay-0.1.0.tgz',
    'server.js',
  ]);
  // Of another version: it is brought up to date.
  await writeFile(path.join(project.root, ACTION, 'index.js'), '// before');
  expect((await project.init('--yes')).stdout).toContain(`update ${ACTION}/: the action`);
  expect(await project.read(`${ACTION}/index.js`)).not.toBe('// before');
});

test('an organisation that has the action is named in its place, by a full commit', async () => {
  await using project = await projectWith({ 'package.json': manifest(['express']) });
  const refused = await project.init('--yes', '--action', 'acme/agent-replay@main');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('a branch or tag can be moved')]);
  const action = `acme/agent-replay@${'0123456789'.repeat(4)}`;
  await project.init('--yes', '--action', action);
  expect(await project.read('.github/workflows/agent-replay.yml')).toContain(`- uses: ${action}\n`);
  await expect(project.read(`${ACTION}/action.yml`)).rejects.toThrow('ENOENT');
});

test('what is started, and all that it imports, is named as to be committed; what a build makes is not', async () => {
  const sources = {
    'server.js': "import { takeTurn } from './agent.js';\nimport express from 'express';",
    'agent.js': "export { prompt } from './prompts/system';\nconst tools = await import('./tools');",
    'prompts/system.ts': "import '../server.js';",
    'tools/index.js': "const gone = require('./gone.js');",
    'unrelated.js': '',
  };
  await using project = await projectWith({
    'package.json': manifest(['express']),
    'package-lock.json': '{}',
    ...sources,
  });
  await run('git', ['init', '--quiet'], { cwd: project.root });
  const toCommit = async (...args: string[]) => {
    const { stdout } = await project.init('--yes', '--no-agents', ...args);
    return [/Commit (.*)\.$/m.exec(stdout)?.[1]?.split('package.json, ')[1], stdout];
  };
  expect(await toCommit()).toEqual(['server.js, agent.js, prompts/system.ts, tools/index.js', expect.any(String)]);

  await run('git', ['add', 'server.js', 'agent.js'], { cwd: project.root });
  expect(await toCommit()).toEqual(['prompts/system.ts, tools/index.js', expect.any(String)]);

  await writeFile(path.join(project.root, '.gitignore'), 'tools\n.agent-replay*\n');
  const ignored = 'For the workflow: git ignores tools/index.js (.gitignore:1:tools), so the job does not have it.';
  expect(await toCommit()).toEqual(['prompts/system.ts', expect.stringContaining(ignored)]);
  const built = await toCommit('--start', 'npm run build && node server.js');
  expect(built).toEqual(['prompts/system.ts', expect.not.stringContaining('git ignores')]);
});

test('of many files that are imported the folders are named, and in Python modules are found by their names', async () => {
  const modules = ['orders', 'refunds', 'mail', 'prompts'];
  await using project = await projectWith({
    'requirements.txt': 'fastapi\n',
    'app/__init__.py': '',
    'app/main.py': `from fastapi import FastAPI\nfrom .agent import answer\nimport settings\napp = FastAPI()\n`,
    'app/agent.py': modules.map((name) => `from .tools.${name} import *\n`).join(''),
    ...Object.fromEntries(modules.map((name) => [`app/tools/${name}.py`, ''])),
    'settings.py': '',
  });
  await run('git', ['init', '--quiet'], { cwd: project.root });
  const { stdout } = await project.init('--yes', '--no-agents');
  expect(/Commit .*requirements\.txt, (.*)\.$/m.exec(stdout)?.[1]).toBe('app/, app/tools/, settings.py');
});

test('what the workflow will not find is said at once', async () => {
  await using project = await projectWith({
    '.gitignore': '.env\n.agent-replay*\n',
    '.env': 'OPENAI_API_KEY=sk\nSHOP_URL=x\n',
    'package.json': manifest(['openai'], {
      scripts: { start: 'node --env-file=.env server.js' },
      dependencies: { openai: '1', 'agent-replay': 'file:../agent-replay' },
    }),
    'package-lock.json': '{}',
    'server.js': '',
  });
  await run('git', ['init', '--quiet'], { cwd: project.root });
  const { stdout } = await project.init('--yes', '--no-agents');
  expect(
    stdout
      .split('Left for you:')[1]
      ?.split('\n')
      .filter((line) => /workflow|settings/.test(line))
      .map((line) => line.replace(/^ +\d+\. /, '')),
  ).toMatchInlineSnapshot(`
    [
      "For the workflow: agent-replay is installed from ../agent-replay, outside of the repository: install it from a copy in it.",
      "For the workflow: git ignores .env (.gitignore:1:.env), so the job does not have it: start it with --env-file-if-exists=.env.",
      "For the workflow: only .env sets SHOP_URL: give the step what the agent needs of it, under env.",
      "Set in the repository's settings, under Actions: OPENAI_API_KEY",
      "Commit .gitignore, agent-replay.config.js, replays/README.md, replay.js, .github/workflows/agent-replay.yml, .github/actions/agent-replay/, package-lock.json, package.json, server.js.",
    ]
  `);
});

test('fault 100: init says that tools act for real, with the two remedies', async () => {
  await using project = await projectWith({ 'package.json': manifest(['hono']) });
  const { stdout } = await project.init('--yes');
  expect(stdout).toMatch(/^note: replays call the tools of the agent for real, .*--tools recorded.*a sandbox/m);
});

test('a dry run shows each file as it is written, and the configuration is valid', async () => {
  await using project = await projectWith({ 'package.json': manifest(['hono']) });
  const { stdout } = await project.init('--dry-run', '--url', 'http://127.0.0.1:8787/replay');
  await project.init('--yes', '--url', 'http://127.0.0.1:8787/replay');
  for (const file of await project.files()) {
    if (['package.json', '.gitignore'].includes(file)) continue;
    const shown = (await project.read(file)).trimEnd().split('\n');
    expect(stdout).toContain(shown.map((line) => `  │ ${line}`.trimEnd()).join('\n'));
  }
  await symlink(MODULES, path.join(project.root, 'node_modules'));
  const { agent, root } = await loadConfig({ cwd: project.root });
  expect(agent).toMatchObject({ id: 'desk', command: 'npm start', url: 'http://127.0.0.1:8787/replay' });
  expect(root).toBe(project.root);
});

test('nothing that is there is overwritten, and a second time writes nothing', async () => {
  const mine = { 'agent-replay.config.js': 'export default {};\n', '.gitignore': 'node_modules' };
  await using project = await projectWith({ 'package.json': manifest(['fastify']), ...mine });
  const { stdout } = await project.init('--yes');
  expect(stdout).toContain('keep   agent-replay.config.js: it exists already, and stays');
  expect(await project.read('agent-replay.config.js')).toBe(mine['agent-replay.config.js']);
  expect(await project.read('.gitignore')).toBe('node_modules\n.agent-replay*\n');
  const files = await project.files();
  const before = await Promise.all(files.map(project.read));
  await project.init('--yes');
  expect(await Promise.all((await project.files()).map(project.read))).toEqual(before);
});

test('a dry run shows everything and writes nothing', async () => {
  await using project = await projectWith({ 'package.json': manifest(['next']) });
  const { code, stdout } = await project.init('--dry-run');
  expect(code).toBe(0);
  expect(stdout).toContain('create app/replay/route.js');
  expect(await project.files()).toEqual(['package.json']);
});

test('the endpoint of every framework is what its types ask for', async () => {
  await using project = await projectWith({
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        module: 'nodenext',
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        types: ['node'],
        paths: { '@/*': ['./next/*.ts'] },
      },
    }),
  });
  const frameworks = ['express', 'fastify', 'hono', 'next', 'node'];
  for (const framework of frameworks) {
    const given = {
      'package.json': manifest(framework === 'node' ? [] : [framework, 'typescript']),
      'tsconfig.json': '{}',
      'agent.ts': 'export async function takeTurn(messages: readonly unknown[]) { return String(messages.length); }\n',
    };
    await writeFiles(path.join(project.root, framework), { ...given, ...Object.fromEntries(await plannedFor(given)) });
  }
  const servers = {
    express: "import express from 'express'; import { replay } from './replay.js'; express().all('/replay', replay);",
    fastify:
      "import Fastify from 'fastify'; import { replay } from './replay.js';\n" +
      "Fastify().post('/replay', { bodyLimit: 16 * 2 ** 20 }, replay);",
    hono: "import { Hono } from 'hono'; import { replay } from './replay.js'; new Hono().all('/replay', (context) => replay(context.req.raw));",
    node:
      "import { createServer } from 'node:http'; import { replay } from './replay.js';\n" +
      "createServer((request, response) => { if (request.url === '/replay') return replay(request, response); });",
    next: "import { POST } from './app/replay/route.js'; export const route: (request: Request) => Promise<Response> = POST;",
  };
  for (const [framework, server] of Object.entries(servers)) {
    await writeFile(path.join(project.root, framework, 'server.ts'), `${server}\n`);
  }
  await symlink(MODULES, path.join(project.root, 'node_modules'));
  const { stdout } = await run(path.join(MODULES, '.bin/tsc'), ['-p', '.'], { cwd: project.root }).catch(
    (error) => error,
  );
  expect(stdout).toBe('');
});

test.for([
  ['ai', 'toModelMessages(messages)'],
  ['@openai/agents', 'toAgentsInput(messages)'],
  ['@langchain/langgraph', 'toLangChainMessages(messages)'],
  ['@mastra/core', 'toModelMessages(messages)'],
  ['@anthropic-ai/sdk', 'toAnthropicMessages(messages)'],
  ['@google/genai', 'toGeminiContents(messages)'],
  ['genkit', 'toGenkitMessages(messages)'],
  ['openai', 'takeTurn(messages)'],
] as const)('an agent built with %s is given its messages as it takes them', async ([dependency, converted]) => {
  const endpoint = (await plannedFor({ 'package.json': manifest(['express', dependency]) })).get('replay.js') ?? '';
  expect(endpoint).toContain(converted);
  const converter = /^to\w+/.exec(converted)?.[0] ?? 'replayEndpoint';
  expect(endpoint.split('\n')[0]).toContain(converter);
});

test('a package of CommonJS gets modules that load without a warning, and the line that requires them', async () => {
  const server = "const { replay } = require('./replay.mjs'); console.log(typeof replay);\n";
  await using project = await projectWith({
    'package.json': manifest(['express'], { type: 'commonjs' }),
    'agent.js': 'exports.takeTurn = async () => "done";\n',
    'server.js': server,
  });
  const { stdout } = await project.init('--yes');
  expect(stdout).toContain("const { replay } = require('./replay.mjs');");
  await symlink(MODULES, path.join(project.root, 'node_modules'));
  const loaded = await run(process.execPath, ['server.js'], { cwd: project.root });
  expect(loaded).toEqual({ stdout: 'function\n', stderr: '' });
  const config = await run(process.execPath, ['agent-replay.config.mjs'], { cwd: project.root });
  expect(config.stderr).toBe('');
});

test('TypeScript that Node.js runs imports files as they are called', async () => {
  await using project = await projectWith({
    'package.json': manifest(['hono', 'typescript'], { scripts: { start: 'node --env-file=.env src/server.ts' } }),
    'src/agent.ts': 'export const takeTurn = async (messages: readonly unknown[]) => String(messages.length);\n',
  });
  await project.init('--yes');
  expect(await project.read('src/replay.ts')).toContain("from './agent.ts'");
  await symlink(MODULES, path.join(project.root, 'node_modules'));
  const { stderr } = await run(process.execPath, ['src/replay.ts'], { cwd: project.root });
  expect(stderr).toBe('');
});

test('a package of a workspace gets its package manager, and its workflow where GitHub reads it', async () => {
  await using project = await projectWith({
    '.git/HEAD': '',
    'pnpm-lock.yaml': '',
    'apps/desk/package.json': manifest(['next', '@ai-sdk/openai'], {
      type: undefined,
      scripts: { build: 'next build', start: 'next start -p 4100' },
    }),
    'apps/desk/tsconfig.json': '{}',
  });
  const root = path.join(project.root, 'apps/desk');
  const { stdout } = await command(['init', '--yes'], { cwd: root });
  expect(stdout).toContain(`pnpm add ${PACKAGE}`);
  expect(stdout).toContain('so that none replays an old one: pnpm run build && pnpm start');
  const workflow = await project.read('.github/workflows/agent-replay-desk.yml');
  expect(workflow).toContain('- run: pnpm install --frozen-lockfile\n      - uses:');
  expect(workflow.match(/working-directory: apps\/desk/g)).toHaveLength(1);
  expect(workflow).toContain(secretOf('OPENAI_API_KEY'));
  const config = await project.read('apps/desk/agent-replay.config.mts');
  expect(config).toContain("command: 'pnpm run build && pnpm start',");
  expect(config).toContain('timeout: 300_000, // milliseconds, with the build');
  expect(config).toContain("url: 'http://127.0.0.1:4100/replay'");
});

test('the port of .env is the one that is called, in CI too, and no key of it is copied', async () => {
  await using project = await projectWith({
    'package.json': manifest(['express', 'openai']),
    '.env': 'PORT=4321\nexport MISTRAL_API_KEY="sk-not-to-be-seen"\nSTRIPE_API_KEY=sk-nor-this\n',
  });
  const { stdout } = await project.init('--yes');
  expect(await project.read('agent-replay.config.js')).toContain(
    "url: 'http://127.0.0.1:4321/replay',\n    env: { PORT: '4321' }",
  );
  const workflow = await project.read('.github/workflows/agent-replay.yml');
  expect(workflow.split('env:\n')[1]?.split('      - uses')[0]).toBe(`          ${secretOf('MISTRAL_API_KEY')}\n`);
  expect(stdout).not.toContain('sk-');
});

test('an agent that listens where PORT says gets a free port at each start, so that two jobs never meet', async () => {
  await using project = await projectWith({
    'package.json': JSON.stringify({ scripts: { start: 'node --env-file=.env src/server.js' } }),
    '.env': 'PORT=4321\n',
    'src/server.js': 'http.createServer(take).listen(Number(process.env.PORT ?? 3000));\n',
  });
  await project.init('--yes');
  const config = await project.read('agent-replay.config.js').catch(() => project.read('agent-replay.config.mjs'));
  expect(config).toContain("url: 'http://127.0.0.1:{port}/replay',");
  expect(config).not.toContain('4321');
});

test('the port that the code listens on is the one that is called', async () => {
  await using project = await projectWith({ 'package.json': manifest(['koa']), 'server.js': 'app.listen(4000);\n' });
  const { stdout } = await project.init('--yes');
  expect(stdout).toContain('JavaScript, npm, koa');
  expect(await project.read('agent-replay.config.js')).toContain("url: 'http://127.0.0.1:4000/replay'");
});

test('a configuration that is there under another ending is kept', async () => {
  await using project = await projectWith({
    'package.json': manifest(['express']),
    'agent-replay.config.json': '{}',
  });
  const { stdout } = await project.init('--yes');
  expect(stdout).toContain('keep   agent-replay.config.json: it exists already');
  expect((await project.files()).filter((file) => file.startsWith('agent-replay.config'))).toHaveLength(1);
});

test('the line that sets tracing up is named', async () => {
  await using project = await projectWith({
    'package.json': manifest(['express', '@langfuse/otel']),
    'src/instrumentation.js':
      "import { NodeSDK } from '@opentelemetry/sdk-node';\n\nnew NodeSDK({\n  spanProcessors: [langfuse],\n}).start();\n",
  });
  const { stdout } = await project.init('--yes');
  expect(stdout).toContain('In src/instrumentation.js, line 4, put replaySpanProcessor()');
});

test.each([
  ['a module', 'replay-tracing.js', {}, "import './replay-tracing.js';"],
  ['CommonJS', 'replay-tracing.mjs', { type: 'commonjs' }, 'node --import ./replay-tracing.mjs'],
])(
  'tracing is set up in a file of its own, which runs, with the line that starts it: %s',
  async (_, file, more, line) => {
    const dependencies = ['express', '@langfuse/otel', '@opentelemetry/sdk-trace-node'];
    await using project = await projectWith({ 'package.json': manifest(dependencies, more) });
    const { stdout } = await project.init('--yes');
    expect(stdout).toContain(line);
    await symlink(MODULES, path.join(project.root, 'node_modules'));
    const asked =
      "process.stdout.write(String(require('@opentelemetry/api').trace.getTracer('x').startSpan('s').isRecording()))";
    await writeFile(path.join(project.root, 'asked.cjs'), asked);
    const keys = { LANGFUSE_PUBLIC_KEY: 'pk', LANGFUSE_SECRET_KEY: 'sk', LANGFUSE_BASE_URL: 'http://127.0.0.1:1' };
    const env = { ...process.env, ...keys };
    const started = await run(process.execPath, ['--import', `./${file}`, 'asked.cjs'], { cwd: project.root, env });
    expect(started.stdout).toBe('true');
    // What is there is found the next time, and left alone.
    const again = await project.init('--yes');
    expect(again.stdout).not.toContain(line);
    expect(await project.read(file)).toContain('spanProcessors: [replaySpanProcessor(), new LangfuseSpanProcessor()]');
  },
);

test('with Langfuse 3 the endpoint hands on what says which replay it is, and no processor is asked for', async () => {
  await using project = await projectWith({ 'package.json': manifest(['express', 'langfuse']) });
  const { stdout } = await project.init('--yes');
  expect(stdout).toContain("langfuse.trace({ name: 'turn', sessionId, metadata })");
  expect(stdout).not.toContain('replaySpanProcessor');
  expect(await project.read('replay.js')).toContain(
    'replayEndpoint(({ messages, sessionId, metadata }) => takeTurn(messages, { sessionId, metadata }), {',
  );
});

test("with Mastra's own exporter the endpoint hands on what its root span is given", async () => {
  await using project = await projectWith({ 'package.json': manifest(['@mastra/core', '@mastra/langfuse', 'mastra']) });
  const { stdout } = await project.init('--yes');
  expect(stdout).toContain('agent.generate(messages, { tracingOptions: { metadata } })');
  expect(await project.read('src/mastra/replay.js')).toContain(
    'replayEndpoint(({ messages, sessionId, metadata }) => takeTurn(toModelMessages(messages), { ...metadata, sessionId }), {',
  );
});

test('a Next.js project gets its instrumentation, and one that is there stays as it is', async () => {
  const dependencies = ['next', 'ai', '@langfuse/otel', '@langfuse/vercel-ai-sdk', '@opentelemetry/sdk-node'];
  const files = { 'package.json': manifest(dependencies), 'tsconfig.json': '{}' };
  await using project = await projectWith(files);
  await project.init('--yes');
  const written = await project.read('instrumentation.ts');
  expect(written).toContain("const { isDefaultExportSpan, LangfuseSpanProcessor } = await import('@langfuse/otel');");
  expect(written).toContain('replaySpanProcessor({ exports: isDefaultExportSpan })');
  expect(written).toContain('registerTelemetry(new LangfuseVercelAiSdkIntegration());');
  await using other = await projectWith({ ...files, 'instrumentation.ts': '// mine' });
  const { stdout } = await other.init('--yes');
  expect(stdout).toContain('keep   instrumentation.ts');
  expect(stdout).toContain('In instrumentation.ts, put replaySpanProcessor()');
  expect(await other.read('instrumentation.ts')).toBe('// mine');
});

test('routes of Next.js go beside those that are there', async () => {
  const dependencies = ['next', '@langfuse/otel', '@opentelemetry/sdk-node'];
  const files = { 'package.json': manifest(dependencies), 'src/shop.js': '' };
  const besides = async (layout: string) => [...(await plannedFor({ ...files, [layout]: '' })).keys()];
  expect(await besides('app/layout.js')).toEqual(expect.arrayContaining(['app/replay/route.js', 'instrumentation.js']));
  expect(await besides('src/app/layout.js')).toEqual(
    expect.arrayContaining(['src/app/replay/route.js', 'src/instrumentation.js']),
  );
});

test('an agent that Mastra serves gets a route and tracing of Mastra, and is started as it is developed', async () => {
  const packages = ['@mastra/core', '@mastra/observability', '@mastra/otel-bridge', 'mastra', '@langfuse/otel'];
  const scripts = { dev: 'mastra dev', build: 'mastra build', start: 'mastra start' };
  const dependencies = [...packages, '@opentelemetry/sdk-trace-node', 'typescript'];
  await using project = await projectWith({ 'package.json': manifest(dependencies, { scripts }) });
  const { stdout } = await project.init('--yes');
  const config = await project.read('agent-replay.config.ts');
  expect(config).toContain("command: 'npm run dev',\n    url: 'http://127.0.0.1:4111/replay',\n    timeout: 300_000,");
  expect(await project.read('src/mastra/replay.ts')).toContain("registerApiRoute('/replay', { method: 'ALL'");
  expect(await project.read('src/mastra/replay-tracing.ts')).toContain('bridge: new OtelBridge()');
  expect(stdout).toContain('new Mastra({ observability: tracedObservability(), ... })');
});

test('tracing of Genkit is set up as Genkit wants it', async () => {
  const exporter = '@opentelemetry/exporter-trace-otlp-proto';
  const dependencies = ['express', 'genkit', exporter, '@opentelemetry/sdk-trace-base', '@langfuse/otel'];
  const planned = await plannedFor({ 'package.json': manifest(dependencies) });
  expect(planned.get('replay-tracing.js')).toBe(`import 'genkit';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { enableTelemetry } from 'genkit/tracing';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { replaySpanProcessor } from 'agent-replay/endpoint';

enableTelemetry({ spanProcessors: [replaySpanProcessor(), new BatchSpanProcessor(new OTLPTraceExporter())] });
`);
});

test.for([
  ['what its command builds already', { start: 'npm run build && next start', build: 'next build' }],
  ['what is built before its start', { prestart: 'npm run build', start: 'node dist/server.js', build: 'tsc' }],
] as const)('%s is not built again', async ([, scripts]) => {
  const planned = await plannedFor({ 'package.json': manifest(['express'], { scripts }) });
  expect(planned.get('agent-replay.config.js')).toContain("command: 'npm start',\n    url");
});

test('an agent in Python is known by its requirements', async () => {
  await using project = await projectWith({ 'requirements.txt': 'langgraph==1.0.3\nlangchain-openai>=1\n' });
  const { stdout } = await project.init('--dry-run', '--start', 'uvicorn main:app');
  expect(stdout).toContain('LangGraph');
  expect(stdout).toContain(secretOf('OPENAI_API_KEY'));
});

test('without a terminal it says what it would have asked, and writes nothing', async () => {
  await using project = await projectWith({ 'package.json': manifest(['express']) });
  const { code, stderr } = await project.init();
  expect(code).toBe(2);
  expect(stderr).toContain('USAGE');
  expect(stderr).toContain('agent-replay init --yes --start');
  expect(await project.files()).toEqual(['package.json']);
});

test.for([
  [
    'FastAPI with pip',
    {
      'requirements.txt': 'fastapi\n',
      'app/main.py': 'from fastapi import FastAPI\n\napi: FastAPI = FastAPI(title="desk")\n',
    },
    'Python, pip, fastapi',
    'python3 -m uvicorn app.main:api --port 8000',
    'http://127.0.0.1:8000/replay',
    ['from app.agent import take_turn', 'replay = asgi_app(endpoint)'],
    ['pip install ./agent-replay-python', 'from app.replay_endpoint import replay', 'app.add_route("/replay", replay)'],
    ['- run: pip install -r requirements.txt'],
  ],
  [
    'FastAPI with uv',
    {
      'pyproject.toml': '[project]\ndependencies = ["fastapi>=0.100", "langgraph"]\n',
      'uv.lock': '',
      'src/desk/api.py': 'app = FastAPI()\n',
    },
    'Python, uv, fastapi, LangGraph',
    'uv run python -m uvicorn --app-dir src desk.api:app --port 8000',
    'http://127.0.0.1:8000/replay',
    ['from agent_replay.messages import to_langchain_messages', 'take_turn(to_langchain_messages(turn.messages))'],
    ['uv add ./agent-replay-python', 'from desk.replay_endpoint import replay'],
    ['- run: pipx install uv', '- run: uv sync --frozen'],
  ],
  [
    'Flask with poetry',
    {
      'pyproject.toml': '[tool.poetry.dependencies]\nflask = "^3"\nanthropic = "*"\n',
      'server.py': 'app = Flask(__name__)\n',
    },
    'Python, poetry, flask, Anthropic',
    'poetry run python -m flask --app server:app run --port 5000',
    'http://127.0.0.1:5000/replay',
    ['to_anthropic_messages(turn.messages)', 'return wsgi_app(endpoint)'],
    ['poetry add ./agent-replay-python', 'app.add_url_rule("/replay", view_func=replay, methods=["POST"])'],
    ['- run: poetry install'],
  ],
  [
    "Python's own server, beside a package.json for the command",
    {
      'desk.py': 'server = ThreadingHTTPServer(("", 8000), Handler)\n',
      'package.json': '{"devDependencies":{"agent-replay":"*"}}',
    },
    'Python, pip, http.server',
    'python3 desk.py',
    'http://127.0.0.1:8000/replay',
    ['answer_http(endpoint, handler)'],
    ['Mount it in desk.py', 'if self.path == "/replay"'],
    ['python-version:'],
  ],
] as const)('%s: command, endpoint, steps and workflow are those of the project', async ([, files, ...expected]) => {
  await using project = await projectWith(files);
  const [summary, start, url, endpoint, steps, workflow] = expected;
  const { code, stdout, stderr } = await project.init('--yes');
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(summary);
  const config = await project.read('agent-replay.config.mjs');
  expect(config).toContain(`command: '${start}'`);
  expect(config).toContain(`url: '${url}'`);
  const file = (await project.files()).find((each) => each.endsWith('replay_endpoint.py')) as string;
  for (const line of endpoint) expect(await project.read(file)).toContain(line);
  for (const line of steps) expect(stdout).toContain(line);
  for (const line of workflow) expect(await project.read('.github/workflows/agent-replay.yml')).toContain(line);
});

test('a project in Python gets the Python half with the endpoint, as it ships, and anew when its copy is of another version', async () => {
  await using project = await projectWith({ 'requirements.txt': 'flask\n', 'app.py': 'app = Flask(__name__)\n' });
  const { stdout } = await project.init('--yes');
  expect(stdout).toMatch(/^create agent-replay-python\/: the Python half of agent-replay, .* \(\d+ files\)$/m);
  const half = globSync('{pyproject.toml,README.md,src/agent_replay/*.{py,typed}}', { cwd: PYTHON_HALF }).sort();
  const copied = (await project.files()).filter((file) => file.startsWith('agent-replay-python/'));
  // What pip leaves there is not for the repository.
  expect(copied).toEqual(['.gitignore', ...half].map((file) => `agent-replay-python/${file}`).sort());
  for (const file of half) {
    expect(await project.read(`agent-replay-python/${file}`)).toBe(
      await readFile(path.join(PYTHON_HALF, file), 'utf8'),
    );
  }
  expect((await project.init('--yes')).stdout).toContain('keep   agent-replay-python/: ');
  const ours = 'agent-replay-python/src/agent_replay/turn.py';
  await writeFile(path.join(project.root, ours), '# of an older version\n');
  expect((await project.init('--yes')).stdout).toContain('update agent-replay-python/: ');
  expect(await project.read(ours)).toBe(await readFile(path.join(PYTHON_HALF, 'src/agent_replay/turn.py'), 'utf8'));
});

test('of an agent in Python the line that sets tracing up is named, and nothing where the processor is there', async () => {
  const files = { 'requirements.txt': 'flask\n', 'app.py': 'app = Flask(__name__)\n' };
  const traced = 'provider = TracerProvider()\nprovider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))\n';
  await using project = await projectWith({ ...files, 'tracing.py': traced });
  expect((await project.init('--yes')).stdout).toContain('In tracing.py, beside line 2: provider.add_span_processor');
  await using done = await projectWith({
    ...files,
    'tracing.py': `${traced}provider.add_span_processor(ReplaySpanProcessor())`,
  });
  expect((await done.init('--yes')).stdout).not.toContain('ReplaySpanProcessor');
});

test('an agent in Python of which no file says what is served is asked for its command', async () => {
  await using project = await projectWith({ 'requirements.txt': 'fastapi\n' });
  const { code, stderr } = await project.init('--yes');
  expect(code).toBe(2);
  expect(stderr).toContain('no file here creates an application with fastapi');
});

test('an agent in another language gets what does not depend on it', async () => {
  await using project = await projectWith({ 'go.mod': '' });
  const { code, stdout } = await project.init('--yes', '--start', './desk', '--agent-id', "it's");
  expect(code).toBe(0);
  expect(await project.files()).toEqual([
    '.agents/skills/agent-replay/SKILL.md',
    '.github/workflows/agent-replay.yml',
    '.gitignore',
    'AGENTS.md',
    'agent-replay.config.mjs',
    'go.mod',
    'replays/README.md',
  ]);
  expect(stdout).toContain('docs/endpoint.md has the contract');
  expect((await loadConfig({ cwd: project.root })).agent).toMatchObject({
    id: "it's",
    command: './desk',
    url: 'http://127.0.0.1:3000/replay',
  });
});

test.for([
  ['a package.json that is no JSON', { 'package.json': '{' }, ['--yes'], 'INPUT_INVALID'],
  ['a command that nobody knows', { 'package.json': '{}' }, ['--yes'], 'USAGE'],
  ['a URL that is none', { 'package.json': '{}' }, ['--yes', '--start', 'x', '--url', 'localhost'], 'TARGET_INVALID'],
] as const)('%s is a clear error, and nothing is written', async ([, files, args, code]) => {
  await using project = await projectWith(files);
  const finished = await project.init(...args);
  expect(finished.code).toBe(2);
  expect(finished.stderr).toContain(`(${code})`);
  expect(finished.stderr).toContain('  -> ');
  expect(await project.files()).toEqual(['package.json']);
});
